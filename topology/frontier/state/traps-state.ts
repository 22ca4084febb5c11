/**
 * Traps of a partition: the active ones, by host, and the summaries from which new ones are detected.
 *
 * Active traps are state like everything else: changes create and release them, the checkpoint and the digest contain
 * them, and none is ever dropped. Summaries are not state: they follow from the changes since the newest claim and
 * start over with it, at an owner and in a replay alike. So no restart has to read, and no save to write, kilobytes a
 * host. The price: after a claim, a partly detected trap is detected later.
 *
 * Memory: summaries of the `summariesMax` hosts met last, 1–2 kB each, 20 at worst; active traps take 200 B each.
 */

import { isFeedSignature } from '../../content/feed-signature.ts';
import type { HostTraps } from '../../policy/traps/active-traps.ts';
import { addTrap, noTraps, releaseTrap } from '../../policy/traps/active-traps.ts';
import type { TrapEvent } from '../../policy/traps/step.ts';
import { stepSummary } from '../../policy/traps/step.ts';
import type { Trap, TrapSummary } from '../../policy/traps/summary.ts';
import { emptySummary } from '../../policy/traps/summary.ts';
import { trapLimits } from '../../policy/traps/trap-limits.ts';
import { variantsAmong } from '../../policy/traps/variants.ts';
import type { UrlRecord } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import { isTrapQueue, trapQueueFirst, trapQueues } from '../queues/held-queues.ts';

export interface ActiveTrap extends Trap {
  /** Queue in which its URLs wait. */
  readonly frontQueue: number;
}

const noUrls: ReadonlySet<string> = new Set();

export class TrapsState {
  /** Whether the current policy detects traps. */
  on = false;
  /** By host key; hosts without a trap are absent. */
  readonly active = new Map<string, HostTraps<ActiveTrap>>();
  /** By host key; the most recent host is last. */
  readonly #summaries = new Map<string, TrapSummary>();

  of(hostKey: string): HostTraps<ActiveTrap> {
    return this.active.get(hostKey) ?? noTraps;
  }

  summary(hostKey: string): TrapSummary | undefined {
    return this.#summaries.get(hostKey);
  }

  /** `known`: number of the host's URLs so far; no summary is made for the first few. */
  learn(hostKey: string, known: number, events: readonly TrapEvent[]): void {
    let summary = this.#summaries.get(hostKey);
    if (summary === undefined && known < trapLimits.admittedBefore) return;
    for (const event of events) summary = stepSummary(summary ?? emptySummary, event);
    if (summary === undefined) return;
    this.#summaries.delete(hostKey);
    this.#summaries.set(hostKey, summary);
    if (this.#summaries.size <= trapLimits.summariesMax) return;
    for (const oldest of this.#summaries.keys()) {
      this.#summaries.delete(oldest);
      return;
    }
  }

  /** Of the URLs of a lease, those with texts to compare: they may be variants of few pages. */
  textsToCompare(hostKey: string, urls: readonly string[]): ReadonlySet<string> {
    const summary = this.#summaries.get(hostKey);
    return summary === undefined ? noUrls : variantsAmong(summary, urls);
  }

  /** Call at a claim: drops the summaries. */
  forget(): void {
    this.#summaries.clear();
  }

  add(hostKey: string, trap: ActiveTrap): void {
    this.#set(hostKey, addTrap(this.of(hostKey), trap));
  }

  /** Forgets the host. */
  drop(hostKey: string): void {
    this.active.delete(hostKey);
    this.#summaries.delete(hostKey);
  }

  /** The trap, if it was active. */
  release(hostKey: string, pattern: string): ActiveTrap | undefined {
    const traps = this.of(hostKey);
    this.#set(hostKey, releaseTrap(traps, pattern));
    return traps.trapped.find((trap) => trap.pattern === pattern);
  }

  /** A front queue for one more trap: a free one, else that of the first released trap without URLs. */
  freeFrontQueue(hostKey: string, isEmpty: (frontQueue: number) => boolean): number | undefined {
    const { trapped, released } = this.of(hostKey);
    if (trapped.length >= trapLimits.trapsMax) return undefined;
    const used = new Set([...trapped, ...released].map(({ frontQueue }) => frontQueue));
    for (let frontQueue = trapQueueFirst; frontQueue < trapQueueFirst + trapQueues; frontQueue++)
      if (!used.has(frontQueue)) return frontQueue;
    return released.find(({ frontQueue }) => isEmpty(frontQueue))?.frontQueue;
  }

  /** For the checkpoint: a row holds all of a host. */
  save(hostKey: string): string {
    const { trapped, released } = this.of(hostKey);
    return JSON.stringify({ trapped: trapped.map(toRow), released: released.map(toRow) });
  }

  load(hostKey: string, json: string): void {
    const { trapped, released } = JSON.parse(json) as HostTraps<TrapRow>;
    this.active.set(hostKey, { trapped: trapped.map(fromRow), released: released.map(fromRow) });
  }

  #set(hostKey: string, traps: HostTraps<ActiveTrap>): void {
    this.active.set(hostKey, traps);
  }
}

/**
 * Trap events of admitted entries. Entries in a trap are no further evidence. Entries linked from another site never
 * count; otherwise, anybody could stop the crawl of a site by linking to its URLs.
 */
export function admittedEvents(entries: readonly Entry[]): TrapEvent[] {
  const events: TrapEvent[] = [];
  for (const { url, depth, frontQueue, isForeign } of entries)
    if (!isTrapQueue(frontQueue) && isForeign !== true) events.push({ kind: 'admitted', url, depth });
  return events;
}

/** Trap events of an answer. `entry`: as it was on its lease, if it was on one. */
export function fetchedEvents(
  entry: Entry | null | undefined,
  record: UrlRecord,
  textSignature: string | undefined,
): TrapEvent[] {
  if (entry?.isForeign === true) return [];
  const { url, httpStatus, contentHash, soft404, barren } = record;
  const isWaste = soft404 || barren === true;
  const event = { kind: 'fetched', url, status: httpStatus, contentHash, isWaste } as const;
  return [textSignature === undefined || isFeedSignature(textSignature) ? event : { ...event, textSignature }];
}

/** Rows keep the first name of the field, so that earlier versions can read them. */
type TrapRow = Omit<ActiveTrap, 'frontQueue'> & { readonly band: number };

function toRow({ frontQueue, ...trap }: ActiveTrap): TrapRow {
  return { ...trap, band: frontQueue };
}

function fromRow({ band, ...trap }: TrapRow): ActiveTrap {
  return { ...trap, frontQueue: band };
}
