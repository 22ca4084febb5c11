/** What network policies let a pod reach, as Kubernetes reads them: the union of the rules of all policies that select it. */
import ipaddr from 'ipaddr.js';
import type { Manifest } from './tools.ts';

export type Labels = Readonly<Record<string, string>>;

/** An address, or a pod by its namespace's name and its labels. */
export type Target = { readonly address: string } | { readonly namespace: string; readonly labels?: Labels };

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values: string[] }[];
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Rule {
  readonly to?: readonly Peer[];
  readonly from?: readonly Peer[];
  readonly ports?: readonly { readonly port: number | string; readonly protocol: string }[];
}

export interface Network {
  readonly manifests: readonly Manifest[];
  /** Of the release. */
  readonly namespace: string;
}

export function reaches(network: Network, labels: Labels, target: Target, port: number | string): boolean {
  return allows(network, labels, target, port, 'egress');
}

export function isReachedBy(network: Network, labels: Labels, from: Target, port: number | string): boolean {
  return allows(network, labels, from, port, 'ingress');
}

function allows(
  { manifests, namespace }: Network,
  labels: Labels,
  other: Target,
  port: number | string,
  way: 'egress' | 'ingress',
): boolean {
  const type = way === 'egress' ? 'Egress' : 'Ingress';
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec)
    .filter(({ podSelector, policyTypes }) => selects(podSelector, labels) && policyTypes.includes(type));
  if (policies.length === 0) return true;
  return policies.some((policy) =>
    ((policy[way] ?? []) as readonly Rule[]).some(({ to, from, ports }) => {
      const peers = (way === 'egress' ? to : from) ?? [];
      const isPort = ports === undefined || ports.length === 0 || ports.some((one) => one.port === port);
      // An empty list is everybody.
      return isPort && (peers.length === 0 || peers.some((peer) => isPeer(peer, other, namespace)));
    }),
  );
}

function isPeer({ ipBlock, podSelector, namespaceSelector }: Peer, other: Target, own: string): boolean {
  if (ipBlock !== undefined) {
    if (!('address' in other)) return false;
    return isIn(other.address, ipBlock.cidr) && !(ipBlock.except ?? []).some((one) => isIn(other.address, one));
  }
  if ('address' in other) return false;
  const isNamespace =
    namespaceSelector === undefined
      ? other.namespace === own
      : selects(namespaceSelector, { 'kubernetes.io/metadata.name': other.namespace });
  return isNamespace && selects(podSelector ?? {}, other.labels ?? {});
}

function isIn(address: string, cidr: string): boolean {
  const [parsed, range] = [ipaddr.parse(address), ipaddr.parseCIDR(cidr)];
  return parsed.kind() === range[0].kind() && parsed.match(range as never);
}

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, is]) => labels[name] === is) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''))
  );
}
