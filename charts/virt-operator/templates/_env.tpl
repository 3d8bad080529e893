{{/* Environment that names the KubeVirt release to install (spec/startup.md §2.1); what has no value is left out. */}}
{{- define "virt-operator.releaseEnv" -}}
{{- $images := .Values.kubevirt.images -}}
- name: VIRT_OPERATOR_IMAGE
  value: {{ include "virt-operator.releaseImage" . | quote }}
{{- range $name, $image := dict
  "VIRT_API_IMAGE" $images.virtApi
  "VIRT_CONTROLLER_IMAGE" $images.virtController
  "VIRT_HANDLER_IMAGE" $images.virtHandler
  "VIRT_LAUNCHER_IMAGE" $images.virtLauncher
  "VIRT_EXPORTPROXY_IMAGE" $images.virtExportProxy
  "VIRT_EXPORTSERVER_IMAGE" $images.virtExportServer
  "VIRT_SYNCHRONIZATIONCONTROLLER_IMAGE" $images.virtSynchronizationController
  "VIRT_TEMPLATE_APISERVER_IMAGE" $images.virtTemplateApiserver
  "VIRT_TEMPLATE_CONTROLLER_IMAGE" $images.virtTemplateController
  "GS_IMAGE" $images.libguestfsTools
  "PR_HELPER_IMAGE" $images.prHelper
  "SIDECAR_SHIM_IMAGE" $images.sidecarShim
}}
{{- with $image }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- with .Values.kubevirt.runbookUrlTemplate }}
- name: RUNBOOK_URL_TEMPLATE
  value: {{ . | quote }}
{{- end }}
- name: KUBEVIRT_VERSION
  value: {{ .Values.kubevirt.version | quote }}
{{- range $name, $value := .Values.kubevirt.passthroughEnv }}
- name: KV_IO_EXTRA_ENV_{{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Where Redis is. The password is a variable of its own, so that no address holds it. */}}
{{- define "virt-operator.redisEnv" -}}
{{- $external := .Values.externalRedis -}}
{{- $auth := .Values.redis.auth -}}
{{- if .Values.redis.enabled -}}
- name: REDIS_URL
  value: redis://kubevirt-redis.{{ include "virt-operator.namespace" . }}.svc:6379
{{ include "virt-operator.password" (list "REDIS_PASSWORD" ($auth.existingSecret | default "kubevirt-redis") (ternary $auth.secretKey "password" (ne $auth.existingSecret ""))) }}
{{- else if or $external.host $external.sentinel.nodes -}}
{{- if $external.host -}}
- name: REDIS_URL
  value: {{ ternary "rediss" "redis" $external.tls }}://{{ with $external.username }}{{ . }}@{{ end }}{{ $external.host }}:{{ $external.port }}/{{ $external.database }}
{{- else -}}
- name: REDIS_SENTINELS
  value: {{ join "," $external.sentinel.nodes | quote }}
- name: REDIS_SENTINEL_MASTER
  value: {{ $external.sentinel.master | quote }}
- name: REDIS_TLS
  value: {{ $external.tls | quote }}
- name: REDIS_DATABASE
  value: {{ $external.database | quote }}
{{- with $external.username }}
- name: REDIS_USERNAME
  value: {{ . | quote }}
{{- end }}
{{- with $external.sentinel.passwordSecret }}
{{ include "virt-operator.password" (list "REDIS_SENTINEL_PASSWORD" . $external.sentinel.passwordSecretKey) }}
{{- end }}
{{- end }}
{{- else -}}
{{ include "virt-operator.password" (list "REDIS_URL" ($external.existingSecret | default "kubevirt-external-redis") (ternary $external.secretKey "url" (ne $external.existingSecret ""))) }}
{{- end }}
{{- if $external.passwordSecret }}
{{ include "virt-operator.password" (list "REDIS_PASSWORD" $external.passwordSecret $external.passwordSecretKey) }}
{{- end }}
{{- if and (not .Values.redis.enabled) $external.mayEvict }}
- name: REDIS_MAY_EVICT
  value: "true"
{{- end }}
{{- if $external.caSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/redis-ca/{{ $external.caSecretKey }}
{{- end }}
{{- end -}}

{{/* A variable that holds a password. Call with (list <variable> <Secret> <key>). */}}
{{- define "virt-operator.password" -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 }}
      key: {{ index . 2 }}
{{- end -}}

{{/* Tokens of the dashboard, and in mode split the cluster that it shows: in mode all the process knows it. */}}
{{- define "virt-operator.dashboardEnv" -}}
{{- $isSplit := eq .Values.mode "split" -}}
{{- if and $isSplit .Values.dashboard.clusterUid -}}
- name: CLUSTER_UID
  value: {{ .Values.dashboard.clusterUid | quote }}
{{ end -}}
- name: DASHBOARD_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "virt-operator.dashboardSecret" . }}
      key: token
      {{- if not $isSplit }}
      optional: true
      {{- end }}
- name: DASHBOARD_WRITE_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "virt-operator.dashboardSecret" . }}
      key: writeToken
      optional: true
{{- end -}}

{{/* Where traces are sent. Nothing without a collector. */}}
{{- define "virt-operator.tracingEnv" -}}
{{- with .Values.tracing -}}
{{- if .endpoint -}}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
{{- if ne (float64 .ratio) 1.0 }}
- name: OTEL_TRACES_SAMPLER
  value: parentbased_traceidratio
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .ratio | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
