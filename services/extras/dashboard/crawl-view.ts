import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import type { HostLinks } from '../../application/extension/crawl-part.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RequestRecord } from '../../runtime/crawl/requests.ts';
import type { Log } from '../../runtime/log/log.ts';
import type {
  AboutStatus,
  CrawlAct,
  CrawlStatus,
  DuplicateListStatus,
  ErrorsStatus,
  ExplainStatus,
  FailuresStatus,
  HistoryStatus,
  HostAct,
  HostListStatus,
  HostMapStatus,
  HostPageStatus,
  HostsAsked,
  IdleStatus,
  MemberStatus,
  PartitionReport,
  RecordStatus,
  SearchStatus,
  SeedsStatus,
  TimelineStatus,
} from './status.ts';

export interface CrawlView {
  /** False: it refuses the calls of operators from everyone. */
  mayOperate(): Promise<boolean>;
  look(): Promise<CrawlStatus>;
  history(): Promise<HistoryStatus>;
  errors(): Promise<ErrorsStatus>;
  hosts(asked: HostsAsked): Promise<HostListStatus>;
  /** `url`: as typed by a person. `signal`: aborted when the caller leaves. */
  explain(url: string, signal?: AbortSignal): Promise<ExplainStatus>;
  story(url: string, signal?: AbortSignal): Promise<TimelineStatus>;
  record(url: string, signal?: AbortSignal): Promise<RecordStatus>;
  /** Pages with these words. Throws INVALID_ARGUMENT if no page is indexed. */
  search(words: string, signal?: AbortSignal): Promise<SearchStatus>;
  /** The hosts with most pages, and their links. Throws INVALID_ARGUMENT if no links are kept. */
  hostMap(signal?: AbortSignal): Promise<HostMapStatus>;
  /** The largest clusters of duplicate pages. Throws INVALID_ARGUMENT if they cannot be listed. */
  duplicates(signal?: AbortSignal): Promise<DuplicateListStatus>;
  /** URLs without a page. Throws INVALID_ARGUMENT if they cannot be listed. */
  failures(signal?: AbortSignal): Promise<FailuresStatus>;
  /** `host`: as typed by a person. `from`: `next` of the previous page, empty for the first. */
  host(host: string, from: string): Promise<HostPageStatus>;
  /** `host`: as typed by a person. Resolves with the host's key once the event is durable. */
  act(act: HostAct, host: string, by: string, amount: number | null): Promise<string>;
  /** `urls`: as typed by a person. Resolves once those that the policy admits are durable in the crawl's log. */
  addSeeds(urls: readonly string[]): Promise<SeedsStatus>;
  /** Sends the dead letters with these ids again, of those that were listed last. Resolves with their ids. */
  replay(ids: readonly string[]): Promise<readonly string[]>;
  /** Resolves once it is durable; false: it was so already. `stop` does what a signal does to the process. */
  steer(act: CrawlAct, by: string): Promise<boolean>;
}

/** A crawl seen by the process that runs it. */
export interface OwnView extends CrawlView {
  /**
   * True: a host is blocked by an act of this view, has deferred URLs, and somebody has looked since, at most
   * `heldOpenMs` ago.
   */
  awaitsRelease(): Promise<boolean>;
}

export interface ViewedCrawl {
  readonly log: Pick<Log, 'offsets' | 'offsetAt' | 'reader'>;
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly topics: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode };
  readonly release: string;
  places(): Promise<readonly PartitionReport[]>;
  /** null: unknown. */
  members(): Promise<readonly MemberStatus[] | null>;
  /** null: unknown, or the fetchers are in the crawl's process. */
  fetchers(): Promise<number | null>;
  /** `idle` null: a process runs the crawl, or it is unknown. `silentMs`: since its last sign of life; null: unknown. */
  activity(nowMs: number): Promise<{ readonly idle: IdleStatus | null; readonly silentMs: number | null }>;
  /** null: it is not shown. */
  about(): Promise<Omit<AboutStatus, 'scope'> | null>;
  /** The folder of a crawl on this machine, with a disk that may become full; null: there is none, or it is not shown. */
  readonly folder: string | null;
  hosts: CrawlView['hosts'];
  explain: CrawlView['explain'];
  story: CrawlView['story'];
  record: CrawlView['record'];
  failures: CrawlView['failures'];
  /** null: no page is indexed on this machine. */
  search():
    | ((
        words: string,
        limit: number,
        signal?: AbortSignal,
      ) => Promise<readonly (SearchStatus['hits'][number] & { readonly fetchedAtMs: number })[]>)
    | null;
  /** null: no links are kept on this machine. */
  hostLinks(): HostLinks | null;
  /** null: nothing here lists them. */
  readonly duplicates: ((limit: number, signal?: AbortSignal) => Promise<DuplicateListStatus>) | null;
  /** Without its outcomes. `hostKey`: a host key of the crawl. */
  host(hostKey: string, from: string): Promise<Omit<HostPageStatus, 'outcomes'>>;
  /** Returns the host key of a typed host. */
  hostKey(host: string): string;
  /** The returned function gives the seed that a typed URL means. It throws INVALID_SEED if the policy refuses it. */
  seedsUnder(policy: PolicyConfig): Promise<(url: string) => string>;
  /** Ends the crawl in order; false: nothing in this process heeds it. null: this process does not run it. */
  readonly stop: ((by: string) => boolean) | null;
  /** Resolves once they are durable. */
  send(records: readonly RequestRecord[]): Promise<unknown>;
}
