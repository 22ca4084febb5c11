{{- /* What a schema of values can’t say. Each message names the value, and what to give. */}}
{{- define "crawlstream.checks" -}}
{{- $_ := required "settings.BROKERS is empty: give your Kafka brokers, as in --set settings.BROKERS=kafka:9092" .Values.settings.BROKERS -}}
{{- $_ = required "settings.CONTACT is empty: every request carries an address where webmasters reach you. Give yours, as in --set settings.CONTACT=crawl@your.domain" .Values.settings.CONTACT -}}
{{- if .Values.index.enabled -}}
{{- $_ = required "settings.OPENSEARCH is empty: index.enabled needs its URL, as in --set settings.OPENSEARCH=http://opensearch.search:9200" .Values.settings.OPENSEARCH -}}
{{- end -}}
{{- if .Values.snapshots.enabled -}}
{{- $_ = required "settings.SNAPSHOTS is empty: snapshots.enabled reads snapshots back. Give their place, as in --set settings.SNAPSHOTS=s3://bucket/prefix" .Values.settings.SNAPSHOTS -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled -}}
{{- fail "serviceMonitor.enabled and podMonitor.enabled are both true: each pod would be scraped twice. Set one of them to false" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas is %v, and autoscaling.maxReplicas %v: give a maximum that is not below the minimum" .Values.autoscaling.minReplicas .Values.autoscaling.maxReplicas) -}}
{{- end -}}
{{- if .Values.clusterChecks -}}
{{- include "crawlstream.otherReleases" . -}}
{{- if .Release.IsUpgrade -}}
{{- include "crawlstream.upgradeChecks" . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Two releases with one crawl would share its topics, groups and partitions. */}}
{{- define "crawlstream.otherReleases" -}}
{{- $crawl := include "crawlstream.text" .Values.settings.CRAWL -}}
{{- range (lookup "v1" "ConfigMap" .Release.Namespace "").items -}}
{{- $labels := .metadata.labels | default dict -}}
{{- $data := .data | default dict -}}
{{- $isOther := and (eq (get $labels "app.kubernetes.io/part-of") "crawlstream") (ne (get $labels "app.kubernetes.io/instance") $.Release.Name) -}}
{{- if and $isOther (eq (get $data "CRAWL") $crawl) (eq (get $data "BROKERS") $.Values.settings.BROKERS) -}}
{{- fail (printf "settings.CRAWL is %s, which release %s of this namespace runs on the same brokers. Add --set settings.CRAWL=NAME for a crawl of another name, or --set clusterChecks=false to share it" $crawl (get $labels "app.kubernetes.io/instance")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Charts up to 0.3.0 named everything `crawlstream`, whatever the release, and had defaults for settings that nobody had given.
Name and partitions of a crawl never change. */}}
{{- define "crawlstream.upgradeChecks" -}}
{{- $name := include "crawlstream.fullname" . -}}
{{- $old := lookup "apps/v1" "StatefulSet" .Release.Namespace "crawlstream-frontier" -}}
{{- $owner := get (($old.metadata | default dict).annotations | default dict) "meta.helm.sh/release-name" -}}
{{- if and (ne $name "crawlstream") (eq $owner .Release.Name) -}}
{{- fail (printf "fullnameOverride is not set: an earlier chart named the objects of release %s `crawlstream`, and this one would name them %s, with empty volumes. Add --set fullnameOverride=crawlstream to keep names and volumes, or --set clusterChecks=false to begin with empty ones" .Release.Name $name) -}}
{{- end -}}
{{- $map := lookup "v1" "ConfigMap" .Release.Namespace $name -}}
{{- $before := $map.data | default dict -}}
{{- range $setting := list "REGISTRY" "SNAPSHOTS" "ARCHIVE" "OPENSEARCH_INDEX" -}}
{{- $was := get $before $setting -}}
{{- $used := or (ne $setting "OPENSEARCH_INDEX") $.Values.index.enabled -}}
{{- if and $was $used (not (get $.Values.settings $setting)) -}}
{{- fail (printf "settings.%s is empty, and was %s in this release. Add --set settings.%s=%s to keep it, or --set clusterChecks=false to go on without it" $setting $was $setting $was) -}}
{{- end -}}
{{- end -}}
{{- range $setting := list "CRAWL" "PARTITIONS" "URLFRONTIER" -}}
{{- $was := get $before $setting -}}
{{- $is := include "crawlstream.text" (get $.Values.settings $setting) -}}
{{- $used := or (ne $setting "URLFRONTIER") $.Values.urlfrontier.enabled -}}
{{- if and $was $used (ne $was $is) -}}
{{- fail (printf "settings.%s is %s, and was %s in this release: a running crawl keeps it, and the volumes are of that crawl. Give settings.%s=%s, and install another crawl as another release (for more partitions, see deploy/KAFKA.md). If no topics were made yet, add --set clusterChecks=false" $setting $is $was $setting $was) -}}
{{- end -}}
{{- end -}}
{{- end -}}
