/**
 * A link as it arrives: either the policy takes it and it belongs to this partition, or it is refused and counted under
 * what refused it.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { TallyName } from '../../changes/changes.ts';
import type { Decision } from '../decision.ts';
import { cashPerLink } from './cash.ts';
import { foldOf } from './fold.ts';

export interface Arrival {
  readonly group: LinkGroup;
  readonly link: LinkGroup['links'][number];
  /** Normal. */
  readonly url: string;
  readonly hostKey: string;
  /** Front queue by depth and spelling alone. */
  readonly plainQueue: number;
  /** The URL's fingerprint, two words. */
  readonly hi: number;
  readonly lo: number;
  /** An operator asks for it: budgets, traps and the queue's room do not count. */
  readonly forced: boolean;
  /** The URL counts as this one; the link's spelling is requested. */
  readonly isVariant: boolean;
  /** OPIC cash that it brings. */
  readonly cash: number;
}

/** Null: the policy refuses it, it belongs to another partition, or it was purged; it is counted which of these. */
export function acceptLink(decision: Decision, policy: Policy, group: LinkGroup, index: number): Arrival | null {
  const { state } = decision;
  const given = group.links[index]!;
  const { depth, hop, intent, sourceUrl } = group;
  const { lastModifiedMs } = given;
  const verdictOn = (url: string) => policy.admit(url, depth, hop, { depth, hop, intent, sourceUrl, lastModifiedMs });
  let verdict = verdictOn(given.url);
  let link = given;
  let isVariant = false;
  const folds = policy.config.equivalences !== undefined || state.traps.active.size > 0;
  if (folds && verdict.ok && decision.isOurs(verdict.hostKey)) {
    const folded = foldOf(decision, policy, group, verdict.hostKey, verdict.url);
    const other = folded === null ? null : verdictOn(folded.url);
    if (folded !== null && other?.ok === true) {
      verdict = other;
      link = { ...given, url: other.url, spelling: folded.spelling };
      isVariant = folded.spelling !== '';
    }
  }
  if (!verdict.ok) {
    decision.tally('discovered');
    decision.tally(tallyOf(verdict.rule, verdict.detail));
    return null;
  }
  const { url, hostKey, frontQueue: plainQueue } = verdict;
  if (!decision.isOurs(hostKey)) {
    if (decision.misrouted.link(group, hostKey, link)) decision.tally('misrouted');
    return null;
  }
  const fingerprint = state.identityOf(hostKey, url);
  const [hi, lo] = [fingerprint[0]!, fingerprint[1]!];
  if (state.purge.on && state.purge.refuses(state.hosts, hostKey, hi, lo)) {
    decision.tally('discovered');
    decision.tally('purged');
    return null;
  }
  const cash = policy.cash === null ? 0 : cashPerLink(group);
  return { group, link, url, hostKey, plainQueue, hi, lo, forced: intent === 'force', isVariant, cash };
}

function tallyOf(rule: string, detail: string): TallyName {
  if (rule === 'length' || (rule === 'normalize' && detail === 'length')) return 'tooLong';
  if (rule === 'scope') return 'outOfScope';
  if (rule === 'depth') return 'tooDeep';
  return rule === 'normalize' ? 'invalid' : 'filtered';
}
