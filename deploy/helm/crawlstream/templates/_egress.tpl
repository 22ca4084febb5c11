{{- /*
Where pods may connect to. A peer is found from an address as pods resolve it:
  kafka                            a pod of the release’s own namespace
  kafka.data, kafka.data.svc…      a pod of the namespace `data`
  10.1.2.3, [fd00::1]              that address
  b-1.example.com                  any address but link-local ones: a policy can’t name hosts
Ports are the address’s own. A policy counts the pod’s port: where a Service changes it, `network` says which.
*/}}

{{- /* Rules for `addresses` (host:port or URL), or for what `given` says: {to, ports}. A JSON list. */}}
{{- define "crawlstream.egress.rules" -}}
{{- $given := .given | default dict -}}
{{- $rules := list -}}
{{- $ports := list -}}
{{- range $given.ports -}}
{{- $ports = append $ports (dict "protocol" "TCP" "port" (int .)) -}}
{{- end -}}
{{- $found := list -}}
{{- range .addresses -}}
{{- $one := include "crawlstream.peer" . | fromJson -}}
{{- $own := list (dict "protocol" "TCP" "port" (int $one.port)) -}}
{{- $found = append $found (index $own 0) -}}
{{- if not $given.to -}}
{{- $rules = append $rules (dict "to" $one.to "ports" (default $own $ports)) -}}
{{- end -}}
{{- end -}}
{{- if $given.to -}}
{{- $rule := dict "to" $given.to -}}
{{- with default (uniq $found) $ports -}}
{{- $_ := set $rule "ports" . -}}
{{- end -}}
{{- $rules = list $rule -}}
{{- end -}}
{{- toJson (uniq $rules) -}}
{{- end -}}

{{- /* {to, port} of an address. */}}
{{- define "crawlstream.peer" -}}
{{- $scheme := regexFind "^[A-Za-z][A-Za-z0-9+.-]*://" . -}}
{{- $authority := regexReplaceAll "^.*@" (regexFind "^[^/?#]*" (trimPrefix $scheme .)) "" -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $authority) | default (ternary "80" "443" (eq $scheme "http://")) -}}
{{- $host := regexReplaceAll ":[0-9]+$" $authority "" | trimPrefix "[" | trimSuffix "]" | trimSuffix "." | lower -}}
{{- $labels := splitList "." $host -}}
{{- $namespace := "" -}}
{{- range $at, $label := $labels -}}
{{- if and (eq $label "svc") (ge $at 2) (not $namespace) -}}
{{- $namespace = index $labels (sub $at 1) -}}
{{- end -}}
{{- end -}}
{{- $to := list -}}
{{- if regexMatch "^[0-9]+(\\.[0-9]+){3}$" $host -}}
{{- $to = list (dict "ipBlock" (dict "cidr" (printf "%s/32" $host))) -}}
{{- else if contains ":" $host -}}
{{- $to = list (dict "ipBlock" (dict "cidr" (printf "%s/128" $host))) -}}
{{- else if eq (len $labels) 1 -}}
{{- $to = list (dict "podSelector" dict) -}}
{{- else -}}
{{- $namespace = $namespace | default (ternary (last $labels) "" (le (len $labels) 3)) -}}
{{- with $namespace -}}
{{- $to = list (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" .))) -}}
{{- end -}}
{{- if and (ge (len $labels) 3) (not (has "svc" $labels)) -}}
{{- $to = concat $to (include "crawlstream.anywhere" . | fromJsonArray) -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "to" $to "port" $port) -}}
{{- end -}}

{{- /* Any address but link-local ones, which are the node’s: its metadata among them. */}}
{{- define "crawlstream.anywhere" -}}
{{- $v4 := dict "cidr" "0.0.0.0/0" "except" (list "169.254.0.0/16") -}}
{{- $v6 := dict "cidr" "::/0" "except" (list "fe80::/10" "fd00:ec2::/32") -}}
{{- toJson (list (dict "ipBlock" $v4) (dict "ipBlock" $v6)) -}}
{{- end -}}

{{- /* What grants credentials on AWS: only what values name. */}}
{{- define "crawlstream.egress.credentials" -}}
{{- $rules := list -}}
{{- $ports := list (dict "protocol" "TCP" "port" 80) -}}
{{- if .Values.network.podIdentity -}}
{{- $to := list (dict "ipBlock" (dict "cidr" "169.254.170.23/32")) (dict "ipBlock" (dict "cidr" "fd00:ec2::23/128")) -}}
{{- $rules = append $rules (dict "to" $to "ports" $ports) -}}
{{- end -}}
{{- if .Values.network.instanceMetadata -}}
{{- $to := list (dict "ipBlock" (dict "cidr" "169.254.169.254/32")) (dict "ipBlock" (dict "cidr" "fd00:ec2::254/128")) -}}
{{- $rules = append $rules (dict "to" $to "ports" $ports) -}}
{{- end -}}
{{- /* A role of the ServiceAccount is asked for at AWS's token service. */}}
{{- if hasKey (.Values.serviceAccount.annotations | default dict) "eks.amazonaws.com/role-arn" -}}
{{- $https := list (dict "protocol" "TCP" "port" 443) -}}
{{- $rules = append $rules (dict "to" (include "crawlstream.anywhere" . | fromJsonArray) "ports" $https) -}}
{{- end -}}
{{- toJson $rules -}}
{{- end -}}

{{- /* Of all pods: names, brokers, registry, collectors, token servers. */}}
{{- define "crawlstream.egress.inside" -}}
{{- $settings := .Values.settings -}}
{{- $network := .Values.network -}}
{{- $dns := $network.dns.to | default (list (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" "kube-system")))) -}}
{{- $dnsPorts := list -}}
{{- range $network.dns.ports | default (list 53) -}}
{{- $dnsPorts = concat $dnsPorts (list (dict "protocol" "UDP" "port" (int .)) (dict "protocol" "TCP" "port" (int .))) -}}
{{- end -}}
{{- $rules := list (dict "to" $dns "ports" $dnsPorts) -}}
{{- $brokers := compact (splitList "," ($settings.BROKERS | default "")) -}}
{{- $rules = concat $rules (include "crawlstream.egress.rules" (dict "addresses" $brokers "given" $network.brokers) | fromJsonArray) -}}
{{- $registry := compact (list ($settings.REGISTRY | default "")) -}}
{{- $rules = concat $rules (include "crawlstream.egress.rules" (dict "addresses" $registry "given" $network.registry) | fromJsonArray) -}}
{{- $others := list -}}
{{- range $name, $value := $settings -}}
{{- if and $value (or (eq $name "CRAWLSTREAM_OTLP") (regexMatch "^OTEL_EXPORTER_OTLP_(.+_)?ENDPOINT$" $name) (regexMatch "_TOKEN_URL$" $name)) -}}
{{- $others = append $others $value -}}
{{- end -}}
{{- end -}}
{{- $rules = concat $rules (include "crawlstream.egress.rules" (dict "addresses" $others "given" $network.collectors) | fromJsonArray) -}}
{{- if eq ($settings.CRAWLSTREAM_KAFKA_MECHANISM | default "" | lower) "aws-msk-iam" -}}
{{- $rules = concat $rules (include "crawlstream.egress.credentials" . | fromJsonArray) -}}
{{- end -}}
{{- toYaml (uniq (concat $rules ($network.extraEgress | default list))) -}}
{{- end -}}

{{- /* Of pods with snapshots or WARC files. */}}
{{- define "crawlstream.egress.storage" -}}
{{- $settings := .Values.settings -}}
{{- $network := .Values.network -}}
{{- $addresses := compact (list ($settings.AWS_ENDPOINT_URL_S3 | default "") ($settings.AWS_ENDPOINT_URL | default "")) -}}
{{- $rules := include "crawlstream.egress.rules" (dict "addresses" $addresses "given" $network.storage) | fromJsonArray -}}
{{- $bucket := or (hasPrefix "s3://" ($settings.SNAPSHOTS | default "")) (hasPrefix "s3://" ($settings.ARCHIVE | default "")) -}}
{{- if and (not $rules) $bucket -}}
{{- $ports := list -}}
{{- range $network.storage.ports | default (list 443) -}}
{{- $ports = append $ports (dict "protocol" "TCP" "port" (int .)) -}}
{{- end -}}
{{- $rules = list (dict "to" (include "crawlstream.anywhere" . | fromJsonArray) "ports" $ports) -}}
{{- end -}}
{{- toYaml (concat $rules (include "crawlstream.egress.credentials" . | fromJsonArray)) -}}
{{- end -}}

{{- define "crawlstream.egress.search" -}}
{{- $addresses := compact (list (.Values.settings.OPENSEARCH | default "")) -}}
{{- include "crawlstream.egress.rules" (dict "addresses" $addresses "given" .Values.network.search) | fromJsonArray | toYaml -}}
{{- end -}}

{{- /* An empty list of peers would let everybody in: without peers there is no rule. */}}
{{- define "crawlstream.ingress.inside" -}}
{{- $rules := .Values.network.extraIngress | default list -}}
{{- with .Values.network.metricsFrom -}}
{{- $rules = prepend $rules (dict "from" . "ports" (list (dict "protocol" "TCP" "port" "http"))) -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end -}}
