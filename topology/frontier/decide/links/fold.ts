/**
 * Folds a link by what its host has proved (state/equivalences.ts): the URL that a redirect would lead to takes its place, and
 * the redirect is never asked for.
 *
 * One URL in sixteen is asked for as it was found, by its fingerprint, so that a host that changes its mind is noticed. What
 * an operator asks for, what a redirect leads to, and what another partition passed on is taken as it is.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import { foldedBy } from '../../../policy/equivalences.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { Rewriting } from '../../../url/rewriting.ts';
import { type HostEvidence, isLearnt } from '../../state/equivalences.ts';
import type { Decision } from '../decision.ts';

/** By the last bits of a fingerprint: asked for as it was found. */
const askedBits = 15;

/** The URL to take in its place; null: it is taken as it is. */
export function foldOf(
  decision: Decision,
  { config }: Policy,
  { hop, intent }: LinkGroup,
  hostKey: string,
  url: string,
): string | null {
  const { equivalences } = config;
  if (equivalences === undefined || hop > 0 || intent === 'force' || decision.misrouted.isPassedOn) return null;
  const { state } = decision;
  const evidence = state.equivalences.of(hostKey);
  if (evidence.size === 0) return null;
  const learnt = learntOf(evidence, equivalences.proofs);
  if (learnt.length === 0) return null;
  const folded = foldedBy(url, learnt);
  return folded === url || isAskedAsFound(state.identityOf(hostKey, url)) ? null : folded;
}

/** `fingerprint` of the URL as it was found. */
export function isAskedAsFound(fingerprint: Readonly<Uint32Array>): boolean {
  return (fingerprint[1]! & askedBits) === 0;
}

/** Where a link to a URL of the host would lead; null: to itself, or nothing is folded. */
export function foldsInto(policy: Policy, evidence: HostEvidence, given: string): string | null {
  const { equivalences } = policy.config;
  const url = equivalences === undefined ? null : policy.normalize(given);
  if (url === null) return null;
  const folded = foldedBy(url, learntOf(evidence, equivalences!.proofs));
  return folded === url ? null : folded;
}

/** What a host has proved often enough. */
export function learntOf(evidence: HostEvidence, proofs: number): Rewriting[] {
  return [...evidence].flatMap(([rewriting, one]) => (isLearnt(one, proofs) ? [rewriting] : []));
}
