/**
 * The format of a dump: a crawl's frontier as JSON lines, whatever its partitions were and will be.
 *
 * One object a line; the field that names it comes first. Fields at their default are left out. Times in ms since the
 * Unix epoch, durations in ms.
 *
 *   dump        the first line: format, manifest, policy in force, requested policy
 *   partition   the partition of the next lines, and their changelog position
 *   budget      an account, and its hosts
 *   host        facts and traps; before its URLs
 *   url         one URL: `status` is its place
 *                 queued               in a front queue of its host, in the order it may be fetched
 *                 waiting              returned: for a retry (`dueAtMs`), or at once
 *                 page … dead          finished, with its record
 *                 known                never to be admitted, and not fetched by our crawl
 *               finished URLs come first: one that is queued again later was forced
 *   repeated    finished again after it was forced: counts by status
 *   tallies     counters without an effect
 *   links       of `discovered`, undecided: one group
 *   letter      a dead letter found by the dump itself
 *   end         the last line: totals
 *
 * It leaves out data that a crawl learns again: proved rewritings of hosts, new URLs from links of pages since their last
 * visit, and which pages are copies.
 *
 * A reader refuses unknown fields and statuses: a newer format has a higher `version`.
 */
import type { DeadLetter, LinkGroup, OutcomeKind } from '../../../schemas/types.ts';
import type { PolicyConfig } from '../../policy/policy.ts';
import type { HostTraps } from '../../policy/traps/active-traps.ts';
import type { KeyMode } from '../../url/host-key.ts';
import type { FinalStatus, HostFacts, PlaceName, TallyName } from '../changes/changes.ts';
import type { PageRecord } from '../changes/page-record.ts';
import type { SlotsOfHost } from '../hosts/host-slots.ts';
import type { ActiveTrap } from '../state/traps-state.ts';

/** Format 2 has `frontQueue` and `hostSlots`; in format 1 they were `band` and `lanes`, which can still be read. */
export const dumpVersion = 2;

export interface DumpHead {
  readonly dump: 'crawlstream';
  readonly version: number;
  /** Names this dump: a load that goes on after a crash knows it by that. */
  readonly id: string;
  readonly madeAtMs: number;
  readonly madeBy: string;
  readonly crawl: string;
  readonly partitions: number;
  readonly keyMode: KeyMode;
  readonly seenKeyVersion: number;
  readonly fingerprintVersion: number;
  /** Secret, like the manifest's: anyone who knows it can construct collisions. */
  readonly fingerprintKey: string;
  /** In force; null: none yet. */
  readonly policy: PolicyConfig | null;
  /**
   * The last request of `crawl` or `inject`: options and seeds. So repeating the same options after a load changes
   * nothing.
   */
  readonly asked: PolicyConfig | null;
  readonly seeds: readonly string[];
}

export interface PartitionLine {
  readonly partition: number;
  /** Offset in the changelog. */
  readonly offset: number;
  readonly nowMs: number;
}

export interface BudgetLine {
  readonly budget: string;
  /** Hosts of this partition with URLs that the account pays for. */
  readonly hosts: readonly string[];
  readonly period: number;
  readonly used: number;
  /** budgets/source-sketch.ts */
  readonly sources: readonly number[];
}

export interface HostLine {
  readonly host: string;
  /** Facts that differ from those of a new host. */
  readonly facts?: Partial<HostFacts>;
  readonly traps?: HostTraps<ActiveTrap>;
  /** Fingerprints of URLs that were purged, as pairs: by the key of the first line. */
  readonly purged?: readonly number[];
  /** Slots of a host that may be on several leases (hosts/host-slots.ts). */
  readonly hostSlots?: Pick<SlotsOfHost, 'own' | 'most' | 'freeAtMs'>;
}

export interface QueuedLine {
  readonly url: string;
  readonly status: 'queued' | 'waiting';
  /** Absent: the URL's own. */
  readonly host?: string;
  /** Front queue, as in queues/held-queues.ts. */
  readonly frontQueue: number;
  readonly depth?: number;
  readonly hop?: number;
  readonly attempts?: number;
  readonly expiries?: number;
  /** When a waiting URL is due; absent: at once. */
  readonly dueAtMs?: number;
  /** The client's metadata (pull/payload.ts), in base64. */
  readonly payload?: string;
  readonly tags?: readonly string[];
  /** Path and query as requested; absent: as in the URL. */
  readonly spelling?: string;
  /** The known spelling, if this one comes from a redirect. */
  readonly normal?: string;
}

export interface KnownLine {
  readonly url: string;
  readonly status: FinalStatus | 'known';
  readonly outcome?: OutcomeKind;
  readonly http?: number;
  readonly atMs?: number;
  readonly attempts?: number;
  readonly depth?: number;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly contentHash?: string;
  readonly soft404?: boolean;
  readonly tags?: readonly string[];
  readonly spelling?: string;
  /** For a revisited URL: its next visit, and its visits' findings (changes/page-record.ts). */
  readonly visits?: Omit<PageRecord, 'record'> & { readonly dueAtMs: number };
}

export type RepeatedLine = { readonly repeated: Partial<Record<FinalStatus, number>> };
export type TalliesLine = { readonly tallies: Partial<Record<TallyName, number>> };
export type LinksLine = { readonly links: LinkGroup };
/** `original` in base64. */
export type DeadLetterLine = { readonly letter: Omit<DeadLetter, 'original'> & { readonly original: string } };

export interface EndLine {
  readonly end: true;
  /** Lines before this one. */
  readonly lines: number;
  readonly totals: DumpTotals;
}

/** The expected result of a load. */
export interface DumpTotals {
  readonly hosts: number;
  readonly admitted: number;
  readonly imported: number;
  /** URLs that will be visited again. */
  readonly scheduled: number;
  readonly places: Readonly<Record<PlaceName, number>>;
  /** Links that were not decided. */
  readonly links: number;
}

/** A line that goes to the partition of a host. */
export type RoutedLine = HostLine | QueuedLine | KnownLine;
export type DumpLine =
  | DumpHead
  | PartitionLine
  | BudgetLine
  | RoutedLine
  | RepeatedLine
  | TalliesLine
  | LinksLine
  | DeadLetterLine
  | EndLine;
