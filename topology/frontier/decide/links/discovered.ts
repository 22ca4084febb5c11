/**
 * Discovered URLs: policy, then the seen test, then the host's queue.
 *
 * A message too large for one commit is taken in slices: the position then names the next link within it.
 */
import type { Discovered, LinkGroup } from '../../../../schemas/types.ts';
import type { Policy, PolicyConfig } from '../../../policy/policy.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { hostKeyOf } from '../../../url/host-key.ts';
import type { TallyName } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { budgetQueue } from '../../queues/held-queues.ts';
import { seenVerdicts } from '../../seen/seen-test.ts';
import type { FrontierState } from '../../state/state.ts';
import { admittedEvents } from '../../state/traps-state.ts';
import type { Decision } from '../decision.ts';
import { noteAdmitted } from '../trace-events.ts';
import { isOfAnotherSite } from './another-site.ts';
import { countReferrer, isBeyondBudget, linkingDomains, spendBudget } from './budgets.ts';
import { cashPerLink, Payments } from './cash.ts';
import type { Growth } from './growth.ts';
import { dropOf } from './queue-room.ts';
import { isBeyondShare } from './queue-share.ts';
import { decideRefresh, isPush } from './refresh.ts';
import { scoreInputs } from './score-inputs.ts';
import { noticeTraps, trapAt } from './traps.ts';

/**
 * Takes links from number `from` on; returns the number of the next one, or 'done'. It stops where the commit is full, and
 * before a link of which the seen test cannot tell yet: that one has been asked. `to`: it stops before this one, at the latest.
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
      if (number + i >= to || decision.bytes + admission.bytes > frontierLimits.commitBytesSoft) {
        admission.flush();
        return number + i;
      }
      if (arrive(decision, policy, admission, group, i, growth)) continue;
      admission.flush();
      return number + i;
    }
    number += group.links.length;
  }
  admission.flush();
  return 'done';
}

/** False, and nothing done, if the seen test cannot tell yet. */
function arrive(
  decision: Decision,
  policy: Policy,
  admission: Admission,
  group: LinkGroup,
  index: number,
  growth: Growth,
): boolean {
  const { state } = decision;
  const link = group.links[index]!;
  const { depth, hop, intent, sourceUrl } = group;
  const verdict = policy.admit(link.url, depth, hop, {
    depth,
    hop,
    intent,
    sourceUrl,
    lastModifiedMs: link.lastModifiedMs,
  });
  if (!verdict.ok) {
    decision.tally('discovered');
    decision.tally(tallyOf(verdict.rule, verdict.detail));
    return true;
  }
  const { url, hostKey } = verdict;
  if (!decision.isOurs(hostKey)) {
    if (decision.misrouted.link(group, hostKey, link)) decision.tally('misrouted');
    return true;
  }
  const { traps, budget } = policy.config;
  const forced = group.intent === 'force';
  const fingerprint = state.identityOf(hostKey, url);
  const [hi, lo] = [fingerprint[0]!, fingerprint[1]!];
  if (state.purge.on && state.purge.refuses(state.hosts, hostKey, hi, lo)) {
    decision.tally('discovered');
    decision.tally('purged');
    return true;
  }
  const seen = admission.holds(hostKey, hi, lo) ? seenVerdicts.seen : state.seen.test(hi, lo);
  if (seen === seenVerdicts.unknown) {
    state.seen.ask(hi, lo);
    decision.asks = true;
    return false;
  }
  const isReferred =
    budget !== undefined &&
    sourceUrl !== '' &&
    countReferrer(decision, group.sourceKey || hostKeyOf(sourceUrl), hostKey);
  decision.tally('discovered');
  const known = seen === seenVerdicts.seen;
  if (policy.countsLinks && sourceUrl !== '') admission.sight(hi, lo);
  const cash = policy.cash === null ? 0 : cashPerLink(group);
  if (policy.scores && (isReferred || known)) {
    const host = state.hosts.get(hostKey);
    if (host !== undefined && (isReferred || grows(state, policy, hi, lo, cash))) growth.note(host);
  }
  if (known && decideRefresh(decision, policy, intent, verdict, link, [hi, lo])) {
    if (cash > 0) admission.payments.pay(cash, false, hi, lo);
    decision.tally('duplicates');
    return true;
  }
  if (known && !forced && !isPush(intent, link)) {
    if (cash > 0) admission.payments.pay(cash, false, hi, lo);
    decision.tally('duplicates');
    return true;
  }
  // Of a queue that may be full for some front queues, every URL counts.
  if (policy.config.whenFull === 'dropLowest') admission.flush();
  const host = state.hosts.get(hostKey);
  const linking = budget === undefined ? null : linkingDomains(decision, hostKey);
  const frontQueue = group.front
    ? 0
    : link.priority >= 0
      ? Math.min(link.priority, frontQueueCount - 1)
      : policy.byCash
        ? state.cash.frontQueueOf(state.cash.heldBy(hi, lo) + cash, verdict.frontQueue)
        : policy.scores
          ? policy.frontQueueOf(
              url,
              scoreInputs(
                group,
                link.lastModifiedMs,
                url,
                host?.facts,
                1 + state.inLinks.countOf(hi, lo),
                linking,
                policy.cash === null ? null : state.cash.shareOf(state.cash.heldBy(hi, lo) + cash),
              ),
            )
          : verdict.frontQueue;
  const hostQueued = (host?.queue.size ?? 0) + admission.sizeOf(hostKey);
  const dropped = forced ? null : dropOf(state.counters, state.shares.opened, policy.config, hostQueued, frontQueue);
  if (dropped !== null) {
    decision.tally(dropped);
    return true;
  }
  if (host !== undefined && host.deadUntilMs > 0 && (forced || host.deadUntilMs <= decision.nowMs)) {
    // The verdict has run out, or an operator knows better: one more schedule for the host, from its last step.
    const facts = { ...host.facts, deadUntilMs: 0, failures: Math.max(0, host.facts.failures - 1) };
    decision.emit({ kind: 'host', hostKey, facts });
  }
  const trap = traps === undefined || forced ? null : trapAt(decision, traps, hostKey, url);
  if (trap !== null) decision.tally('trapped');
  const isSeed = sourceUrl === '' && depth === 0;
  const defers = budget !== undefined && trap === null && !forced && !isSeed;
  const taken = admission.frontOf(hostKey);
  const isOver = trap === null && !forced && !isSeed && isBeyondShare(decision, policy.config, hostKey, taken);
  if (isOver && policy.config.whenFull === 'dropLowest') {
    decision.tally('hostFull');
    return true;
  }
  if (isOver) decision.tally('overShare');
  const isBeyond = isOver || (defers && isBeyondBudget(decision, budget, hostKey, admission.atFullRate(hostKey)));
  const own = {
    url,
    depth,
    hop,
    attempts: 0,
    expiries: 0,
    frontQueue: trap?.frontQueue ?? (isBeyond ? budgetQueue : frontQueue),
  };
  const isForeign = traps !== undefined && isOfAnotherSite(sourceUrl, hostKey);
  const entry: Entry = isForeign ? { ...own, isForeign } : own;
  admission.add(hostKey, known, entry, hi, lo);
  if (policy.tracing?.traces(hostKey, lo) === true) {
    noteAdmitted(decision, group, known, { url, hostKey, frontQueue: entry.frontQueue, hi, lo });
  }
  if (cash > 0) admission.payments.pay(cash, !known, hi, lo);
  return true;
}

/** Is a known URL worth a better front queue, if it waits, for one more link and the cash it brings? */
function grows(state: FrontierState, policy: Policy, hi: number, lo: number, cash: number): boolean {
  if (cash > 0) {
    const held = state.cash.heldBy(hi, lo);
    return state.cash.frontQueueOf(held + cash, 0) < state.cash.frontQueueOf(held, 0);
  }
  if (!policy.countsLinks) return false;
  // Scores go by the logarithm of sightings.
  const sightings = 1 + state.inLinks.countOf(hi, lo);
  return (sightings & (sightings - 1)) === 0;
}

function tallyOf(rule: string, detail: string): TallyName {
  if (rule === 'length' || (rule === 'normalize' && detail === 'length')) return 'tooLong';
  if (rule === 'scope') return 'outOfScope';
  if (rule === 'depth') return 'tooDeep';
  return rule === 'normalize' ? 'invalid' : 'filtered';
}

/** Entries gathered into one change: enough to share its cost, few enough to be searched one by one. */
const gatheredMax = 64;

/** Gathers neighbours of one host into one change; what it holds counts as seen. */
class Admission {
  readonly #decision: Decision;
  readonly #config: PolicyConfig;
  #hostKey = '';
  #known = false;
  #entries: Entry[] = [];
  /** Fingerprints of the entries, as pairs. */
  #fingerprints: number[] = [];
  /** Fingerprints of URLs that a link was sighted to, as pairs. */
  #sighted: number[] = [];
  readonly payments: Payments;
  #bytes = 0;

  constructor(decision: Decision, config: PolicyConfig) {
    this.#decision = decision;
    this.payments = new Payments(decision);
    this.#config = config;
  }

  get bytes(): number {
    return this.#bytes + this.payments.bytes;
  }

  holds(hostKey: string, hi: number, lo: number): boolean {
    if (hostKey !== this.#hostKey) return false;
    const fingerprints = this.#fingerprints;
    for (let at = 0; at < fingerprints.length; at += 2)
      if (fingerprints[at] === hi && fingerprints[at + 1] === lo) return true;
    return false;
  }

  /** Entries of a host that will be spent of its budget. */
  atFullRate(hostKey: string): number {
    return this.#known ? 0 : this.frontOf(hostKey);
  }

  /** Entries of a host that will wait in its front queues. */
  frontOf(hostKey: string): number {
    return hostKey === this.#hostKey
      ? this.#entries.reduce((sum, { frontQueue }) => sum + (frontQueue < frontQueueCount ? 1 : 0), 0)
      : 0;
  }

  sizeOf(hostKey: string): number {
    return hostKey === this.#hostKey ? this.#entries.length : 0;
  }

  add(hostKey: string, known: boolean, entry: Entry, hi: number, lo: number): void {
    if (hostKey !== this.#hostKey || known !== this.#known || this.#entries.length === gatheredMax) this.flush();
    this.#hostKey = hostKey;
    this.#known = known;
    this.#entries.push(entry);
    this.#fingerprints.push(hi, lo);
    this.#bytes += entry.url.length + 4;
  }

  sight(hi: number, lo: number): void {
    this.#sighted.push(hi, lo);
    this.#bytes += 10;
  }

  flush(): void {
    if (this.#sighted.length > 0) this.#decision.emit({ kind: 'linked', fingerprints: this.#sighted });
    this.#sighted = [];
    this.payments.flush();
    if (this.#entries.length > 0) {
      const { seen } = this.#decision.state;
      const { traps, budget } = this.#config;
      const spent = budget === undefined ? 0 : this.atFullRate(this.#hostKey);
      const [hostKey, known, entries, fingerprints] = [this.#hostKey, this.#known, this.#entries, this.#fingerprints];
      this.#decision.emit({ kind: 'admit', hostKey, known, entries, fingerprints });
      const errors = seen.takeErrors();
      if (errors > 0) this.#decision.tally('seenErrors', errors);
      if (traps !== undefined) noticeTraps(this.#decision, traps, hostKey, admittedEvents(entries));
      if (spent > 0) spendBudget(this.#decision, budget!, hostKey, spent);
    }
    this.#entries = [];
    this.#fingerprints = [];
    this.#bytes = 0;
  }
}
