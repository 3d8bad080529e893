{{/*
Environment that names the KubeVirt release to install (spec/startup.md §2.1); entries without a value are left out.
*/}}
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

{{/* Where Redis is. */}}
{{- define "virt-operator.redisEnv" -}}
- name: REDIS_URL
  value: {{ include "virt-operator.redisUrl" . | quote }}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "virt-operator.redisSecret" . }}
      key: {{ .Values.redis.auth.secretKey }}
{{- end -}}

{{- define "virt-operator.redisUrl" -}}
redis://kubevirt-redis.{{ include "virt-operator.namespace" . }}.svc:6379
{{- end -}}

{{- define "virt-operator.redisSecret" -}}
{{- .Values.redis.auth.existingSecret | default "kubevirt-redis" -}}
{{- end -}}

{{/* Security settings of every pod: the restricted Pod Security Standard. */}}
{{- define "virt-operator.podSecurityContext" -}}
runAsNonRoot: true
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "virt-operator.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Node selector, affinity, tolerations. Call with (dict "root" $ "labels" <labels of the pods, for spreading>). */}}
{{- define "virt-operator.placement" -}}
{{- $values := .root.Values -}}
nodeSelector:
  {{- toYaml $values.nodeSelector | nindent 2 }}
affinity:
  {{- if $values.affinity }}
  {{- toYaml $values.affinity | nindent 2 }}
  {{- else }}
  {{- if ne $values.controlPlane "any" }}
  nodeAffinity:
    {{- if eq $values.controlPlane "required" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - { key: node-role.kubernetes.io/control-plane, operator: Exists }
        - matchExpressions:
            - { key: node-role.kubernetes.io/master, operator: Exists }
    {{- end }}
    preferredDuringSchedulingIgnoredDuringExecution:
      {{- if eq $values.controlPlane "preferred" }}
      - weight: 100
        preference:
          matchExpressions:
            - { key: node-role.kubernetes.io/control-plane, operator: Exists }
      {{- end }}
      - weight: {{ ternary 100 50 (eq $values.controlPlane "required") }}
        preference:
          matchExpressions:
            - { key: node-role.kubernetes.io/worker, operator: DoesNotExist }
  {{- end }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- toYaml .labels | nindent 14 }}
  {{- end }}
tolerations:
  {{- toYaml $values.tolerations | nindent 2 }}
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
