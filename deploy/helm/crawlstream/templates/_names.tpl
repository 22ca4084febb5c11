{{- /* Prefix of all names: `crawlstream` for a release of that name, as every chart up to 0.3.0 named everything. Short enough
for a Job’s suffix and for the labels that StatefulSets add. What a Service can’t be called (long, with a dot, a digit first) is changed,
and a hash of the whole tells it from its like. */}}
{{- define "crawlstream.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := printf "%s-%s" .Release.Name $name -}}
{{- if .Values.fullnameOverride -}}
{{- $full = .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- $full = .Release.Name -}}
{{- end -}}
{{- if regexMatch "^[a-z][-a-z0-9]{0,39}$" $full -}}
{{- $full -}}
{{- else -}}
{{- $plain := regexReplaceAll "^[0-9]" ($full | replace "." "-") "c-${0}" -}}
{{- printf "%s-%s" ($plain | trunc 33 | trimSuffix "-") ($full | sha256sum | trunc 6) -}}
{{- end -}}
{{- end -}}

{{- /* Besides app.kubernetes.io/name, which is the full name: selectors of two releases have no pod in common. */}}
{{- define "crawlstream.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: crawlstream
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "crawlstream.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "crawlstream.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "crawlstream.image" -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (include "crawlstream.text" .tag) -}}
{{- end -}}
{{- end -}}

{{- define "crawlstream.pullPolicy" -}}
{{- with .pullPolicy -}}
imagePullPolicy: {{ . }}
{{- end -}}
{{- end -}}

{{- /* Helm reads whole numbers as floating-point ones, which it writes as 1e+06 from a million on. */}}
{{- define "crawlstream.text" -}}
{{- if and (kindIs "float64" .) (eq (float64 (int64 .)) .) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- /* A Job can't be changed. Whatever its template is made of is in its name. */}}
{{- define "crawlstream.topicsJob" -}}
{{- $made := list .Chart.Version (omit .Values "frontier" "fetcher" "dedup" "archive" "index" "graph" "render" "urlfrontier" "snapshots" "autoscaling" "network" "serviceMonitor" "podMonitor" "clusterChecks" "networkPolicies" "storageClassName" "renderImage") -}}
{{- printf "%s-topics-%s" (include "crawlstream.fullname" .) ($made | toJson | sha256sum | trunc 10) -}}
{{- end -}}
