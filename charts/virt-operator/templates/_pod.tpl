{{/* Security settings of every pod and container: the restricted Pod Security Standard. */}}
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

{{/* Where pods run. Call with (dict "root" $ "own" <values of the role> "selector" <labels of the pods, which keep away from each other>). */}}
{{- define "virt-operator.placement" -}}
{{- $own := .own -}}
{{- $values := .root.Values -}}
affinity:
  {{- with $own.affinity | default $values.affinity }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  {{- include "virt-operator.nodeAffinity" $values.controlPlane | nindent 2 }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- toYaml .selector | nindent 14 }}
  {{- end }}
{{- with $own.nodeSelector | default $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations | default $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.topologySpreadConstraints | default $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Affinity for control plane nodes, by the value controlPlane. */}}
{{- define "virt-operator.nodeAffinity" -}}
{{- if ne . "any" -}}
nodeAffinity:
  {{- if eq . "required" }}
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      - matchExpressions:
          - { key: node-role.kubernetes.io/control-plane, operator: Exists }
      - matchExpressions:
          - { key: node-role.kubernetes.io/master, operator: Exists }
  {{- end }}
  preferredDuringSchedulingIgnoredDuringExecution:
    {{- if eq . "preferred" }}
    - weight: 100
      preference:
        matchExpressions:
          - { key: node-role.kubernetes.io/control-plane, operator: Exists }
    {{- end }}
    - weight: {{ ternary 100 50 (eq . "required") }}
      preference:
        matchExpressions:
          - { key: node-role.kubernetes.io/worker, operator: DoesNotExist }
{{- end -}}
{{- end -}}

{{/*
The Deployment of one role. Call with a dict:
  root      $
  role      all, gateway, worker, functions or dashboard
  name      of the Deployment
  own       the role's values
  selector  labels by which the Deployment finds its pods
  labels    further labels of the pods
  account   ServiceAccount
  noToken   whether the role has no access to the API server
  setup     arguments of the step before the role starts; none without
  args      further arguments of the role
  env       further environment, as YAML
  ports     container ports, name to number
  probes    whether the role serves probes on its metrics port
*/}}
{{- define "virt-operator.deployment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "virt-operator.metadata" (dict "root" $root "name" .name "kubevirtLabel" (get .selector "kubevirt.io")) | nindent 2 }}
spec:
  {{- if not (dig "autoscaling" "enabled" false .own) }}
  replicas: {{ .own.replicas | default 1 }}
  {{- end }}
  selector:
    matchLabels:
      {{- toYaml .selector | nindent 6 }}
  template:
    metadata:
      labels:
        {{- toYaml (merge (dict) .selector (.labels | default (dict)) (dict "app.kubernetes.io/name" $root.Chart.Name "app.kubernetes.io/instance" $root.Release.Name "np.kubevirt.io/allow-access-cluster-services" "true")) | nindent 8 }}
        {{- with .own.podLabels | default $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        {{- toYaml (merge (dict) (.own.podAnnotations | default $values.podAnnotations | default (dict)) (dict "openshift.io/required-scc" "restricted-v2")) | nindent 8 }}
    spec:
      serviceAccountName: {{ .account }}
      {{- if .noToken }}
      automountServiceAccountToken: false
      {{- end }}
      priorityClassName: kubevirt-cluster-critical
      terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
      securityContext:
        {{- include "virt-operator.podSecurityContext" $root | nindent 8 }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- include "virt-operator.placement" . | nindent 6 }}
      {{- with .setup }}
      initContainers:
        # Puts the CustomResourceDefinition of KubeVirt in place, or brings it up to date.
        - name: setup
          {{- include "virt-operator.container" (dict "root" $root "args" . "resources" $.own.resources) | nindent 10 }}
      {{- end }}
      containers:
        - name: virt-operator
          {{- $client := list -}}
          {{- if and $values.client.qps (not .noToken) }}{{ $client = append $client (printf "--client-qps=%v" $values.client.qps) }}{{ end }}
          {{- if and $values.client.burst (not .noToken) }}{{ $client = append $client (printf "--client-burst=%v" $values.client.burst) }}{{ end }}
          {{- $args := concat (list .role) (.args | default list) $client (list "-v" (toString $values.verbosity)) }}
          {{- include "virt-operator.container" (dict "root" $root "args" $args "resources" .own.resources) | nindent 10 }}
          env:
            {{- with .env }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- include "virt-operator.redisEnv" $root | nindent 12 }}
            {{- with include "virt-operator.tracingEnv" $root }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- with .own.extraEnv | default $values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            {{- range $port := .ports }}
            - { name: {{ $port.name }}, containerPort: {{ $port.number }}, protocol: TCP }
            {{- end }}
          {{- if .probes }}
          # Started, alive and able to serve are three questions; none of them asks for Redis or for leadership.
          startupProbe:
            httpGet: { scheme: HTTPS, port: metrics, path: /startupz }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { scheme: HTTPS, port: metrics, path: /healthz }
            timeoutSeconds: 10
          readinessProbe:
            httpGet: { scheme: HTTPS, port: metrics, path: /readyz }
            periodSeconds: 5
            timeoutSeconds: 10
          {{- else }}
          readinessProbe:
            tcpSocket: { port: {{ (index .ports 0).name }} }
          {{- end }}
          volumeMounts:
            - { name: profile-data, mountPath: /profile-data }
            {{- if $values.externalRedis.caSecret }}
            - { name: redis-ca, mountPath: /etc/redis-ca, readOnly: true }
            {{- end }}
      volumes:
        # For profiles alone: the root file system is read-only.
        - name: profile-data
          emptyDir: {}
        {{- with $values.externalRedis.caSecret }}
        - name: redis-ca
          secret:
            secretName: {{ . }}
        {{- end }}
{{- end -}}

{{/* What all containers of our own image share. Call with (dict "root" $ "args" <list> "resources" <map>). */}}
{{- define "virt-operator.container" -}}
image: {{ include "virt-operator.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: [virt-operator]
args:
  {{- toYaml .args | nindent 2 }}
{{- with .resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "virt-operator.containerSecurityContext" .root | nindent 2 }}
terminationMessagePolicy: FallbackToLogsOnError
{{- end -}}

{{/* A PodDisruptionBudget. Call with (dict "root" $ "name" <name> "own" <values of the role> "selector" <labels of the pods>). */}}
{{- define "virt-operator.podDisruptionBudget" -}}
{{- if .own.podDisruptionBudget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "virt-operator.metadata" (dict "root" .root "name" .name) | nindent 2 }}
spec:
  maxUnavailable: {{ .own.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- toYaml .selector | nindent 6 }}
{{- end -}}
{{- end -}}

{{/* Arguments of the roles that answer admission requests, separated by blanks. */}}
{{- define "virt-operator.admissionArgs" -}}
--port=8443 --webhook-port=8444 --drain-seconds={{ .Values.admission.drainSeconds }}
{{- if .Values.admission.requireClientCertificates }} --require-client-certificates{{ end }}
{{- if .Values.admission.checkNewObjects }} --check-new-objects{{ end }}
{{- end -}}

{{/* Arguments of the roles that reconcile, separated by spaces: how long they wait for Redis and, where that is asked for, for migrations. */}}
{{- define "virt-operator.patienceArgs" -}}
--redis-patience-seconds={{ .Values.redisPatienceSeconds | default 60 }}
{{- if .Values.migrationPatienceSeconds }} --migration-patience-seconds={{ .Values.migrationPatienceSeconds }}{{ end }}
{{- end -}}

{{/* Arguments of the step before a role that reconciles starts, and before the KubeVirt object is applied; as a JSON list. */}}
{{- define "virt-operator.setupArgs" -}}
{{- $args := list "setup" (printf "--timeout=%v" .Values.hooks.timeoutSeconds) -}}
{{- if .Values.namespace.label }}{{ $args = append $args (printf "--namespace=%s" (include "virt-operator.namespace" .)) }}{{ end -}}
{{- toJson $args -}}
{{- end -}}
