/**
 * Finds the events of one URL in the changelog of its partition. It uses the fold of `explain`
 * (frontier/ask/url-timeline.ts), event by event, and adds the reason why a link was not admitted, and the policy
 * versions by time.
 *
 * A commit that cannot concern the URL is skipped by its header: it does not name the host, ends none of its leases,
 * takes none of the URL's links and switches no policy.
 */

import type { UrlEvent } from '../frontier/ask/url-events.ts';
import { UrlTimeline } from '../frontier/ask/url-timeline.ts';
import type { Claim, Commit } from '../frontier/changes/changelog.ts';
import type { TallyName } from '../frontier/changes/changes.ts';
import { foldsInto } from '../frontier/decide/links/fold.ts';
import type { Policy } from '../policy/policy.ts';
import type { Discoveries } from './discoveries.ts';
import type { Subject } from './record-events.ts';
import { seconds } from './record-events.ts';
import type { TimelineEvent, TimelineKind, UnversionedEvent } from './timeline-event.ts';

export class CommitEvents {
  readonly timeline: UrlTimeline;
  readonly #partition: number;
  readonly #discoveries: Discoveries;
  readonly #policyOf: (version: number, json: string) => Policy | null;
  #policy: Policy | null = null;
  #policyVersion = 0;
  /** The start of each policy version, in order. */
  readonly #versions: { readonly version: number; readonly atMs: number }[] = [];
  readonly #events: TimelineEvent[] = [];
  #admitted = 0;
  #isKnown = false;

  /** `policyOf` returns null for a policy that can no longer be compiled. */
  constructor(
    subject: Subject,
    partition: number,
    discoveries: Discoveries,
    policyOf: (version: number, json: string) => Policy | null,
  ) {
    this.#partition = partition;
    this.#discoveries = discoveries;
    this.#policyOf = policyOf;
    this.timeline = new UrlTimeline(subject.hostKey, subject.url, (event) => this.#note(event), subject.normalize);
  }

  /** Returns the events of this record. `namesHost`: true if its bytes contain the URL's host key. */
  take(offset: number, record: Claim | Commit, namesHost: boolean): TimelineEvent[] {
    if (record.kind === 'claim') {
      this.timeline.take(offset, record);
      return this.#events.splice(0);
    }
    const range = record.inputs.find(({ topic }) => topic === 'discovered');
    const takesLinks = range !== undefined && this.#discoveries.has(range);
    const switches = record.policyVersion !== this.#policyVersion;
    const isAbout = takesLinks || switches || this.timeline.concerns(namesHost);
    const before = this.#isKnown;
    this.#admitted = 0;
    const tallies = new Set<TallyName>();
    const changes = isAbout ? [...record.changes] : [];
    if (!this.timeline.take(offset, { ...record, changes })) return [];
    for (const change of changes) {
      if (change.kind === 'count') tallies.add(change.counter);
      if (change.kind === 'policy') this.#policy = this.#policyOf(change.version, change.json);
    }
    if (switches) this.#versions.push({ version: record.policyVersion, atMs: record.nowMs });
    this.#policyVersion = record.policyVersion;
    const events = this.#events.splice(0);
    if (!takesLinks) return events;
    const { nowMs: atMs, policyVersion } = record;
    const { equivalences } = this.timeline.verdicts;
    const foldedInto = (url: string) => this.#policy && foldsInto(this.#policy, equivalences, url);
    const deciding = { partition: this.#partition, offset, atMs, tallies, policy: this.#policy, foldedInto };
    const verdicts = this.#discoveries.decide(range, { ...deciding, admitted: this.#admitted, wasKnown: before });
    return [...verdicts.map((event) => ({ ...event, policyVersion })), ...events];
  }

  /** An event of another topic, with the policy that was in force. */
  versioned(event: UnversionedEvent): TimelineEvent {
    const since = this.#versions.findLast(({ atMs }) => atMs <= event.atMs);
    return { ...event, policyVersion: since?.version ?? 0 };
  }

  #note(event: UrlEvent): void {
    if (event.kind === 'admitted') {
      this.#admitted += 1;
      this.#isKnown = true;
    }
    if (event.kind === 'cameTo' && event.status !== 'again') this.#isKnown = true;
    if (event.kind === 'purged') this.#isKnown = false;
    const { offset, atMs, policyVersion } = event;
    const [kind, text, details] = textOf(event, this.timeline);
    const topic = 'frontier-changelog';
    this.#events.push({ kind, topic, partition: this.#partition, offset, atMs, policyVersion, text, details });
  }
}

function textOf(event: UrlEvent, timeline: UrlTimeline): [TimelineKind, string, TimelineEvent['details']] {
  switch (event.kind) {
    case 'admitted': {
      const { frontQueue, depth, hop, isNew } = event;
      const trap = timeline.trapOf(frontQueue);
      const where =
        trap !== undefined
          ? `, deferred: in trap ${trap.pattern} (${trap.reason})`
          : timeline.isHeld(frontQueue)
            ? ', deferred: its budget is spent'
            : `, front queue ${frontQueue}`;
      return [
        'admitted',
        `${isNew ? 'admitted' : 'admitted again, forced'}${where}`,
        { frontQueue, depth, hop, isNew },
      ];
    }
    case 'leased': {
      const { leaseId, deadlineMs, index, atMs } = event;
      const text = `on lease ${leaseId}, URL ${index + 1} of the lease, for at most ${seconds(deadlineMs - atMs)}`;
      return ['leased', text, { leaseId, index, deadlineMs }];
    }
    case 'cameTo': {
      const { leaseId, status, outcome, httpStatus, attempts, dueAtMs, atMs } = event;
      const details = { leaseId, status, outcome, httpStatus, attempts, dueAtMs };
      const wait = dueAtMs > atMs ? `in ${seconds(dueAtMs - atMs)}` : 'at once';
      if (status === 'again') return ['again', `returned to the queue, due ${wait}, attempts ${attempts}`, details];
      if (status === 'known') return ['ended', 'imported as already known: never fetched by this crawl', details];
      const next = dueAtMs > 0 ? `; refetch ${wait}` : '';
      return ['ended', `done: ${status} (${outcome}${httpStatus > 0 ? ` ${httpStatus}` : ''})${next}`, details];
    }
    case 'raised':
      return ['raised', 'raised: first in the queue of its host', {}];
    case 'lowered':
      return [
        'lowered',
        `lowered: moved to the end of front queue ${event.frontQueue}`,
        { frontQueue: event.frontQueue },
      ];
    case 'moved': {
      const { from, frontQueue } = event;
      const trap = timeline.trapOf(frontQueue);
      const to = trap === undefined ? `to front queue ${frontQueue}` : `into trap ${trap.pattern} (${trap.reason})`;
      return ['moved', `moved from front queue ${from} ${to}`, { from, frontQueue }];
    }
    case 'due': {
      const { dueAtMs, fromSitemap, atMs } = event;
      const when = dueAtMs > atMs ? `in ${seconds(dueAtMs - atMs)}` : 'now';
      return ['due', `due ${when}${fromSitemap ? ', from a sitemap' : ''}`, { dueAtMs }];
    }
    case 'leaseEnded':
      return [
        'leaseEnded',
        `lease ${event.leaseId} ended when the partition changed its owner: the URL is queued again`,
        { leaseId: event.leaseId },
      ];
    case 'purged':
      return ['purged', 'purged: its data is deleted, and links to it are rejected', {}];
    case 'trapReleased':
      return ['trapReleased', `the trap ${event.pattern} was released: the URL is queued`, { pattern: event.pattern }];
  }
}
