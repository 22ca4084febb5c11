/**
 * Changes: what a decision did to a partition's state, one by one. The state is what they add up to: `apply` of
 * state.ts is the only way it ever changes, at the owner, at a standby and in a replay alike.
 *
 * A change carries results, not inputs of the decision: replaying needs no policy and no clock.
 */
import type { OutcomeKind } from '../../../schemas/types.ts';
import type { ValuesOf } from '../storage/fields.ts';
import type { changeFields } from './change-fields.ts';
import type { Entry } from './entry.ts';

/** Why a host takes no leases; empty: it does. `blocked`: by an operator. `paused`: by its webmaster. */
export type HostHold = '' | 'crawlDelay' | 'blocked' | 'limit' | 'purged' | 'paused';

/** Was it ordered that nothing is asked of the host? */
export function isOrderedHold(hold: HostHold): boolean {
  return hold === 'blocked' || hold === 'paused' || hold === 'purged';
}

/** What politeness and back-off know of a host. Times in ms since the Unix epoch, durations in ms. */
export interface HostFacts {
  /** Earliest next contact. */
  readonly readyAtMs: number;
  /** robots.txt Crawl-delay; -1: none known. */
  readonly crawlDelayMs: number;
  /** An operator's delay; -1: the policy's. */
  readonly ownDelayMs: number;
  /** The host's webmaster asked for that delay: the policy's counts where it is longer. */
  readonly ownDelayIsLeast: boolean;
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
  /** Throttled answers (429, 503), timeouts and rows of server errors since the last good one. */
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
  /** Bytes of bodies that it has sent since a policy first capped them. */
  readonly bytes: number;
  /** Server errors in a row, of different URLs: at most as many as count as the host's trouble (`serverErrorsMax`). */
  readonly serverErrors: number;
}

export const newHostFacts: HostFacts = {
  readyAtMs: 0,
  crawlDelayMs: -1,
  ownDelayMs: -1,
  ownDelayIsLeast: false,
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
  bytes: 0,
  serverErrors: 0,
};

/** Where a URL stands when it leaves the frontier, for good or until it is due again. */
export type FinalStatus = 'page' | 'redirected' | 'denied' | 'failed' | 'dead';

/** What became of one URL of a lease. */
export type Disposition =
  | { readonly to: 'final'; readonly status: FinalStatus }
  /**
   * The URL goes back into the queue, at the time due (0: at once). `retry`: it waits for that time, which costs an
   * attempt.
   */
  | { readonly to: 'again'; readonly dueAtMs: number; readonly entry: Entry };

/** The record of a URL that was fetched or given up. */
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
  /** The page says that it does not exist, though its status says that it does (a soft 404). */
  readonly soft404: boolean;
  /** The page asks not to be indexed and led nowhere, so that fetching it brought nothing. Absent: false. */
  readonly barren?: true;
  /** Number of the list of tags that the URL has (state/tag-sets.ts). Absent: none. */
  readonly tags?: number;
  /** Path and query as they are asked for (url/spelling.ts). Absent: as the URL has them. */
  readonly spelling?: string;
}

/** Where a URL is. `a`, `b`: of a lease its id and the index; of a front queue its number and the place; of `again` when it is due, if it
 * was rescheduled (0 otherwise, and in what earlier versions wrote), and the place. */
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

/**
 * The same for any URL that is not to be admitted again. 'known': another crawler knew it, and it was never admitted
 * here.
 */
export type KnownUrl = Omit<UrlRecord, 'status'> & { readonly status: FinalStatus | 'known' };

type Fields = typeof changeFields;

/** A change: its kind, and the fields that the table lists for it. */
type ChangeOf<Kind extends keyof Fields> = { readonly kind: Kind } & ValuesOf<Fields[Kind]> &
  (Kind extends 'admit' ? AtHand : unknown);

/** Fingerprints of an admission's URLs, as pairs, where they are at hand: not in the changelog, a replay computes them. */
interface AtHand {
  readonly fingerprints?: readonly number[];
}

export type Change = { [Kind in keyof Fields]: ChangeOf<Kind> }[keyof Fields];

/** What fetchers were seen to have taken. */
export type Taken = ValuesOf<Fields['taken']>;

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
      | 'lower'
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
 * new, but there was no room (decide/links/queue-room.ts). `purged`: the URL was purged, or its host was. `imported`:
 * made known by a load, and not admitted. `revisits`: visits to a URL that was visited before, and could tell a change;
 * `changesFound`: those that did. `untaken`: leases that ended at their deadline before any fetcher had taken their
 * task. `misrouted`: groups of links, results and events that arrived on a partition that their key does not lead to.
 * `foreignRecords`: records of the changelog that somebody else wrote; every reader ignores them. `cutInputs`: times
 * that an input had lost records which were read, and was read on from there. `linksDropped`: links of pages beyond
 * what may be taken from one. `truncated`: pages whose body was cut at its limit. `overShare`: deferred, as their host
 * or domain had its share of the queue (decide/links/queue-share.ts). `notRead`: answers of success whose media type
 * nobody reads; their URLs end in the place `failed`. `scheduled`: URLs to be visited again, each in the place that its
 * last visit gave it, and hosts whose sitemaps are to be read. `untagged`: URLs that lost their tags, as the partition
 * knew too many lists of them (url/tag-limits.ts).
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
  'capped',
  'paymentRequired',
  'untagged',
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
