{{- define "crawlstream.kedaLogin" -}}
{{- with .Values.autoscaling.authenticationRef -}}
authenticationRef:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "crawlstream.kedaKafka" -}}
{{- with .Values.autoscaling.kafka -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}
