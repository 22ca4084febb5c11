{{- /* Where pods run: of a role, else of all. `role`: values of the role. */}}
{{- define "crawlstream.scheduling" -}}
{{- $made := dict -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with coalesce (get $.role $field) (get $.root.Values $field) -}}
{{- $_ := set $made $field . -}}
{{- end -}}
{{- end -}}
{{- with .root.Values.imagePullSecrets -}}
{{- $_ := set $made "imagePullSecrets" . -}}
{{- end -}}
{{- if $made -}}
{{- toYaml $made -}}
{{- end -}}
{{- end -}}

{{- /* Constraints of the role, of all roles, or the chart’s own (`own`), each with a selector. */}}
{{- define "crawlstream.spread" -}}
{{- $labels := dict "app.kubernetes.io/name" (include "crawlstream.fullname" .root) "app.kubernetes.io/component" .component -}}
{{- $made := list -}}
{{- range coalesce .role.topologySpreadConstraints .root.Values.topologySpreadConstraints .own -}}
{{- $made = append $made (merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" $labels))) -}}
{{- end -}}
{{- toYaml $made -}}
{{- end -}}

{{- define "crawlstream.storageClass" -}}
{{- with coalesce .role.storageClassName .root.Values.storageClassName -}}
storageClassName: {{ . }}
{{- end -}}
{{- end -}}

{{- /* Labels of pods, besides those that select them. */}}
{{- define "crawlstream.podLabels" -}}
{{- $own := dict "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/part-of" "crawlstream" -}}
{{- $given := merge (deepCopy (.role.podLabels | default dict)) (.root.Values.podLabels | default dict) -}}
{{- toYaml (omit (merge $given $own) "app.kubernetes.io/name" "app.kubernetes.io/component") -}}
{{- end -}}

{{- /* `checksum`: a change of a setting restarts the pods. */}}
{{- define "crawlstream.podAnnotations" -}}
{{- $given := merge (deepCopy (.role.podAnnotations | default dict)) (.root.Values.podAnnotations | default dict) -}}
{{- if .checksum -}}
{{- $_ := set $given "checksum/settings" (toJson .root.Values.settings | sha256sum) -}}
{{- end -}}
{{- if $given -}}
annotations:
  {{- toYaml $given | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* Not empty where a variable has a value in the settings, or is one of the pod's: an argument would come before it. */}}
{{- define "crawlstream.given" -}}
{{- $value := get .root.Values.settings .name -}}
{{- if and (not (kindIs "invalid" $value)) (ne ($value | toString) "") -}}
in the settings
{{- end -}}
{{- range concat (.root.Values.extraEnv | default list) (.role.extraEnv | default list) -}}
{{- if eq .name $.name -}}
of the pod
{{- end -}}
{{- end -}}
{{- end -}}
