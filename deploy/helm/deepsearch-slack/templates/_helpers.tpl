{{/* The name of everything. A suffix of eleven characters, and one of the cluster, still fit. */}}
{{- define "deepsearch-slack.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What never changes for the app's pods: Kubernetes refuses another selector. */}}
{{- define "deepsearch-slack.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: app
{{- end -}}

{{- define "deepsearch-slack.codesearchSelectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: codesearch
{{- end -}}

{{- define "deepsearch-slack.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "deepsearch-slack.labels" -}}
{{ include "deepsearch-slack.selectorLabels" . }}
{{ include "deepsearch-slack.commonLabels" . }}
{{- end -}}

{{- define "deepsearch-slack.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "deepsearch-slack.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "deepsearch-slack.image" -}}
{{- $repository := required "image.repository is needed: where you pushed the image of the Dockerfile" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "deepsearch-slack.codesearchImage" -}}
{{- $repository := required "codesearch.image.repository is needed: where you pushed the Dockerfile's target codesearch" .Values.codesearch.image.repository -}}
{{- if .Values.codesearch.image.digest -}}
{{- printf "%s@%s" $repository .Values.codesearch.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.codesearch.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "deepsearch-slack.secretName" -}}
{{- required "existingSecret is needed: the name of a Secret with the app's tokens" .Values.existingSecret -}}
{{- end -}}

{{/* "yes" if something outside the pods calls the app: Slack, or people's browsers for the sign-in. */}}
{{- define "deepsearch-slack.isServed" -}}
{{- if or (eq .Values.mode "http") .Values.settings.PUBLIC_URL -}}yes{{- end -}}
{{- end -}}

{{/* The restricted Pod Security Standard, for a pod. The numbers are those of the image. OpenShift refuses them and chooses its own. */}}
{{- define "deepsearch-slack.podSecurityContext" -}}
runAsNonRoot: true
{{- if .Values.fixedUser }}
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "deepsearch-slack.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{/* Where the cluster's DNS may be asked. */}}
{{- define "deepsearch-slack.dnsEgress" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
{{- end -}}
