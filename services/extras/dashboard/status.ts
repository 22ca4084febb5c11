/**
 * The status that a service sends to the dashboard's page: JSON, and the contract between the two. It imports nothing,
 * so that the page, which is compiled for browsers, can use it as well.
 *
 * Times are ms since the Unix epoch, by the service's clock. null: unknown here.
 */

/** Counters by name, over all partitions (topology/frontier/changes/counters.ts). */
export type Counts = Readonly<Record<string, number>>;

export type CrawlPhase =
  /** No partition has decided anything yet. */
  | 'empty'
  | 'restoring'
  | 'running'
  /** There is work, and nothing happens: no fetcher, no frontier, or hosts with long delays. */
  | 'quiet'
  /** There is work, and no process runs the crawl: only its data folder is read. */
  | 'idle'
  /** The process that runs the crawl has given no sign of life for a while. */
  | 'silent'
  /** Every URL that is left waits for a retry: nothing is fetched until then. */
  | 'retrying'
  | 'paused'
  /** All that is left are URLs of hosts that were blocked here: the crawl waits for their release. */
  | 'held'
  | 'done'
  | 'quotaSpent'
  | 'stopped';

export interface CrawlStatus {
  readonly crawl: string;
  readonly release: string;
  readonly atMs: number;
  readonly phase: CrawlPhase;
  /** Paused by an operator: no more leases are granted. */
  readonly paused: boolean;
  /** null: no policy yet, or none by this. */
  readonly policyVersion: number | null;
  readonly pageQuota: number | null;
  readonly counts: Counts;
  readonly hosts: HostsStatus;
  readonly partitions: readonly PartitionReport[];
  /** null: the owners are unknown, as in a data folder that is only read. */
  readonly members: readonly MemberStatus[] | null;
  /** Members of the fetchers' group; null: not known, or they are in the crawl's own process. */
  readonly fetchers: number | null;
  readonly recent: RecentStatus;
  readonly freshness: FreshnessStatus | null;
  readonly letters: DeadLettersStatus | null;
  /** Duplicate pages by kind; null: the dedup has written nothing. Absent: a service of an earlier release. */
  readonly duplicates?: DuplicatesStatus | null;
  /** Set if no process runs the crawl; null: one does, or it is unknown. */
  readonly idle: IdleStatus | null;
  /** Time since the last sign of life of the process that runs the crawl, ms. null: unknown. Absent: an earlier release. */
  readonly silentMs?: number | null;
  /** Time at which the last host in trouble, of those with queued URLs, is requested again. null: there is none. */
  readonly backOffUntilMs?: number | null;
  /** True: this service runs the crawl alone, and stops it if asked to. */
  readonly canStop?: boolean;
  /** True: pages are indexed here, and can be searched by their words. */
  readonly canSearch?: boolean;
  /** True: links between hosts are kept here, for a map. */
  readonly canMapHosts?: boolean;
  /** True: the clusters of duplicate pages can be listed. */
  readonly canListDuplicates?: boolean;
  /** null: unknown. Absent: a service of an earlier release. */
  readonly about?: AboutStatus | null;
  readonly troubles: readonly Trouble[];
}

/** The order of a crawl. */
export interface AboutStatus {
  /** The first three; none: they are not known here. */
  readonly seeds: readonly string[];
  readonly seedCount: number;
  readonly scope: string;
  /** The options that name the crawl to commands; null: only its operator may know. */
  readonly place: string | null;
  readonly startedMs: number | null;
}

export interface DuplicatesStatus {
  readonly exact: number;
  readonly near: number;
  /** Copies of pages of another domain. */
  readonly syndicated: number;
  /** True: there are more; the count stopped at its limit. */
  readonly isLeast?: true;
}

export interface IdleStatus {
  /** Time of the newest record; null: nothing was ever written. */
  readonly lastWrittenMs: number | null;
  /** Commands that continue the crawl, and that end a pause. */
  readonly resume: string;
  readonly unpause: string;
}

export interface HostsStatus {
  readonly known: number;
  /** With a lease out. */
  readonly fetching: number;
  readonly ready: number | null;
  readonly delayed: number | null;
}

export interface PartitionReport {
  readonly partition: number;
  readonly owner: string | null;
  readonly standbys: readonly {
    readonly member: string;
    readonly rank: number;
    readonly behind: number | null;
    readonly staleMs: number | null;
  }[];
  readonly counters: Counts;
  /** Records of its inputs that are not decided yet. */
  readonly lag: { readonly control: number; readonly results: number; readonly discovered: number };
  /** Progress of its restore, 0 to 1. */
  readonly restored: number | null;
  readonly restoreLeftMs: number | null;
  readonly readyHosts: number | null;
  readonly delayedHosts: number | null;
  readonly freshness: FreshnessStatus | null;
}

export interface MemberStatus {
  readonly name: string;
  readonly address: string | null;
  readonly owned: readonly number[];
}

/** A sample of fetchers' reports of the last minute; empty before the first read. */
export interface RecentStatus {
  readonly outcomes: number;
  readonly kinds: readonly { readonly kind: string; readonly count: number; readonly failed: boolean }[];
  /** The newest first. */
  readonly fetches: readonly FetchStatus[];
  /** Time of the newest result that this process has read. */
  readonly newestMs: number | null;
  /** An example of each kind of result without a page: the newest since the first read. */
  readonly causes: readonly FetchStatus[];
}

export interface FetchStatus {
  readonly atMs: number;
  readonly url: string;
  readonly kind: string;
  /** 0: no response. */
  readonly status: number;
  readonly bytes: number;
  /** Details in words, if any. May quote text from outside. */
  readonly detail: string;
}

export interface FreshnessStatus {
  /** Pages that are refetched. */
  readonly pages: number;
  /** Share of the pages that are expected to be unchanged since their last visit. */
  readonly fresh: number | null;
  readonly ageP50S: number | null;
  readonly ageP95S: number | null;
  /** Share seen within seven days. */
  readonly withinGoal: number | null;
  readonly sitemapTrust: number | null;
}

export interface DeadLettersStatus {
  /** On the topic, marks of replays among them. */
  readonly records: number;
  /** Counts of reasons among the listed dead letters. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  /** The newest first. */
  readonly newest: readonly DeadLetterStatus[];
}

export interface DeadLetterStatus {
  readonly id: string;
  readonly atMs: number;
  readonly reason: string;
  readonly url: string;
  readonly hostKey: string;
  readonly attempts: number;
  readonly lastOutcome: string;
  readonly status: number;
  readonly detail: string;
  readonly replayed: boolean;
}

/** A warning for the viewer; `bad`: urgent. */
export interface Trouble {
  readonly severity: 'bad' | 'warn' | 'note';
  readonly text: string;
  /** The host that `text` begins with. Absent: it is not about one. */
  readonly host?: string;
  /** The part of the page that has more. Absent: none has. */
  readonly part?: 'failures';
}

/** Initial data of the charts: columns of equal length. */
export interface HistoryStatus {
  readonly atMs: readonly number[];
  readonly columns: Readonly<Record<HistoryColumn, readonly number[]>>;
}
export const historyColumns = [
  'page',
  'discovered',
  'admitted',
  'bytes',
  'fetches',
  'queued',
  'retrying',
  'deferred',
  'leased',
] as const;
export type HistoryColumn = (typeof historyColumns)[number];

/** Errors of the last hour: results that were no pages, and are no normal part of a crawl. */
export interface ErrorsStatus {
  /** Beginnings of equal spans of time. */
  readonly atMs: readonly number[];
  /** Most first; a count for each span. */
  readonly kinds: readonly { readonly kind: string; readonly counts: readonly number[] }[];
  /** Most first; `url` and `status`: of the newest that was read. */
  readonly hosts: readonly {
    readonly host: string;
    readonly kind: string;
    readonly status: number;
    readonly url: string;
    readonly count: number;
  }[];
  /** True: not all results were read. */
  readonly isEstimate: boolean;
}

/** The hosts that come first by some order, over all partitions. */
export interface HostListStatus {
  readonly hosts: readonly HostStatus[];
  /** Hosts that the search found, listed or not. */
  readonly matched: number;
  readonly known: number;
  /** Partitions without a reachable owner. */
  readonly missing: readonly number[];
}

export interface HostStatus {
  readonly host: string;
  readonly partition: number;
  readonly queued: number;
  readonly deferred: number;
  readonly leases: number;
  /** Number of finished URLs, and of pages among them. */
  readonly fetched: number;
  readonly pages: number;
  /** In a row, since the last good answer. */
  readonly failures: number;
  readonly throttles: number;
  /** The throttles come from errors of its server. Absent: an older frontier answered. */
  readonly serverFails?: boolean;
  readonly delayMs: number;
  readonly readyAtMs: number | null;
  /** The reason why it takes no leases; empty: it does. */
  readonly hold: string;
  readonly deadUntilMs: number | null;
  /** Most pages of the host; null: any number. Absent: an older frontier answered. */
  readonly pagesMax?: number | null;
  /** Its newest result without a page that was read here: kind and status. */
  readonly lastFailure?: { readonly kind: string; readonly status: number } | undefined;
}
export const hostSorts = ['queued', 'fetched', 'errors', 'delay', 'ready', 'name'] as const;
export type HostSort = (typeof hostSorts)[number];

export interface HostsAsked {
  readonly search: string;
  /** `pages`: for the map of hosts. */
  readonly sort: HostSort | 'pages';
  readonly limit: number;
}

/** `release` is `unblock` by its older name. */
export const hostActs = ['block', 'unblock', 'release', 'delay', 'limit'] as const;
export type HostAct = (typeof hostActs)[number];
/** `delay`: ms from a request's end to the next one's start, up to a day; `limit`: pages. null: the policy decides. */
export const actsWithAmount: ReadonlySet<HostAct> = new Set(['delay', 'limit']);

/** Actions on the whole crawl. */
export const crawlActs = ['pause', 'resume', 'stop'] as const;
export type CrawlAct = (typeof crawlActs)[number];

/** One host, and a page of its queue. Durations in ms; null: not set, or none. */
export interface HostPageStatus {
  readonly host: string;
  readonly atMs: number;
  /** The present obstacle, or the reason of the next contact's time: in words. */
  readonly why: string;
  readonly hold: string;
  readonly deadUntilMs: number | null;
  /** null: never contacted. */
  readonly readyAtMs: number | null;
  /** False: a hold, or no URL that may be fetched, prevents a contact. */
  readonly isFree: boolean;
  readonly fetched: number;
  readonly pages: number;
  readonly failures: number;
  readonly throttles: number;
  /** The throttles come from errors of its server. */
  readonly serverFails: boolean;
  readonly delayMs: number;
  readonly fetchMs: number;
  readonly crawlDelayMs: number | null;
  readonly ownDelayMs: number | null;
  readonly pagesMax: number | null;
  readonly queued: number;
  readonly deferred: number;
  readonly again: { readonly urls: number; readonly nextAtMs: number | null };
  readonly leases: readonly { readonly id: number; readonly urls: number; readonly deadlineMs: number }[];
  /** `frontQueue`: its number, `budget` or `trap`. */
  readonly queue: readonly { readonly frontQueue: string; readonly depth: number; readonly url: string }[];
  /** Position of the next page of the queue; null: there is none. */
  readonly next: string | null;
  /** Its newest results, among the newest of its partition. */
  readonly outcomes: readonly FetchStatus[];
}

/** The crawl's decisions about one URL, in the words of `crawlstream explain`. */
export interface ExplainStatus {
  readonly lines: readonly (readonly [name: string, value: string])[];
}

/** The newest record of one URL on `pages`, and the links of its page. */
export interface RecordStatus {
  readonly url: string;
  /** Without empty ones. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The beginning of the page's text, and the number of characters of all of it. */
  readonly text: string;
  readonly textChars: number;
  /** A JPEG in base64. Absent or empty: none is kept. */
  readonly screenshot?: string;
  /** The reason why there is no record, in words; empty: there is one. */
  readonly missing: string;
  /** The first links that were published with it, each with the decision of the policy now, and the number of all. */
  readonly links: readonly { readonly url: string; readonly verdict: string }[];
  readonly linkCount: number;
  /** False: there may be more, since the search for them ended at its limit. */
  readonly areAllLinksRead: boolean;
}

/** Pages with some words, best first. */
export interface SearchStatus {
  readonly hits: readonly {
    readonly url: string;
    readonly title: string;
    /** The text around the words, with the words in brackets. */
    readonly snippet: string;
  }[];
}

/** The hosts with most pages, and the links between them. */
export interface HostMapStatus {
  /** Most pages first. */
  readonly hosts: readonly { readonly host: string; readonly pages: number }[];
  /** Hosts that have no place on the map. */
  readonly hostsLeftOut: number;
  /** Most links first. `from` and `to`: positions in `hosts`. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly links: number }[];
  /** Connections between these hosts that have no place. */
  readonly edgesLeftOut: number;
  /** True: not all links were read, or a partition did not answer. */
  readonly isEstimate: boolean;
}

/** URLs without a page, by reason: most first. */
export interface FailuresStatus {
  readonly reasons: readonly {
    readonly kind: string;
    /** 0: no response. */
    readonly status: number;
    /** True: these URLs are tried again. False: they have ended. */
    readonly waits: boolean;
    readonly count: number;
    /** The first of them. `detail`: may quote text from outside. */
    readonly urls: readonly { readonly url: string; readonly detail: string }[];
  }[];
  readonly reasonsLeftOut: number;
}

/** The largest clusters of duplicate pages. */
export interface DuplicateListStatus {
  /** Number of all clusters. */
  readonly clusters: number;
  readonly listed: readonly {
    /** The page that represents the others. */
    readonly representative: string;
    /** Its duplicates by kind. */
    readonly counts: Counts;
    /** The first of them. */
    readonly pages: readonly { readonly url: string; readonly kind: string }[];
  }[];
}

/** Seeds that were sent, and those that were not. */
export interface SeedsStatus {
  readonly sent: readonly string[];
  readonly refused: readonly { readonly url: string; readonly why: string }[];
}

/** Everything that happened to one URL, as `crawlstream story` prints it. */
export interface TimelineStatus {
  readonly url: string;
  readonly events: readonly TimelineEventStatus[];
  /** Number of events; above the limit, only the newest are listed. */
  readonly all: number;
  /** An SVG of them. */
  readonly picture: string;
  /** Earlier data are gone. */
  readonly trimmed: boolean;
}

export interface TimelineEventStatus {
  readonly time: string;
  /** Since the first one. */
  readonly since: string;
  readonly text: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly policyVersion: number;
}
