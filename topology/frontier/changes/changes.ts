/**
 * Changes: the effects of a decision on a partition's state, one by one. The state is their sum: `apply` of state.ts
 * is its only mutator, for owners, standbys and replays alike.
 *
 * A change carries the results of a decision, not its inputs, so a replay needs no policy and no clock.
 */
import type { OutcomeKind } from '../../../schemas/types.ts';
import type { ValuesOf } from '../storage/fields.ts';
import type { changeFields } from './change-fields.ts';
import type { Entry } from './entry.ts';

/** Why a host gets no leases; empty: it does. `blocked`: by an operator. `paused`: by its webmaster. */
export type HostHold = '' | 'crawlDelay' | 'blocked' | 'limit' | 'purged' | 'paused';

/** Returns whether an operator or webmaster ordered the hold. */
export function isOrderedHold(hold: HostHold): boolean {
  return hold === 'blocked' || hold === 'paused' || hold === 'purged';
}

/** Facts about a host for politeness and back-off. Times in ms since the Unix epoch, durations in ms. */
export interface HostFacts {
  /** Earliest next contact. */
  readonly readyAtMs: number;
  /** robots.txt Crawl-delay; -1: none known. */
  readonly crawlDelayMs: number;
  /** Delay set by an operator; -1: the policy's. */
  readonly ownDelayMs: number;
  /** The host's webmaster set that delay; the policy's delay applies if it is longer. */
  readonly ownDelayIsLeast: boolean;
  /** Limit on `pages` set by an operator; -1: none. */
  readonly pagesMax: number;
  /** Budget set by an operator: URLs admitted at full rate. -1: the policy's. */
  readonly ownBudget: number;
  /** URLs with a final answer, and those of them that are pages worth keeping. */
  readonly fetched: number;
  readonly pages: number;
  /** Smoothed duration of a fetch; 0: none yet. */
  readonly fetchMs: number;
  /** Leases in a row that failed because of the host itself: unreachable, or its robots.txt is. */
  readonly failures: number;
  /** Throttled answers (429, 503), timeouts and rows of server errors since the last good one. */
  readonly throttles: number;
  /**
   * Leases in a row that came back with URLs not started. At least 1 while a pause lasts that the host asked for: its
   * whole wait is one, and no shorter delay ends it.
   */
  readonly returns: number;
  /** URLs a lease may hold; 0: as many as the policy allows. */
  readonly leaseMax: number;
  readonly hold: HostHold;
  /** The queue of deferred URLs is open: URLs may be drawn from it. */
  readonly deferredOpen: boolean;
  /** When the host stops counting as dead; until then, its URLs are dead-lettered. 0: it is alive. */
  readonly deadUntilMs: number;
  /** Bytes of bodies received from the host since a policy first capped them. */
  readonly bytes: number;
  /**
   * Consecutive server errors for different URLs, at most `serverErrorsMax`, from where they count as trouble of the
   * host.
   */
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

/** The status of a URL that has left the frontier, for good or until it is due again. */
export type FinalStatus = 'page' | 'redirected' | 'denied' | 'failed' | 'dead';

/** The decision about one URL of a lease. */
export type Disposition =
  | { readonly to: 'final'; readonly status: FinalStatus }
  /**
   * The URL goes back into the queue, and is due at `dueAtMs` (0: at once). `retry`: it waits for that time, which
   * costs an attempt.
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

/**
 * Place of a URL. `a` and `b`: for a lease, its id and the index; for a front queue, its number and the place in it;
 * for `again`, the due time if a client rescheduled it (0 otherwise, and in records of earlier versions), and the
 * place.
 */
export interface KnownFrom {
  readonly in: KnownPlace;
  readonly a: number;
  readonly b: number;
}
export const knownPlaces = ['new', 'lease', 'frontQueue', 'again', 'done', 'forgotten'] as const;
export type KnownPlace = (typeof knownPlaces)[number];
/** Place of a purged URL: `a`, `b` as in `KnownFrom`. */
export interface PurgedFrom {
  readonly in: (typeof purgePlaces)[number];
  readonly a: number;
  readonly b: number;
}
export const purgePlaces = ['nowhere', 'lease', 'frontQueue', 'again'] as const;

/**
 * A record of any URL that must not be admitted again. 'known': it comes from another crawler, and was never admitted
 * here.
 */
export type KnownUrl = Omit<UrlRecord, 'status'> & { readonly status: FinalStatus | 'known' };

type Fields = typeof changeFields;

/** A change: its kind, and the fields that the table lists for it. */
type ChangeOf<Kind extends keyof Fields> = { readonly kind: Kind } & ValuesOf<Fields[Kind]> &
  (Kind extends keyof AtHand ? AtHand[Kind] : unknown);

/** Fields that are known while a change is decided, and are not in the changelog. */
interface AtHand {
  /** Fingerprints of the URLs, as pairs. A replay computes them. */
  readonly admit: { readonly fingerprints?: readonly number[] };
  /** Signature of the page's text, from which traps are noticed. A replay notices none. */
  readonly resolve: { readonly textSignature?: string };
}

export type Change = { [Kind in keyof Fields]: ChangeOf<Kind> }[keyof Fields];

/** Tasks that fetchers have taken. */
export type Taken = ValuesOf<Fields['taken']>;

/** Changes of one known host. */
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
      | 'slotTimes'
      | 'leaseDelay'
      | 'due'
      | 'sitemaps';
  }
>;

/**
 * Tallies. They only grow, except `scheduled`, and play no part in conservation. First arrivals by verdict, then work
 * done.
 * - `filtered`: refused by any rule except scope and depth.
 * - `trapped`: admitted into a trap. `trapsBeyond`: traps detected beyond a host's limit.
 * - `seenErrors`: new URLs that a Bloom filter took for seen, by a sample.
 * - `hostFull`, `queueFull`: new URLs without room (decide/links/queue-room.ts). `overShare`: deferred, because their
 * host or domain had its share of the queue (decide/links/queue-share.ts).
 * - `purged`: the URL, or its host, was purged.
 * - `imported`: made known by a load, without admission.
 * - `revisits`: revisits that could detect a change; `changesFound`: those that did.
 * - `untaken`: leases that expired before any fetcher had taken their task.
 * - `misrouted`: groups of links, results and events on a partition that their key does not lead to.
 * - `foreignRecords`: records of the changelog by other writers; every reader ignores them.
 * - `cutInputs`: times that an input had lost records that were read, and reading continued from there.
 * - `linksDropped`: links beyond the limit of one page. `truncated`: pages with a body cut at its limit.
 * - `notRead`: successful answers with an unsupported media type; their URLs end as `failed`.
 * - `scheduled`: URLs to be revisited, each in the place from its last visit, and hosts with sitemaps to be read.
 * - `untagged`: URLs that lost their tags, because the partition had too many lists of tags (url/tag-limits.ts).
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

/** Places of admitted URLs. Conservation: `admitted` always equals the sum of all the others. */
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
