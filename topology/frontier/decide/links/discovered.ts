/**
 * Discovered URLs: policy, then the seen test, then the host's queue.
 *
 * A message too large for one commit is taken in slices: the position then names the next link within it.
 */
import type { Discovered, LinkGroup } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { hostKeyOf } from '../../../url/host-key.ts';
import { isSpellingOf } from '../../../url/spelling.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { payloadOfText } from '../../pull/payload.ts';
import { budgetQueue } from '../../queues/held-queues.ts';
import { seenVerdicts } from '../../seen/seen-test.ts';
import type { FrontierState } from '../../state/state.ts';
import { type Decision, type LinkVerdict, timedOneIn } from '../decision.ts';
import { revived } from '../politeness.ts';
import { noteAdmitted } from '../trace-events.ts';
import { Admission } from './admission.ts';
import { isOfAnotherSite } from './another-site.ts';
import { type Arrival, acceptLink } from './arrival.ts';
import { countReferrer, isBeyondBudget, linkingDomains } from './budgets.ts';
import type { Growth } from './growth.ts';
import { dropOf, isFull } from './queue-room.ts';
import { isBeyondShare } from './queue-share.ts';
import { decideRefresh, isPush } from './refresh.ts';
import { scoreInputs } from './score-inputs.ts';
import { queueOfSource } from './source-queue.ts';
import { tagNumber } from './tags.ts';
import { trapAt } from './traps.ts';

/**
 * Takes links from number `from` on; returns the number of the next one, or 'done'. It stops at a full commit, and
 * before a link that the seen test cannot answer yet (the question has then been asked). `to`: it stops before this
 * one, at the latest.
 */
export function decideDiscovered(
  decision: Decision,
  policy: Policy,
  message: Discovered,
  from: number,
  growth: Growth,
  to: number = Number.POSITIVE_INFINITY,
): number | 'done' {
  let number = 0;
  const admission = new Admission(decision, policy.config);
  for (const group of message.groups) {
    if (number + group.links.length <= from) {
      number += group.links.length;
      continue;
    }
    for (let i = Math.max(0, from - number); i < group.links.length; i++) {
      const isCommitFull = decision.bytes + admission.bytes > frontierLimits.commitBytesSoft;
      if (number + i >= to || isCommitFull || isQueueFull(decision, policy, admission)) {
        admission.flush();
        return number + i;
      }
      const verdict = arrive(decision, policy, admission, group, i, growth);
      if (verdict === null) {
        admission.flush();
        return number + i;
      }
      decision.onArrival?.(verdict);
    }
    number += group.links.length;
  }
  admission.flush();
  return 'done';
}

/** `discovered` waits then, in the middle of a message too: one page may hold more links than the queue has room for. */
function isQueueFull({ state }: Decision, { config }: Policy, admission: Admission): boolean {
  const { queued, retrying } = state.counters;
  if (!isFull({ queued: queued + admission.size, retrying }, state.shares.opened, config)) return false;
  // Gathered URLs of a held host take up no room.
  admission.flush();
  return isFull(state.counters, state.shares.opened, config);
}

/** Decides one link. Returns null, without any change, if the seen test has no answer yet. */
function arrive(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  group: LinkGroup,
  index: number,
  growth: Growth,
): LinkVerdict | null {
  const arrival = acceptLink(decision, policy, group, index);
  if (arrival === null) return 'refused';
  const { hostKey, hi, lo, cash } = arrival;
  const seen = admission.holds(hostKey, hi, lo) ? seenVerdicts.seen : decision.state.seen.test(hi, lo);
  if (seen === seenVerdicts.unknown) {
    decision.state.seen.ask(hi, lo);
    decision.asks = true;
    return null;
  }
  const known = seen === seenVerdicts.seen;
  noteLink(decision, policy, admission, arrival, known, growth);
  decision.tally('discovered');
  if (known && isDuplicate(decision, policy, arrival)) {
    if (cash > 0) admission.payments.pay(cash, false, hi, lo);
    decision.tally('duplicates');
    return 'known';
  }
  // While the queue may be full for some front queues, every URL counts.
  if (policy.config.whenFull === 'dropLowest') admission.flush();
  const frontQueue = queueByPriority(decision, policy, arrival);
  if (!hasRoom(decision, policy, admission, arrival, frontQueue)) return 'dropped';
  reviveHost(decision, arrival);
  const place = placeIn(decision, policy, admission, arrival, frontQueue);
  if (place === null) return 'dropped';
  admit(decision, policy, admission, arrival, known, place);
  return known ? 'known' : 'new';
}

/** Counts a link even if its target is not admitted: the domain that links to the host, and the sighting of the URL. */
function noteLink(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  arrival: Arrival,
  known: boolean,
  growth: Growth,
): void {
  const { group, hostKey, hi, lo } = arrival;
  const { sourceUrl, sourceKey } = group;
  const isReferred =
    policy.countsReferrers && sourceUrl !== '' && countReferrer(decision, sourceKey || hostKeyOf(sourceUrl), hostKey);
  // The budget has grown: earlier URLs over it must wait before this one.
  if (isReferred && policy.config.budget !== undefined) admission.flush();
  if (policy.countsLinks && sourceUrl !== '') admission.noteFound(hi, lo);
  if (!policy.scores || !(isReferred || known)) return;
  const host = decision.state.hosts.get(hostKey);
  if (host !== undefined && (isReferred || grows(decision.state, policy, arrival))) growth.note(host);
}

/** Handles a known URL. If a refetch is requested, the URL gets a new due time; otherwise nothing changes. */
function isDuplicate(decision: Decision, policy: Policy, arrival: Arrival): boolean {
  const { group, link, hi, lo, forced } = arrival;
  if (decideRefresh(decision, policy, group.intent, arrival, link, [hi, lo])) return true;
  return !forced && !isPush(group.intent, link);
}

/** The front queue: as the sender says, or by cash, by score, or by depth and spelling. */
function queueByPriority(decision: Decision, policy: Policy, arrival: Arrival): number {
  const { group, link } = arrival;
  if (group.front) return 0;
  if (link.priority >= 0) return Math.min(link.priority, frontQueueCount - 1);
  return Math.max(ownQueue(decision, policy, arrival), queueOfSource(decision, policy, group));
}

/** The front queue of a new URL: by overlay, cash, score, or depth and spelling. */
function ownQueue(decision: Decision, policy: Policy, arrival: Arrival): number {
  const { group, link, url, hostKey, plainQueue, hi, lo } = arrival;
  if (!policy.byCash && !policy.scores) return plainQueue;
  const given = policy.givenQueueOf(url);
  if (given !== null) return given;
  const { cash, hosts, inLinks } = decision.state;
  const held = policy.cash === null ? null : cash.heldBy(hi, lo) + arrival.cash;
  if (policy.byCash) return cash.frontQueueOf(held!, plainQueue);
  const inputs = scoreInputs(
    group,
    link.lastModifiedMs,
    url,
    hosts.get(hostKey)?.facts,
    1 + inLinks.countOf(hi, lo),
    linkingDomains(decision, hostKey),
    held === null ? null : cash.shareOf(held),
  );
  return policy.frontQueueOf(url, inputs);
}

/** Returns whether there is room within the limits of the partition's queue and of the host; counts a refusal. */
function hasRoom(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  { hostKey, forced }: Arrival,
  frontQueue: number,
): boolean {
  if (forced) return true;
  const { counters, shares, hosts } = decision.state;
  const hostQueued = (hosts.get(hostKey)?.queue.size ?? 0) + admission.sizeOf(hostKey);
  const { urlsPerHostMax } = policy.hostSettings(hostKey);
  const dropped = dropOf(counters, shares.opened, policy.config, urlsPerHostMax, hostQueued, frontQueue);
  if (dropped !== null) decision.tally(dropped);
  return dropped === null;
}

/**
 * A dead host gets one more retry schedule when its verdict has run out, or when an operator forces one of its URLs.
 */
function reviveHost(decision: Decision, { hostKey, forced }: Arrival): void {
  const host = decision.state.hosts.get(hostKey);
  if (host === undefined || host.deadUntilMs === 0 || !(forced || host.deadUntilMs <= decision.nowMs)) return;
  decision.emit({ kind: 'host', hostKey, facts: revived(host.facts) });
}

/**
 * The front queue of the URL: the one of its trap, the one for URLs beyond a budget or their host's share, or the one
 * of its priority. Null: its host has its share, and the policy drops what exceeds it.
 */
function placeIn(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  { group, url, hostKey, forced }: Arrival,
  frontQueue: number,
): number | null {
  if (forced) return frontQueue;
  const { traps, budget, whenFull } = policy.config;
  const trap = traps === undefined ? null : trapAt(decision, traps, hostKey, url);
  if (trap !== null) {
    decision.tally('trapped');
    return trap.frontQueue;
  }
  const isSeed = group.sourceUrl === '' && group.depth === 0;
  if (isSeed) return frontQueue;
  if (budget !== undefined || decision.state.shares.on) admission.turnTo(hostKey);
  if (isBeyondShare(decision, policy.config, hostKey, admission.frontOf(hostKey))) {
    decision.tally(whenFull === 'dropLowest' ? 'hostFull' : 'overShare');
    return whenFull === 'dropLowest' ? null : budgetQueue;
  }
  const isBeyond = budget !== undefined && isBeyondBudget(decision, budget, hostKey, admission.atFullRate(hostKey));
  return isBeyond ? budgetQueue : frontQueue;
}

function admit(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  { group, link, url, hostKey, hi, lo, isVariant, cash }: Arrival,
  known: boolean,
  frontQueue: number,
): void {
  const { depth, hop, sourceUrl } = group;
  const plain = { url, depth, hop, attempts: 0, expiries: 0, frontQueue };
  const own = group.payload === '' ? plain : { payload: payloadOfText(decision.nowMs, group.payload), ...plain };
  const isForeign = policy.config.traps !== undefined && isOfAnotherSite(sourceUrl, hostKey);
  const tags = tagNumber(decision, group.tags);
  const tagged = tags === undefined ? own : { tags, ...own };
  const { spelling } = link;
  const isSpelt =
    isVariant || (spelling !== '' && policy.fetchesAsFound(url) && isSpellingOf(spelling, url, policy.normalize));
  const asked = isSpelt ? { spelling, ...tagged } : tagged;
  admission.add(hostKey, known, isForeign ? { isForeign, ...asked } : asked, hi, lo);
  if (policy.tracing?.traces(hostKey, lo) === true)
    noteAdmitted(decision, group, known, { url, hostKey, frontQueue, hi, lo });
  if (!known && (lo & (timedOneIn - 1)) === 0) decision.timed.push({ url, foundAtMs: foundAt(group, decision.nowMs) });
  if (cash > 0) admission.payments.pay(cash, !known, hi, lo);
  if (!known && policy.config.recrawl?.hubs !== undefined) admission.gains.note(group, frontQueue);
}

/** Clocks differ, and foreign producers may write any number. */
function foundAt({ discoveredAtMs }: Pick<LinkGroup, 'discoveredAtMs'>, nowMs: number): number {
  return discoveredAtMs > 0 && discoveredAtMs <= nowMs ? discoveredAtMs : nowMs;
}

/** Is a known URL worth a better front queue, if it waits, for one more link and the cash it brings? */
function grows(state: FrontierState, policy: Policy, { hi, lo, cash }: Arrival): boolean {
  if (cash > 0) {
    const held = state.cash.heldBy(hi, lo);
    return state.cash.frontQueueOf(held + cash, 0) < state.cash.frontQueueOf(held, 0);
  }
  if (!policy.countsLinks) return false;
  // Scores use the logarithm of sightings, so a new score is due at each power of two.
  const discoveries = 1 + state.inLinks.countOf(hi, lo);
  return (discoveries & (discoveries - 1)) === 0;
}
