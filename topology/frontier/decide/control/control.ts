/** Control events: policies, page quota, operators' orders about hosts. */

import { rangeLimits } from '../../../../schemas/range-limits.ts';
import type { Control } from '../../../../schemas/types.ts';
import { siblingsOf } from '../../../policy/traps/step-contents.ts';
import { isCrawlDelayTooLong } from '../../../robots/crawl-delay-cap.ts';
import type { HostFacts, HostHold } from '../../changes/changes.ts';
import { newHostFacts } from '../../changes/changes.ts';
import type { Waiting } from '../../checkpoint/read-rows.ts';
import { duplicatesPayload, isOfWebmaster, seekPayload, trapPayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';
import { setOwnSlots } from '../leases/host-slots.ts';
import { setTrap } from '../links/traps.ts';
import { isTroubled, ownDelayAfter, politeDelayMs } from '../politeness.ts';
import { decideSitemapsNamed } from '../sitemaps.ts';
import { decideLower } from './lower.ts';
import { decidePurge } from './purge.ts';
import { decideQuotaGrant, decideQuotaReport } from './quota.ts';
import { decideRaise } from './raise.ts';
import { setDelay, setFacts } from './set-facts.ts';
import { decidePolicy } from './switch-policy.ts';
import { decideVerdicts } from './verdicts.ts';

/**
 * Decides an event from slice `from` on; returns the next slice, or 'done'. `waiting`: places of the URLs that the event
 * names. `to`: stops before this slice, at the latest.
 */
export function decideControl(
  decision: Decision,
  event: Control,
  waiting: readonly Waiting[],
  from = 0,
  to?: number,
): number | 'done' {
  if (event.kind === 'policy') return decidePolicy(decision, event, from, to);
  decideOrder(decision, event, waiting);
  return 'done';
}

function decideOrder(decision: Decision, event: Control, waiting: readonly Waiting[]): void {
  const { state } = decision;
  const { hostKey, amount } = event;
  switch (event.kind) {
    case 'quota':
      return decideQuotaGrant(decision, event);
    case 'quotaReport':
      return decideQuotaReport(decision, event);
    case 'blockHost':
    case 'hostDelay':
      return decideHostOrder(decision, event);
    case 'releaseHost':
      if (isOfWebmaster(event.payload)) return decideHostOrder(decision, event);
      return setFacts(decision, hostKey, {
        hold: holdBehindBlock(decision, hostKey),
        ...believedReadyAt(decision, hostKey),
        deadUntilMs: 0,
        failures: 0,
        throttles: 0,
        serverErrors: 0,
      });
    case 'hostLimit':
      return setFacts(decision, hostKey, { pagesMax: Math.max(-1, amount) });
    case 'hostLeases':
      return setOwnSlots(decision, hostKey, amount);
    case 'readSitemaps':
      if (isPurged(decision, hostKey)) return;
      return decideSitemapsNamed(decision, hostKey, amount === 1);
    case 'budget':
      setFacts(decision, hostKey, { ownBudget: Math.max(-1, amount) });
      return state.budgets.lookAt(state.budgets.keyOf(hostKey));
    case 'trap':
    case 'releaseTrap':
      return decideTrapEvent(decision, event);
    case 'duplicates':
      return decideDuplicates(decision, event);
    case 'raise':
      return decideRaise(decision, event, waiting);
    case 'lower':
      return decideLower(decision, event, waiting);
    case 'purge':
      return decidePurge(decision, event, waiting);
    case 'seek':
      return decideSeek(decision, event);
    case 'manifest':
    case 'pauseHost':
    case 'requeue':
    case 'servedCrawl':
    case 'schema':
    case 'plugin':
    case 'payment':
    case 'signingKey':
      return; // for whoever opens the crawl, for fetchers, and for the record: the links to fetch again come as `discovered`
    default:
      decision.tally('unknownControls');
  }
}

/**
 * Applies an order about a host by an operator or a webmaster. An operator's order overrides a webmaster's, whichever
 * comes first. A webmaster can pause a host that is not blocked, end their own pause, and set or remove a delay if it
 * is not shorter than the operator's.
 */
function decideHostOrder(decision: Decision, event: Control): void {
  const { kind, hostKey, payload } = event;
  const { hold, ownDelayMs, ownDelayIsLeast } = decision.state.hosts.get(hostKey)?.facts ?? newHostFacts;
  const set = (change: Partial<HostFacts>) => setFacts(decision, hostKey, change);
  const isTheirs = isOfWebmaster(payload);
  if (kind === 'releaseHost') return hold === 'paused' ? set({ hold: holdBehindBlock(decision, hostKey) }) : undefined;
  // A purge outweighs a block, and a block a pause.
  if (kind === 'blockHost' && (hold === 'purged' || (isTheirs && hold === 'blocked'))) return;
  if (kind === 'blockHost') return set({ hold: isTheirs ? 'paused' : 'blocked' });
  const ownDelay = ownDelayAfter({ ownDelayMs, ownDelayIsLeast }, event);
  if (ownDelay !== null) setDelay(decision, hostKey, ownDelay);
}

/**
 * Moves the position from which an input is read. An event for another group is only a record. The commit holds the
 * new position.
 */
function decideSeek(decision: Decision, { payload }: Control): void {
  const { state, sought } = decision;
  const to = seekPayload(payload);
  if (to === null) return;
  // Records before that position were not read.
  if (state.inputEpochs[to.topic] >= 0) decision.emit({ kind: 'inputEpoch', topic: to.topic, epoch: -1 });
  state.positions[to.topic] = { offset: to.offset, slice: 0 };
  sought.add(to.topic);
}

/** An event about a trap, from an operator or from a consumer that has found one. */
function decideTrapEvent(decision: Decision, { kind, hostKey, payload }: Control): void {
  const trap = trapPayload(payload);
  if (trap === null) {
    decision.tally('unknownControls');
    return;
  }
  const { pattern, detail } = trap;
  const stands = decision.state.traps.of(hostKey).trapped.some((one) => one.pattern === pattern);
  if (kind === 'releaseTrap' && stands) decision.emit({ kind, hostKey, pattern });
  if (kind === 'trap' && !stands) setTrap(decision, hostKey, { pattern, reason: 'operator', detail });
}

/** The content dedup sees duplicates on other hosts, and near-duplicates; the policy says how many are too many. */
function decideDuplicates(decision: Decision, { hostKey, payload }: Control): void {
  const counted = duplicatesPayload(payload);
  if (counted === null) {
    decision.tally('unknownControls');
    return;
  }
  decideVerdicts(decision, hostKey, counted.urls);
  const config = decision.policy?.config.traps;
  if (config === undefined || config.wasteFetches === null) return;
  for (const { prefix, pages, duplicates } of counted.prefixes) {
    if (pages < config.wasteFetches || duplicates < config.wasteShare * pages) continue;
    const { trapped, released } = decision.state.traps.of(hostKey);
    const pattern = siblingsOf(prefix);
    if ([...released, ...trapped].some((one) => one.pattern === pattern)) continue;
    const detail = `${duplicates} of ${pages} pages are duplicates of others`;
    setTrap(decision, hostKey, { pattern, reason: 'duplicateContent', detail });
  }
}

/** A Crawl-delay above the cap is treated as a hold on the host: otherwise the crawl would wait for it. */
function holdBehindBlock({ state, policy }: Decision, hostKey: string): HostHold {
  const facts = state.hosts.get(hostKey)?.facts ?? newHostFacts;
  const isHeld = policy !== null && isCrawlDelayTooLong(facts.crawlDelayMs, policy.hostSettings(hostKey));
  return (facts.hold === 'blocked' || facts.hold === 'paused') && isHeld ? 'crawlDelay' : '';
}

/**
 * No host asks for a longer delay than Retry-After may: a later time comes from a wrong clock, and the host is ready
 * now. A pause outlasts the trouble that it came from.
 */
function believedReadyAt({ state, policy, nowMs }: Decision, hostKey: string) {
  const facts = state.hosts.get(hostKey)?.facts ?? newHostFacts;
  const { readyAtMs } = facts;
  const settings = policy?.hostSettings(hostKey);
  const politeMs = settings === undefined ? 0 : politeDelayMs(settings, facts);
  const longestMs = Math.max(politeMs, rangeLimits.retryAfterMsMax, ...(settings?.retriesMs ?? []));
  const isBelieved = readyAtMs <= nowMs + longestMs;
  if (!isBelieved) return { readyAtMs: nowMs + politeMs, returns: 0 };
  const isPaused = isTroubled(facts) && readyAtMs > nowMs;
  return { readyAtMs, returns: isPaused ? Math.max(1, facts.returns) : facts.returns };
}

function isPurged({ state }: Decision, hostKey: string): boolean {
  return state.hosts.get(hostKey)?.facts.hold === 'purged';
}
