{{/* Namespace of the operator and of the KubeVirt object; both must be the same (spec/deployment.md §1). */}}
{{- define "virt-operator.namespace" -}}
{{- .Values.namespace.name | default .Release.Namespace -}}
{{- end -}}

{{/* Labels of every object of the chart. app.kubernetes.io/managed-by is left out: "virt-operator" in it would mark an object as an operand. */}}
{{- define "virt-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
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
