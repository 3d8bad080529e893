{{/* Namespace of the operator and of the KubeVirt object; both must be the same (spec/deployment.md §1). */}}
{{- define "virt-operator.namespace" -}}
{{- .Values.namespace.name | default .Release.Namespace -}}
{{- end -}}

{{/* Labels of every object of the chart. app.kubernetes.io/managed-by is left out: the value virt-operator would mark an object as an operand. */}}
{{- define "virt-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Metadata of a namespaced object. Call with (dict "root" $ "name" <name>). */}}
{{- define "virt-operator.metadata" -}}
name: {{ .name }}
namespace: {{ include "virt-operator.namespace" .root }}
labels:
  {{- with .kubevirtLabel }}
  kubevirt.io: {{ . }}
  {{- end }}
  {{- include "virt-operator.labels" .root | nindent 2 }}
{{- end -}}

{{/* Reference of the operator's own image: a digest wins over a tag. */}}
{{- define "virt-operator.image" -}}
{{- $image := .Values.image -}}
{{- $name := ternary (printf "%s/%s" $image.registry $image.repository) $image.repository (ne $image.registry "") -}}
{{- if $image.digest -}}
{{ $name }}@{{ $image.digest }}
{{- else -}}
{{ $name }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Image of the KubeVirt release's own operator: it names the release to install and runs in strategy Jobs of other releases. */}}
{{- define "virt-operator.releaseImage" -}}
{{- .Values.kubevirt.operatorImage | default (printf "%s/%svirt-operator:%s" .Values.kubevirt.registry .Values.kubevirt.imagePrefix .Values.kubevirt.version) -}}
{{- end -}}

{{/* Name of the Secret with the dashboard's tokens. */}}
{{- define "virt-operator.dashboardSecret" -}}
{{- .Values.dashboard.existingSecret | default "kubevirt-dashboard" -}}
{{- end -}}

{{/* Whether the dashboard has tokens: "true" or "". In mode split always, where everybody in the cluster could reach it. */}}
{{- define "virt-operator.hasDashboardSecret" -}}
{{- $own := .Values.dashboard -}}
{{- if and $own.enabled (or (eq .Values.mode "split") $own.token $own.writeToken $own.existingSecret) -}}true{{- end -}}
{{- end -}}

{{/* Whether an object of the Prometheus operator is wanted: "true" or "". Call with (dict "root" $ "wish" <auto, enabled or disabled>). */}}
{{- define "virt-operator.isMonitored" -}}
{{- if or (eq .wish "enabled") (and (eq .wish "auto") (.root.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}true{{- end -}}
{{- end -}}

{{/* Whether the operator's namespace is the one of the release, so that Secrets of it can be looked up and kept: their value, or nothing. */}}
{{- define "virt-operator.keptSecret" -}}
{{- dig "data" .key "" (lookup "v1" "Secret" (include "virt-operator.namespace" .root) .name) -}}
{{- end -}}

{{/* Annotation of an alert with the address of the paragraph about it, if there is one; on a line of its own. Call with (list $ <alert>). */}}
{{- define "virt-operator.runbook" -}}
{{- with (index . 0).Values.monitoring.runbookUrl -}}
{{- printf "runbook_url: %s#%s" . (lower (index $ 1)) | nindent 12 -}}
{{- end -}}
{{- end -}}

{{/* Bytes of an amount as Kubernetes writes it, for example 128Mi. Call with the text. */}}
{{- define "virt-operator.bytes" -}}
{{- $unit := regexFind "([mkMGTPE]i?|Ki)?$" . -}}
{{- $factors := dict "" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- mulf (trimSuffix $unit . | float64) (get $factors $unit | float64) -}}
{{- end -}}

{{/* Bytes of an amount as redis-server writes it, for example 64mb. Call with the text. */}}
{{- define "virt-operator.redisBytes" -}}
{{- $unit := regexFind "[kmg]?b?$" . -}}
{{- mulf (trimSuffix $unit . | float64) (get (dict "" 1 "b" 1 "kb" 1024 "mb" 1048576 "gb" 1073741824) $unit | float64) -}}
{{- end -}}
