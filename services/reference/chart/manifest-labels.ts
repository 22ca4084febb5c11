/** The label of all our pods, in a manifest of the base. */

// Manifests are data of a hundred shapes.
// biome-ignore lint/suspicious/noExplicitAny: read by path, as kustomize does
export type Manifest = any;

const nameLabel = { 'app.kubernetes.io/name': 'crawlstream' };

/** Adds it wherever kustomize's `labels` with selectors puts it. */
export function addLabels(manifest: Manifest): void {
  const add = (object: Manifest, field: string) => {
    object[field] = { ...object[field], ...nameLabel };
  };
  add(manifest.metadata, 'labels');
  const { kind, spec } = manifest;
  if (spec === undefined) return;
  const pods = spec.template;
  if (pods !== undefined) add(pods.metadata, 'labels');
  for (const { metadata } of spec.volumeClaimTemplates ?? []) add(metadata, 'labels');
  if (kind === 'Service') add(spec, 'selector');
  else if (kind === 'NetworkPolicy') addToPolicy(spec, add);
  else if (spec.selector !== undefined) add(spec.selector, 'matchLabels');
  for (const { labelSelector } of pods?.spec.topologySpreadConstraints ?? []) add(labelSelector, 'matchLabels');
}

function addToPolicy(spec: Manifest, add: (object: Manifest, field: string) => void): void {
  add(spec.podSelector, 'matchLabels');
  const peers = [...(spec.ingress ?? []), ...(spec.egress ?? [])].flatMap((rule) => rule.from ?? rule.to ?? []);
  for (const { podSelector } of peers) {
    if (podSelector?.matchLabels?.['app.kubernetes.io/component'] !== undefined) add(podSelector, 'matchLabels');
  }
}
