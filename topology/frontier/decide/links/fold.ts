/**
 * Folds a link. A variant of a page (variants.ts) becomes the URL that it counts as. By the rewritings that its host has
 * proved (state/equivalences.ts), the redirect's target replaces the URL, without a request for the redirect.
 *
 * One URL in sixteen, chosen by its fingerprint, is requested as found, so that a change on the host is noticed.
 * Forced URLs, targets of redirects, and links passed on by another partition are never folded; seeds and URLs of
 * sitemaps are never taken for variants.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import { type EquivalencesConfig, foldedBy } from '../../../policy/equivalences.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { Rewriting } from '../../../url/rewriting.ts';
import { spellingOf } from '../../../url/spelling.ts';
import { type HostEvidence, isLearnt } from '../../state/equivalences.ts';
import type { Decision } from '../decision.ts';
import { variantOf } from './variants.ts';

/** Mask for the last bits of a fingerprint: if all are 0, the URL is requested as found. */
const askedBits = 15;

/** The URL that replaces that of a link, and the path and query to request; empty: those of the URL. */
export interface Folded {
  readonly url: string;
  readonly spelling: string;
}

/** The URL that replaces this one; null: none. */
export function foldOf(
  decision: Decision,
  { config }: Policy,
  group: LinkGroup,
  hostKey: string,
  url: string,
): Folded | null {
  const { hop, intent } = group;
  if (hop > 0 || intent === 'force' || decision.misrouted.isPassedOn) return null;
  const into = config.equivalences === undefined ? null : provedBy(decision, config.equivalences, hostKey, url);
  if (into !== null) return { url: into, spelling: '' };
  if (config.traps === undefined || isNamed(group)) return null;
  const variant = variantOf(decision.state, hostKey, url);
  return variant === null ? null : { url: variant, spelling: spellingOf(url, variant) };
}

/** A person or a sitemap names the URL: it is taken as it is. */
function isNamed({ sourceUrl, depth, foundIn }: LinkGroup): boolean {
  return (sourceUrl === '' && depth === 0) || foundIn === 'sitemap';
}

/** The URL that redirects of the host have proved to be this one; null: itself. */
function provedBy({ state }: Decision, equivalences: EquivalencesConfig, hostKey: string, url: string): string | null {
  const evidence = state.equivalences.of(hostKey);
  if (evidence.size === 0) return null;
  const learnt = learntOf(evidence, equivalences.proofs);
  if (learnt.length === 0) return null;
  const folded = foldedBy(url, learnt);
  return folded === url || isAskedAsFound(state.identityOf(hostKey, url)) ? null : folded;
}

/** `fingerprint` of the URL as found. */
export function isAskedAsFound(fingerprint: Readonly<Uint32Array>): boolean {
  return (fingerprint[1]! & askedBits) === 0;
}

/** The target of a link to a URL of the host; null: the URL itself, or nothing is folded. */
export function foldsInto(policy: Policy, evidence: HostEvidence, given: string): string | null {
  const { equivalences } = policy.config;
  const url = equivalences === undefined ? null : policy.normalize(given);
  if (url === null) return null;
  const folded = foldedBy(url, learntOf(evidence, equivalences!.proofs));
  return folded === url ? null : folded;
}

/** Rewritings that a host has proved often enough. */
export function learntOf(evidence: HostEvidence, proofs: number): Rewriting[] {
  return [...evidence].flatMap(([rewriting, one]) => (isLearnt(one, proofs) ? [rewriting] : []));
}
