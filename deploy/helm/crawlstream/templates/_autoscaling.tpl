{{- /* KEDA asks from its own namespace: there, a name without a namespace would be another Service. */}}
{{- define "crawlstream.kedaBrokers" -}}
{{- $brokers := list -}}
{{- range splitList "," .Values.settings.BROKERS -}}
{{- $brokers = append $brokers (regexReplaceAll "^([A-Za-z0-9-]+):" . (printf "${1}.%s:" $.Release.Namespace)) -}}
{{- end -}}
{{- join "," $brokers -}}
{{- end -}}

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
