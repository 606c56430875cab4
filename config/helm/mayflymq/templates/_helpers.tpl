{{/* The name of all objects: that of the release, with the chart's if it is not in it. */}}
{{- define "mayflymq.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "mayflymq.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "mayflymq.labels" -}}
{{ include "mayflymq.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "mayflymq.secret" -}}
{{- default (include "mayflymq.fullname" .) .Values.auth.existingSecret -}}
{{- end -}}

{{- define "mayflymq.clusterSecret" -}}
{{- default (printf "%s-cluster" (include "mayflymq.fullname" . | trunc 55 | trimSuffix "-")) .Values.cluster.existingSecret -}}
{{- end -}}

{{- define "mayflymq.headless" -}}
{{- include "mayflymq.fullname" . | trunc 54 | trimSuffix "-" }}-headless
{{- end -}}

{{/* A pod's name is in this domain, which stays the same. */}}
{{- define "mayflymq.domain" -}}
{{ include "mayflymq.headless" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- define "mayflymq.ports" -}}
- {name: amqp, port: 5672, targetPort: amqp}
{{- if .Values.tls.existingSecret }}
- {name: amqps, port: 5671, targetPort: amqps}
{{- end }}
- {name: http, port: 15672, targetPort: http}
- {name: metrics, port: 15692, targetPort: metrics}
{{- end -}}
