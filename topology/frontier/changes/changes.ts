/**
 * Changes: what a decision did to a partition's state, one by one. The state is what they add up to: `apply` of
 * state.ts is the only way it ever changes, at the owner, at a standby and in a replay alike.
 *
 * A change carries results, not inputs of the decision: replaying needs no policy and no clock.
 */
import type { OutcomeKind, RobotsHop } from '../../../schemas/types.ts';
import type { TrapReason } from '../../policy/traps/summary.ts';
import type { InputTopic } from './changelog.ts';
import type { Entry } from './entry.ts';
import type { LoadRow } from './load-row.ts';
import type { PageRecord } from './page-record.ts';
import type { SitemapRound } from './sitemap-rounds.ts';
import type { Taken } from './taken-bytes.ts';

/** Why a host takes no leases; empty: it does. */
export type HostHold = '' | 'crawlDelay' | 'blocked' | 'limit' | 'purged';

/** What politeness and back-off know of a host. Times in ms since the Unix epoch, durations in ms. */
export interface HostFacts {
  /** Earliest next contact. */
  readonly readyAtMs: number;
  /** robots.txt Crawl-delay; -1: none known. */
  readonly crawlDelayMs: number;
  /** An operator's delay; -1: the policy's. */
  readonly ownDelayMs: number;
  /** An operator's limit on `pages`; -1: none. */
  readonly pagesMax: number;
  /** An operator's budget: URLs admitted at full rate. -1: the policy's. */
  readonly ownBudget: number;
  /** URLs that were answered for good, and those of them that were pages worth keeping. */
  readonly fetched: number;
  readonly pages: number;
  /** Smoothed duration of a fetch; 0: none yet. */
  readonly fetchMs: number;
  /** Leases in a row that failed because of the host itself: unreachable, or its robots.txt is. */
  readonly failures: number;
  /** Throttled answers (429, 503) and timeouts since the last good one. */
  readonly throttles: number;
  /** Leases in a row that came back with URLs not started. */
  readonly returns: number;
  /** URLs a lease may hold; 0: as many as the policy allows. */
  readonly leaseMax: number;
  readonly hold: HostHold;
  /** What was deferred beyond the budget may be drawn from. */
  readonly deferredOpen: boolean;
  /** Until when the host counts as dead: its URLs are dead-lettered. 0: it is alive. */
  readonly deadUntilMs: number;
}

export const newHostFacts: HostFacts = {
  readyAtMs: 0,
  crawlDelayMs: -1,
  ownDelayMs: -1,
  pagesMax: -1,
  ownBudget: -1,
  fetched: 0,
  pages: 0,
  fetchMs: 0,
  failures: 0,
  throttles: 0,
  returns: 0,
  leaseMax: 0,
  hold: '',
  deferredOpen: false,
  deadUntilMs: 0,
};

/** Where a URL stands when it leaves the frontier, for good or until it is due again. */
export type FinalStatus = 'page' | 'redirected' | 'denied' | 'failed' | 'dead';

/** What became of one URL of a lease. */
export type Disposition =
  | { readonly to: 'final'; readonly status: FinalStatus }
  /** Back into the queue, at the time due (0: at once). `retry`: it waits for its time, and costs an attempt. */
  | { readonly to: 'again'; readonly dueAtMs: number; readonly entry: Entry };

/** What is kept of a URL that was fetched or given up on. */
export interface UrlRecord {
  readonly url: string;
  readonly status: FinalStatus;
  readonly outcome: OutcomeKind;
  readonly httpStatus: number;
  readonly atMs: number;
  readonly attempts: number;
  readonly depth: number;
  readonly etag: string;
  readonly lastModified: string;
  readonly contentHash: string;
  /** The page says that it does not exist, with a status that says it does. */
  readonly soft404: boolean;
  /** It asks not to be indexed and led nowhere: nobody has anything from it. Absent: not so. */
  readonly barren?: true;
}

/** Where a URL is. `a`, `b`: of a lease its id and the index; of a front queue its number and the place; of `again` 0 and the place. */
export interface KnownFrom {
  readonly in: KnownPlace;
  readonly a: number;
  readonly b: number;
}
export const knownPlaces = ['new', 'lease', 'frontQueue', 'again', 'done', 'forgotten'] as const;
export type KnownPlace = (typeof knownPlaces)[number];
/** Where a URL was: `a`, `b` as of `KnownFrom`. */
export interface PurgedFrom {
  readonly in: (typeof purgePlaces)[number];
  readonly a: number;
  readonly b: number;
}
export const purgePlaces = ['nowhere', 'lease', 'frontQueue', 'again'] as const;

/** The same of any URL that is not to be admitted again. 'known': from another crawler; it was never admitted here. */
export type KnownUrl = Omit<UrlRecord, 'status'> & { readonly status: FinalStatus | 'known' };

export type Change =
  /**
   * URLs of one host that pass the seen test (`known`: they were seen, an operator forces them). `fingerprints`: their
   * fingerprints, as pairs, where they are at hand; not in the changelog, a replay computes them.
   */
  | {
      readonly kind: 'admit';
      readonly hostKey: string;
      readonly known: boolean;
      readonly entries: readonly Entry[];
      readonly fingerprints?: readonly number[];
    }
  /** Arrivals that were not admitted, and other tallies. */
  | { readonly kind: 'count'; readonly counter: TallyName; readonly by: number }
  /**
   * A lease: `again` URLs from the head of what came back, then from the front queues as listed. One without URLs is for the
   * first robots.txt hop that waits.
   */
  | {
      readonly kind: 'grant';
      readonly leaseId: number;
      readonly hostKey: string;
      readonly again: number;
      readonly frontQueues: readonly (readonly [frontQueue: number, count: number])[];
      readonly deadlineMs: number;
      readonly delayMs: number;
    }
  /** The same, with the first `due` of the URLs that are to be visited again before all others. */
  | {
      readonly kind: 'grantDue';
      readonly due: number;
      readonly leaseId: number;
      readonly hostKey: string;
      readonly again: number;
      readonly frontQueues: readonly (readonly [frontQueue: number, count: number])[];
      readonly deadlineMs: number;
      readonly delayMs: number;
    }
  /** A lease without URLs, for its host's sitemaps. */
  | {
      readonly kind: 'grantSitemaps';
      readonly leaseId: number;
      readonly hostKey: string;
      readonly again: number;
      readonly frontQueues: readonly (readonly [frontQueue: number, count: number])[];
      readonly deadlineMs: number;
      readonly delayMs: number;
    }
  /** A host's sitemaps are read at another time. */
  | { readonly kind: 'sitemaps'; readonly hostKey: string; readonly round: SitemapRound }
  /**
   * The URL at `index` of a lease (0: of none, it has just been finished) will be visited again. `spent`: it counts
   * against the page quota. `proved`: whether what a sitemap said of it was so; null: none had said anything.
   */
  | {
      readonly kind: 'visit';
      readonly hostKey: string;
      readonly leaseId: number;
      readonly index: number;
      readonly dueAtMs: number;
      readonly spent: boolean;
      readonly proved: boolean | null;
      readonly page: PageRecord;
    }
  /**
   * A URL that is to be visited again is due at another time. `told`: because a sitemap says so. Of one that is on lease it
   * says that somebody asked for a fetch meanwhile, and the change that ends its visit has it due at once.
   */
  | {
      readonly kind: 'due';
      readonly hostKey: string;
      readonly url: string;
      readonly dueS: number;
      readonly told: boolean;
    }
  /** What a visit costs from now on (recrawl/recrawl-state.ts). */
  | { readonly kind: 'price'; readonly price: number; readonly atMs: number }
  /** The URL at `index` of a lease has its outcome. `record` is kept where it is final. */
  | {
      readonly kind: 'resolve';
      readonly leaseId: number;
      readonly index: number;
      readonly disposition: Disposition;
      readonly record: UrlRecord | null;
    }
  /** A lease is over; `expired`: by its deadline. Every index was resolved before. */
  | { readonly kind: 'release'; readonly leaseId: number; readonly expired: boolean }
  | { readonly kind: 'host'; readonly hostKey: string; readonly facts: HostFacts }
  /** A host may be on `most` leases at once; `own`: by an operator's word, -1: by the policy's. */
  | { readonly kind: 'hostSlots'; readonly hostKey: string; readonly own: number; readonly most: number }
  /** A lease of a host with several has ended: its slot may be used again from `readyAtMs` on. */
  | { readonly kind: 'hostSlot'; readonly hostKey: string; readonly readyAtMs: number }
  /** The URL at `seq` of a front queue leaves it, and goes to the end of another one, as `entry`. */
  | {
      readonly kind: 'raise';
      readonly hostKey: string;
      readonly frontQueue: number;
      readonly seq: number;
      readonly entry: Entry;
    }
  /** The URL at `seq` of a front queue (null: of what came back) leaves it, and goes before all else of its host, as `entry`. */
  | {
      readonly kind: 'expedite';
      readonly hostKey: string;
      readonly frontQueue: number | null;
      readonly seq: number;
      readonly entry: Entry;
    }
  /** A hop of another host's robots.txt waits for a lease of this one. */
  | { readonly kind: 'robotsHop'; readonly hostKey: string; readonly hop: RobotsHop }
  /** The first URL of a dead host's queue is given up on. */
  | { readonly kind: 'abandon'; readonly hostKey: string; readonly record: UrlRecord }
  /** A late result of a lease that is over finishes a URL that came back. */
  | { readonly kind: 'finish'; readonly hostKey: string; readonly seq: number; readonly record: UrlRecord }
  /** A source, by 32 bits of its hash, links to a budget key. */
  | { readonly kind: 'countReferrer'; readonly key: string; readonly fingerprint: number }
  /** URLs of a budget key that went at full rate in a period, in all. */
  | { readonly kind: 'spend'; readonly key: string; readonly period: number; readonly used: number }
  | { readonly kind: 'policy'; readonly version: number; readonly json: string }
  /** A part of a host is a trap from now on: its URLs wait in a front queue of its own until it is released. */
  | {
      readonly kind: 'trap';
      readonly hostKey: string;
      readonly pattern: string;
      readonly reason: TrapReason;
      readonly detail: string;
      readonly frontQueue: number;
    }
  | { readonly kind: 'releaseTrap'; readonly hostKey: string; readonly pattern: string }
  /** Links to URLs were sighted: their fingerprints, as pairs. Only where the policy scores by in-links. */
  | { readonly kind: 'linked'; readonly fingerprints: readonly number[] }
  /** URLs, by their fingerprints as pairs, receive cash each, or spend it (below 0). `isNew`: they have just been met. */
  | {
      readonly kind: 'cash';
      readonly amount: number;
      readonly isNew: boolean;
      readonly fingerprints: readonly number[];
    }
  /** Page quota given to this partition in all, and given back in all. */
  | { readonly kind: 'quota'; readonly granted: number; readonly returned: number; readonly wanted: number }
  /** Partition 0: the quota's book, a row for one partition. */
  | {
      readonly kind: 'quotaBook';
      readonly partition: number;
      readonly granted: number;
      readonly returned: number;
      readonly wanted: number;
      readonly version: number;
    }
  /** A URL of a served crawl goes from one place to another, as its client says. `dueAtMs`: of `again`. */
  | {
      readonly kind: 'known';
      readonly hostKey: string;
      readonly from: KnownFrom;
      readonly to: 'done' | 'again' | 'forgotten';
      readonly dueAtMs: number;
      readonly entry: Entry;
    }
  /** A served crawl's queue is deleted, with all its URLs. The last change of its commit. */
  | { readonly kind: 'dropQueue'; readonly hostKey: string }
  /** GetURLs passes a queue until then, ms. 0: it does not. */
  | { readonly kind: 'blockQueue'; readonly hostKey: string; readonly untilMs: number }
  /** A URL is taken down, wherever it stood; `url` empty: its whole host is. */
  | { readonly kind: 'purge'; readonly hostKey: string; readonly url: string; readonly from: PurgedFrom }
  /** Fetchers were seen to have taken these leases' tasks. The first change of its commit. */
  | ({ readonly kind: 'taken' } & Taken)
  /** A row of a dump, from another crawl. */
  | { readonly kind: 'load'; readonly row: LoadRow }
  /** Of whose leader the newest record of an input is that was read; -1: not known. */
  | { readonly kind: 'inputEpoch'; readonly topic: InputTopic; readonly epoch: number }
  /** What the state must come to with the changes before this one (check/self-check.ts). It changes nothing. */
  | { readonly kind: 'check'; readonly version: number; readonly sum: string };

/** Changes of one host that is known. */
export type HostChange = Extract<
  Change,
  {
    kind:
      | 'host'
      | 'abandon'
      | 'finish'
      | 'raise'
      | 'expedite'
      | 'trap'
      | 'releaseTrap'
      | 'robotsHop'
      | 'hostSlots'
      | 'hostSlot'
      | 'due'
      | 'sitemaps';
  }
>;

/**
 * Tallies: they only grow, but for `scheduled`, and play no part in conservation. Arrivals by verdict, then work done.
 * `filtered` sums every rule but scope and depth. `trapped`: admitted into a trap. `trapsBeyond`: traps noticed that a
 * host had no room for. `seenErrors`: new URLs that a Bloom filter took for seen, by a sample. `hostFull`, `queueFull`:
 * new, but there was no room (decide/links/queue-room.ts). `purged`: it was taken down, or its host was. `imported`: made
 * known by a load, and not admitted.
 * `revisits`: visits to a URL that was visited before, and could tell a change; `changesFound`: those that did.
 * `untaken`: leases that ended at their deadline before any fetcher had taken their task. `misrouted`: groups of links, results
 * and events that arrived on a partition that their key does not lead to.
 * `foreignRecords`: records of the changelog that somebody else wrote, and nobody heeds.
 * `cutInputs`: times that an input had lost records which were read, and was read on from there.
 * `linksDropped`: links of pages beyond what may be taken from one. `truncated`: pages whose body was cut at its limit.
 * `overShare`: deferred, as their host or domain had its share of the queue (decide/links/queue-share.ts).
 * `notRead`: answers of success whose media type nobody reads; their URLs end in the place `failed`.
 * `scheduled`: URLs to be visited again, each in the place that its last visit gave it, and hosts whose sitemaps are to be read.
 */
export const tallyNames = [
  'discovered',
  'duplicates',
  'invalid',
  'filtered',
  'outOfScope',
  'tooDeep',
  'hostFull',
  'undecodable',
  'unknownControls',
  'lateResults',
  'fetches',
  'notModified',
  'retries',
  'bytes',
  'trapped',
  'trapsBeyond',
  'seenErrors',
  'queueFull',
  'tooLong',
  'imported',
  'revisits',
  'changesFound',
  'scheduled',
  'purged',
  'untaken',
  'misrouted',
  'foreignRecords',
  'cutInputs',
  'linksDropped',
  'truncated',
  'overShare',
  'notRead',
] as const;
export type TallyName = (typeof tallyNames)[number];

/**
 * Where admitted URLs are. Conservation: `admitted` is the sum of all the others, always.
 */
export const placeNames = [
  'queued',
  'retrying',
  'deferred',
  'leased',
  'page',
  'redirected',
  'denied',
  'failed',
  'dead',
] as const;
export type PlaceName = (typeof placeNames)[number];
