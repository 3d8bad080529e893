{{/* Spec of a Job that runs one command of our image. Call with (dict "root" $ "args" <list> "configMap" <mounted at /etc/kubevirt; optional>). */}}
{{- define "virt-operator.jobSpec" -}}
{{- $values := .root.Values -}}
# A refusal by the operator's admission is final; what may pass is tried again inside the command.
backoffLimit: 1
activeDeadlineSeconds: {{ add $values.hooks.timeoutSeconds 60 }}
template:
  metadata:
    labels:
      app.kubernetes.io/name: {{ .root.Chart.Name }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
      app.kubernetes.io/component: hook
      np.kubevirt.io/allow-access-cluster-services: "true"
  spec:
    restartPolicy: Never
    serviceAccountName: kubevirt-operator
    securityContext:
      {{- include "virt-operator.podSecurityContext" .root | nindent 6 }}
    {{- with $values.imagePullSecrets }}
    imagePullSecrets:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.nodeSelector }}
    nodeSelector:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    containers:
      - name: virt-operator
        {{- include "virt-operator.container" (dict "root" .root "args" .args) | nindent 8 }}
        {{- if .configMap }}
        volumeMounts:
          - { name: kubevirt, mountPath: /etc/kubevirt, readOnly: true }
        {{- end }}
    {{- with .configMap }}
    volumes:
      - name: kubevirt
        configMap:
          name: {{ . }}
    {{- end }}
{{- end -}}
