/** The pages, links and other records that one flush cycle sends before its results. */
import type { LinkGroup, Outcome, Page, Request } from '../../../schemas/types.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { logLimits } from '../../runtime/log/log-limits.ts';
import { DiscoveredBatch, type DiscoveredOptions } from './discovered-batch.ts';
import type { Unsent } from './result-record.ts';

/** The trace of a URL, as far as publishing goes. */
export interface PublishSpans {
  /** Span context in the page, so that its readers continue from there. */
  readonly publishContext: string;
  /** The reports are durable. */
  acked(): void;
}

/** A report of a lease: of a URL, or, without an outcome, of links. */
export interface Report {
  readonly outcome: Outcome | null;
  /** In the order they started. */
  readonly requests: readonly Request[];
  readonly page: Page | null;
  /** True: there is a page, which may not be published any more: earlier records of it are taken back. Absent: no. */
  readonly withdrawn?: boolean;
  readonly groups: readonly LinkGroup[];
  /** For the link cache, after the ack. */
  readonly pending: readonly number[];
  /** Spans of a URL that is traced. */
  readonly spans?: PublishSpans | undefined;
}

export interface LeaseState extends Unsent {
  /** Reports with pages and links that are not acked yet. */
  unacked: number;
  /** Time since which the oldest unsent outcome may be sent, ms; 0: none. */
  readySinceMs: number;
  finished: boolean;
}

/** A report, its page and links being in a cycle. */
interface Gathered extends Pick<Report, 'requests' | 'spans'> {
  readonly lease: LeaseState;
  outcome: Outcome | null;
  /** Its page, among the records. */
  readonly record: AppendRecord | undefined;
}

export interface CycleOptions extends DiscoveredOptions {
  /** Full names. */
  readonly topics: Readonly<Record<'pages' | 'discovered', string>>;
}

export class Cycle {
  readonly reports: Gathered[] = [];
  /** For the link cache, after the ack. */
  readonly pending: number[] = [];
  /** About the bytes of its records. */
  bytes = 0;
  readonly #options: CycleOptions;
  /**
   * Pages and responses, encoded at once, as links are: waiting bytes cost the garbage collector nothing, while a
   * string that is a piece of a page keeps all of the page's text.
   */
  readonly #records: AppendRecord[] = [];
  readonly #links: DiscoveredBatch;

  constructor(options: CycleOptions) {
    this.#options = options;
    this.#links = new DiscoveredBatch(options);
  }

  get isEmpty(): boolean {
    return this.reports.length + this.#records.length === 0;
  }

  /** Returns about the bytes that the report adds. */
  add(lease: LeaseState, report: Report): number {
    const before = this.bytes;
    lease.unacked += 1;
    this.reports.push(this.#gathered(lease, report));
    for (const group of report.groups) this.bytes += this.#links.add(group);
    for (const number of report.pending) this.pending.push(number);
    return this.bytes - before;
  }

  addRecord(record: AppendRecord & { readonly value: Buffer }): void {
    this.#records.push(record);
    this.bytes += record.value.length;
  }

  #gathered(lease: LeaseState, { requests, spans, outcome, page, withdrawn }: Report): Gathered {
    const { codec, topics } = this.#options;
    const at = { topic: topics.pages, partition: lease.task.partition };
    if (withdrawn === true && outcome !== null) {
      const key = Buffer.from(outcome.url);
      this.addRecord({ ...at, key, value: Buffer.alloc(0) });
      this.bytes += key.length;
    }
    if (page === null) return { lease, outcome, requests, spans, record: undefined };
    const value = codec.encode('pages', page);
    if (value.length > logLimits.recordBytesMax) {
      // No log accepts a record of this size, and it would make the whole append fail.
      const detail = `the page’s record has ${value.length} bytes; at most ${logLimits.recordBytesMax} are allowed`;
      const tooLarge = outcome === null ? null : ({ ...outcome, kind: 'tooLarge', detail } as const);
      return { lease, outcome: tooLarge, requests, spans, record: undefined };
    }
    const headers = spans === undefined ? {} : { headers: { traceparent: spans.publishContext } };
    const record = { ...at, key: Buffer.from(page.url), value, ...headers };
    this.addRecord(record);
    return { lease, outcome, requests, spans, record };
  }

  /** All of it, for the log. */
  records(): AppendRecord[] {
    return [...this.#records, ...this.#links.records(this.#options.topics.discovered)];
  }

  /** The report of the page in the record. */
  reportOf(record: AppendRecord | undefined): Gathered | undefined {
    return this.reports.find((one) => one.record !== undefined && one.record === record);
  }
}
