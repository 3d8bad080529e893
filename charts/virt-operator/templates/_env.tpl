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

{{/* Where Redis is: REDIS_URL, with the password put in by Kubernetes. */}}
{{- define "virt-operator.redisEnv" -}}
{{- $external := .Values.externalRedis -}}
{{- if .Values.redis.enabled -}}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.redis.auth.existingSecret | default "kubevirt-redis" }}
      key: {{ ternary .Values.redis.auth.secretKey "password" (ne .Values.redis.auth.existingSecret "") }}
- name: REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@kubevirt-redis.{{ include "virt-operator.namespace" . }}.svc:6379
{{- else if $external.host -}}
{{- if $external.passwordSecret -}}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $external.passwordSecret }}
      key: {{ $external.passwordSecretKey }}
{{ end -}}
- name: REDIS_URL
  {{- $user := ternary (printf "%s:$(REDIS_PASSWORD)@" $external.username) "" (ne $external.passwordSecret "") }}
  value: {{ ternary "rediss" "redis" $external.tls }}://{{ $user }}{{ $external.host }}:{{ $external.port }}/{{ $external.database }}
{{- else -}}
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ $external.existingSecret | default "kubevirt-external-redis" }}
      key: {{ ternary $external.secretKey "url" (ne $external.existingSecret "") }}
{{- end }}
{{- if $external.caSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/redis-ca/{{ $external.caSecretKey }}
{{- end }}
{{- end -}}

{{/* Tokens of the dashboard. */}}
{{- define "virt-operator.dashboardEnv" -}}
- name: DASHBOARD_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "virt-operator.dashboardSecret" . }}
      key: token
- name: DASHBOARD_WRITE_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "virt-operator.dashboardSecret" . }}
      key: writeToken
      optional: true
{{- end -}}
