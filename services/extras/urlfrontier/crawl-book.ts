/**
 * The served crawls, by the ids that clients use. `DEFAULT` is the crawl of the data folder, or the one named by
 * --crawl; each other id is a separate crawl, with its own topics and state, created by the first put of a URL to it,
 * and opened in a process on demand.
 *
 * The existing ids are on the first crawl's `control` (crawl-numbers.ts). A kill between the event and the crawl's
 * topics leaves a number without topics, which are created when it is opened. Deleting a crawl frees its id before
 * the crawl is ended: a put reaches the old crawl during its deletion, and a new one afterwards. Its topics stay,
 * empty.
 *
 * Naming an id costs a stranger nothing, but each takes descriptors. So no crawl is created that would bring the
 * process near its limit of open files, and existing ids and connections continue to work.
 */

import { pullLimits } from '../../../topology/frontier/pull/pull-limits.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { policyRecords } from '../../runtime/crawl/requests.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { descriptors } from '../../runtime/descriptors.ts';
import { CallFailed } from '../../runtime/grpc/grpc-server.ts';
import type { Log } from '../../runtime/log/log.ts';
import { crawlNumbers } from './crawl-numbers.ts';
import { putLimits } from './put-limits.ts';
import { defaultCrawlId, type ServedCrawl, type ServedCrawls, type ServedPartition } from './served-crawl.ts';
import { servedPolicy } from './served-policy.ts';

/** The part of a crawl's frontier that is in this process. */
export interface RunningCrawl {
  partitions(): readonly (ServedPartition | undefined)[];
  /** Resolves once the partitions that this process is to have are open. */
  ready(): Promise<void>;
  /** `forgets`: the crawl was deleted, and its state is, too. */
  stop(forgets?: boolean): Promise<void>;
}

export interface CrawlBookOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  /** Starts the frontier of a crawl with existing topics. `number`: 0 for the first one. */
  start(crawl: string, number: number): Promise<RunningCrawl>;
}

interface Page extends ServedCrawl {
  readonly running: RunningCrawl;
}

export interface CrawlBook extends ServedCrawls {
  /** Changes the policy of all crawls, also of those opened or made later; resolves once it is in force. */
  configure(change: Partial<Pick<PolicyConfig, 'delayMs' | 'paused'>>): Promise<void>;
  /** The policy of the first crawl; undefined while it is being opened. */
  readonly policy: PolicyConfig | undefined;
  /** Opens crawls that other processes have made meanwhile, and ends those they have deleted. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export async function openCrawlBook(options: CrawlBookOptions): Promise<CrawlBook> {
  const book = new ServedBook(options);
  await book.begin();
  return book;
}

class ServedBook implements CrawlBook {
  readonly #options: CrawlBookOptions;
  readonly #log: CrawlBookOptions['log'];
  readonly #codec: CrawlBookOptions['codec'];
  readonly #clock: CrawlBookOptions['clock'];
  readonly #manifest: CrawlBookOptions['manifest'];
  readonly #pages = new Map<string, Page>();
  readonly #opening = new Map<string, Promise<Page>>();
  readonly #numbers: ReturnType<typeof crawlNumbers>;

  constructor(options: CrawlBookOptions) {
    this.#options = options;
    const { log, codec, clock, manifest } = options;
    this.#log = log;
    this.#codec = codec;
    this.#clock = clock;
    this.#manifest = manifest;
    this.#numbers = crawlNumbers({ log, codec, clock, crawl: manifest.crawl, by });
  }

  async #openPage(id: string, name: string, number: number): Promise<Page> {
    await this.#log.createTopics(topicsOfCrawl(name, this.#manifest.partitions));
    const version = await this.#settlePolicy(name);
    const running = await this.#options.start(name, number);
    await running.ready();
    await untilPolicy(this.#clock, running, version);
    const page: Page = {
      id,
      name,
      running,
      get partitions() {
        return running.partitions();
      },
    };
    this.#pages.set(id, page);
    return page;
  }

  #sendPolicy(name: string, config: PolicyConfig): Promise<unknown> {
    return this.#log.append(
      policyRecords(this.#codec, { ...this.#manifest, crawl: name }, config, by, this.#clock.nowMs()),
    );
  }

  /**
   * A new crawl begins with the current policy of the first one, and then follows changes made while it was not open.
   * Resolves with the version of the policy to use.
   */
  async #settlePolicy(name: string): Promise<number> {
    const { policy } = await readControl(this.#log, this.#codec, name);
    const own = policy === null ? null : parsePolicy(policy.json);
    if (name === this.#manifest.crawl) {
      if (own === null) await this.#sendPolicy(name, { ...servedPolicy(), version: 1 });
      return 1;
    }
    const first = parsePolicy((await readControl(this.#log, this.#codec, this.#manifest.crawl)).policy!.json);
    if (own === null) {
      await this.#sendPolicy(name, { ...first, version: 1 });
      return 1;
    }
    const { delayMs, paused = false } = first;
    if (own.delayMs === delayMs && (own.paused ?? false) === paused) return 1;
    const version = Math.max(this.#clock.nowMs(), own.version + 1);
    await this.#sendPolicy(name, { ...own, delayMs, paused, version });
    return version;
  }

  /** Crawls that are being opened do not have all of their partitions yet. */
  #refuseWithoutDescriptors(): void {
    const there = descriptors();
    if (there === undefined) return;
    const { idOpenFiles, idOtherFiles, descriptorShareMax } = putLimits;
    const wanted = this.#opening.size * this.#manifest.partitions * (idOpenFiles + idOtherFiles);
    if (there.open + wanted <= descriptorShareMax * there.max) return;
    const remedy = 'raise its limit (ulimit -n), or use existing crawl ids';
    const message = `this process has ${there.open} of ${there.max} file descriptors open, too many for another crawl: ${remedy}`;
    throw new CallFailed('RESOURCE_EXHAUSTED', message);
  }

  async #numberOf(id: string): Promise<number> {
    const known = (await this.#numbers.readOn()).get(id);
    if (known !== undefined) return known;
    if (this.#numbers.all.size >= pullLimits.crawlsMax) {
      const remedy = 'delete a crawl (DeleteCrawl)';
      throw new CallFailed(
        'RESOURCE_EXHAUSTED',
        `there are ${this.#numbers.all.size} crawl ids, which is the limit: ${remedy}`,
      );
    }
    return this.#numbers.add(id);
  }

  readonly open = (id: string): Promise<ServedCrawl> => {
    const there = this.#pages.get(id);
    if (there !== undefined) return Promise.resolve(there);
    const before = this.#opening.get(id);
    if (before !== undefined) return before;
    const begin = async () => {
      this.#refuseWithoutDescriptors();
      const number = await this.#numberOf(id);
      return this.#openPage(id, `${this.#manifest.crawl}-${number}`, number);
    };
    const opened = begin().finally(() => this.#opening.delete(id));
    this.#opening.set(id, opened);
    return opened;
  };

  #isFreed({ id, name }: Page) {
    return id !== defaultCrawlId && name !== `${this.#manifest.crawl}-${this.#numbers.all.get(id)}`;
  }

  async #close(id: string) {
    const page = this.#pages.get(id);
    if (page === undefined || !this.#isFreed(page)) return;
    this.#pages.delete(id);
    await page.running.stop(true);
  }

  readonly refresh = async () => {
    await this.#numbers.readOn();
    for (const id of this.#pages.keys()) await this.#close(id);
    for (const id of this.#numbers.all.keys()) {
      await this.open(id).catch((error) => {
        if (!(error instanceof CallFailed)) throw error;
      });
    }
  };

  /** Opens the first crawl. */
  async begin(): Promise<void> {
    await this.#openPage(defaultCrawlId, this.#manifest.crawl, 0);
    await this.#numbers.readOn();
  }

  readonly ids: CrawlBook['ids'] = () => [defaultCrawlId, ...this.#numbers.all.keys()];
  readonly list: CrawlBook['list'] = () => [...this.#pages.values()];
  readonly find: CrawlBook['find'] = async (id) =>
    this.#pages.get(id) ?? (this.#numbers.all.has(id) ? await this.open(id) : undefined);
  readonly free: CrawlBook['free'] = async (id) => {
    if (id !== defaultCrawlId && this.#numbers.all.has(id)) await this.#numbers.end(id);
  };

  readonly close: CrawlBook['close'] = async (id) => {
    await this.#numbers.readOn();
    await this.#close(id);
  };

  get policy() {
    return policyOf(this.#pages.get(defaultCrawlId)!.running);
  }

  readonly configure: CrawlBook['configure'] = async (change) => {
    for (const { name, running } of this.#pages.values()) {
      const { policy } = await readControl(this.#log, this.#codec, name);
      const before = parsePolicy(policy!.json);
      const version = Math.max(this.#clock.nowMs(), before.version + 1);
      const config = { ...before, ...change, version };
      await this.#sendPolicy(name, config);
      await untilPolicy(this.#clock, running, version);
    }
  };

  readonly stop: CrawlBook['stop'] = async () => {
    await Promise.all([...this.#pages.values()].map(({ running }) => running.stop()));
  };
}

const by = 'crawlstream urlfrontier';

function policyOf(running: RunningCrawl): PolicyConfig | undefined {
  for (const partition of running.partitions()) {
    const config = partition?.core?.policy?.config;
    if (config !== undefined) return config;
  }
  return undefined;
}

const lookEveryMs = 2;

/** Waits until every partition of this process decides by this policy or a later one. */
async function untilPolicy(clock: Clock, running: RunningCrawl, version: number): Promise<void> {
  const isBehind = (partition: ServedPartition | undefined) =>
    partition?.core !== undefined && partition.core.state.policyVersion < version;
  while (running.partitions().some(isBehind)) await clock.sleepUntil(clock.nowMs() + lookEveryMs);
}
