#!/bin/sh
# A crawl on a cluster of this machine, from this checkout. kind's or k3d's cluster `crawlstream` is made if it is missing:
#   CONTACT=me@example.org deploy/local.sh https://example.org
set -eu
fail() {
  echo "$1" >&2
  exit 2
}
case "${CONTACT:-}" in
  '') fail 'CONTACT is empty: give your web or mail address, as in CONTACT=me@example.org deploy/local.sh' ;;
  *[!A-Za-z0-9@.:/_~%+-]*) fail "CONTACT is no web or mail address: $CONTACT" ;;
esac
cd "$(dirname "$0")/.."
has() { command -v "$1" >/dev/null; }
for program in docker kubectl; do has $program || fail "$program is missing: install it"; done
if has kind; then
  kind get clusters | grep -qx crawlstream || kind create cluster --name crawlstream
  load='kind load docker-image --name crawlstream'
  context=kind-crawlstream
elif has k3d; then
  k3d cluster list crawlstream >/dev/null 2>&1 || k3d cluster create crawlstream
  load='k3d image import --cluster crawlstream'
  context=k3d-crawlstream
else
  fail 'kind and k3d are missing: install one of them'
fi
docker build -f deploy/Dockerfile -t crawlstream:local .
$load crawlstream:local
manifests=$(kubectl kustomize deploy/overlays/local)
echo "$manifests" | sed "s|CONTACT: \"\"|CONTACT: $CONTACT|" | kubectl --context $context apply -f -
kubectl --context $context -n crawlstream rollout status statefulset/crawlstream-frontier --timeout 10m
[ $# -eq 0 ] || kubectl --context $context -n crawlstream exec crawlstream-frontier-0 -- \
  crawlstream inject "$@" --brokers kafka:9092 --registry http://registry:8080/apis/ccompat/v7
