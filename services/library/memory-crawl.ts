/**
 * One crawl in memory: policy and seeds as records, the whole application over a log that forgets, and the pages it
 * finds on their way to the user.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Outcome } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import { isRetriable } from '../../topology/fetch/outcome.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import { runCrawl } from '../application/crawl/run-crawl.ts';
import type { RunningWhole } from '../application/crawl/start-whole.ts';
import { isStrings } from '../runtime/check-options.ts';
import { type Clock, SystemClock } from '../runtime/clock.ts';
import { policyRecords, seedRecords } from '../runtime/crawl/requests.ts';
import { createMemoryStore } from '../runtime/store/memory-store.ts';
import { errorOf } from '../runtime/thrown.ts';
import { type CrawledPage, type CrawlOptions, checkCrawlOptions } from './crawl-options.ts';
import { policyOf } from './crawl-policy.ts';
import { fetcherOf } from './fetcher-options.ts';
import { forgetRegularly, type MemoryLog, openMemoryLog } from './memory-log.ts';
import { PageFlow } from './page-flow.ts';
import type { CrawlControls } from './running-crawl.ts';
import { UrlIntake } from './url-intake.ts';

const manifest = { crawl: 'library', partitions: 1, keyMode: 'host' } as const;
const queueMaxByDefault = 100_000;
const concurrencyByDefault = 10;
/** A callback that ignores its signal may still finish writing. */
const callbackGraceMs = 2_000;

export class MemoryCrawl implements CrawlControls {
  readonly #options: CrawlOptions;
  readonly #clock: Clock = new SystemClock();
  readonly #stop = new AbortController();
  readonly #flow: PageFlow<CrawledPage>;
  readonly #intake: Promise<UrlIntake>;
  #opened!: (intake: UrlIntake) => void;
  #notOpened!: (error: unknown) => void;
  #failure: { readonly error: unknown } | undefined;
  #whole: RunningWhole | undefined;

  constructor(options: CrawlOptions) {
    this.#options = options;
    // Options are checked when it runs: mistakes in them reject its promise.
    const { concurrency = concurrencyByDefault, onPage } = options ?? {};
    this.#flow = new PageFlow(concurrency, onPage, (error) => this.#fail(error));
    this.#intake = new Promise((resolve, reject) => {
      this.#opened = resolve;
      this.#notOpened = reject;
    });
    this.#intake.catch(() => {});
  }

  async whole(): Promise<Readonly<Counters>> {
    try {
      const counters = await this.#run();
      await this.#handled();
      if (this.#failure !== undefined) throw this.#failure.error;
      this.#flow.end({ wanted: !this.#signal.aborted });
      return counters;
    } catch (error) {
      this.#notOpened(error);
      this.#flow.end({ error, wanted: false });
      throw error;
    }
  }

  async add(urls: readonly string[]): Promise<void> {
    if (!isStrings(urls)) {
      throw new CrawlstreamError('INVALID_ARGUMENT', "add: give a list of URLs, as in ['https://example.org/']");
    }
    await (await this.#intake).add(urls);
  }

  end(): void {
    this.#intake.then(
      (intake) => intake.end(),
      () => {},
    );
  }

  iterate(begun: boolean): void {
    this.#flow.keep(begun);
  }

  next(): Promise<IteratorResult<CrawledPage>> {
    return this.#flow.next();
  }

  leave(): void {
    this.#stop.abort();
    this.#flow.end({ wanted: false });
  }

  /** A crawl that was stopped does not wait for a callback that may never settle: only as long as one takes to clear up. */
  async #handled(): Promise<void> {
    const signal = this.#signal;
    const late = new AbortController();
    const giveUp = async () => {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await this.#clock.sleepUntil(this.#clock.nowMs() + callbackGraceMs, late.signal);
    };
    await Promise.race([this.#flow.handled(), giveUp()]);
    late.abort();
  }

  #fail(thrown: unknown): void {
    this.#failure ??= { error: errorOf(thrown) };
    this.#stop.abort();
  }

  get #signal(): AbortSignal {
    const { signal } = this.#options;
    return signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
  }

  async #run(): Promise<Counters> {
    checkCrawlOptions(this.#options);
    const opened = await openMemoryLog(manifest.crawl, manifest.partitions, this.#clock);
    try {
      return await this.#runOver(opened);
    } finally {
      await opened.log.close();
    }
  }

  async #runOver(opened: MemoryLog): Promise<Counters> {
    const { log, codec } = opened;
    const clock = this.#clock;
    const signal = this.#signal;
    setMaxListeners(0, signal);
    const { seeds, concurrency = concurrencyByDefault, queueMax = queueMaxByDefault, keepOpen = false } = this.#options;
    const policy = await policyOf(this.#options, clock.nowMs());
    await log.append(policyRecords(codec, manifest, policy.config, 'library', clock.nowMs()));
    const intake = new UrlIntake({
      ...{ clock, policy, keepOpen },
      queueMax: Math.min(queueMax, policy.config.queuedMax),
      decided: () => this.#committed(),
      async append(urls) {
        const offsets = await log.append(seedRecords(codec, manifest, urls, clock.nowMs()));
        return offsets.at(-1)! + 1;
      },
    });
    const close = () => intake.close(signal.aborted ? 'the crawl was stopped' : 'the crawl is over');
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    // Seeds beyond the room of the queue are added while the crawl runs.
    const seeded = intake.add(seeds).catch((error) => {
      // Seeds that were not added before the crawl ended were not wanted any more: this is not a failure.
      if (error instanceof CrawlstreamError && error.code === 'UNSUPPORTED') return;
      if (!signal.aborted) this.#fail(error);
    });
    this.#opened(intake);
    try {
      const { counters } = await runCrawl({
        ...{ log, codec, clock, manifest, signal, graceMs: 0 },
        frontier: { key: randomKey(), stores: [createMemoryStore()], endsLeases: true, leasesMax: concurrency },
        fetcher: await fetcherOf(this.#options, policy, concurrency, {
          onPage: (page) => this.#flow.put(page),
          onOutcome: (outcome, depth) => this.#reportFailed(outcome, depth),
          room: (untilMs, stopping) => this.#flow.room(untilMs - clock.nowMs(), stopping),
        }),
        processors: {
          failed: new Promise<never>(() => {}),
          settle: () => intake.settled(),
          drain: async () => {},
          stop: async () => {},
        },
        onStatus: ({ counters, pageQuota }) => {
          if (pageQuota !== null && counters.quotaSpent >= pageQuota) intake.close('the page quota is used up');
        },
        attend: async (whole) => {
          this.#whole = whole;
          return {
            ...forgetRegularly(opened, manifest.crawl, clock, () => this.#readFrom()),
            over: async () => close(),
          };
        },
      });
      return counters;
    } finally {
      close();
      signal.removeEventListener('abort', close);
      await seeded;
    }
  }

  #reportFailed({ kind, url, status, detail }: Outcome, depth: number): void {
    const { onFailed } = this.#options;
    if (onFailed === undefined || noFailures.has(kind)) return;
    const why = reasons[kind]?.(url) ?? detail;
    this.#flow.handle(async () => onFailed({ url, depth, kind, status, detail: why, retriable: isRetriable(kind) }));
  }

  #committed() {
    const committed = this.#whole?.frontier.committed()[0];
    return committed && { counters: committed.counters, offset: committed.positions.discovered.offset };
  }

  #readFrom() {
    const positions = this.#whole?.frontier.committed()[0]?.positions;
    const tasks = this.#whole?.fetcher.positions()[0]?.offset;
    if (positions === undefined || tasks === undefined) return undefined;
    return { results: positions.results.offset, discovered: positions.discovered.offset, tasks };
  }
}

/**
 * Details for some outcome kinds. In a crawl of the command their records need none, but here they would say too
 * little.
 */
const reasons: Readonly<Record<string, (url: string) => string>> = {
  robotsDenied: (url) => `${new URL(url).origin}/robots.txt`,
  blockedAddress: () => 'its address is private; set the option allowPrivate to crawl it',
};

/** Kinds of outcomes for which `onFailed` is not called. */
const noFailures: ReadonlySet<string> = new Set(['fetched', 'notModified', 'redirect', 'returned']);

function randomKey() {
  const key = randomBytes(8);
  return { hi: key.readUInt32BE(0), lo: key.readUInt32BE(4) };
}
