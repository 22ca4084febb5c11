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
  const { log, codec, clock, manifest } = options;
  const pages = new Map<string, Page>();
  const opening = new Map<string, Promise<Page>>();
  const numbers = crawlNumbers({ log, codec, clock, crawl: manifest.crawl, by });

  const openPage = async (id: string, name: string, number: number): Promise<Page> => {
    await log.createTopics(topicsOfCrawl(name, manifest.partitions));
    const version = await settlePolicy(name);
    const running = await options.start(name, number);
    await running.ready();
    await untilPolicy(clock, running, version);
    const page: Page = {
      id,
      name,
      running,
      get partitions() {
        return running.partitions();
      },
    };
    pages.set(id, page);
    return page;
  };

  const sendPolicy = (name: string, config: PolicyConfig): Promise<unknown> =>
    log.append(policyRecords(codec, { ...manifest, crawl: name }, config, by, clock.nowMs()));

  /**
   * A new crawl begins with the current policy of the first one, and then follows changes made while it was not open.
   * Resolves with the version of the policy to use.
   */
  const settlePolicy = async (name: string): Promise<number> => {
    const { policy } = await readControl(log, codec, name);
    const own = policy === null ? null : parsePolicy(policy.json);
    if (name === manifest.crawl) {
      if (own === null) await sendPolicy(name, { ...servedPolicy(), version: 1 });
      return 1;
    }
    const first = parsePolicy((await readControl(log, codec, manifest.crawl)).policy!.json);
    if (own === null) {
      await sendPolicy(name, { ...first, version: 1 });
      return 1;
    }
    const { delayMs, paused = false } = first;
    if (own.delayMs === delayMs && (own.paused ?? false) === paused) return 1;
    const version = Math.max(clock.nowMs(), own.version + 1);
    await sendPolicy(name, { ...own, delayMs, paused, version });
    return version;
  };

  /** Crawls that are being opened do not have all of their partitions yet. */
  const refuseWithoutDescriptors = (): void => {
    const there = descriptors();
    if (there === undefined) return;
    const { idOpenFiles, idOtherFiles, descriptorShareMax } = putLimits;
    const wanted = opening.size * manifest.partitions * (idOpenFiles + idOtherFiles);
    if (there.open + wanted <= descriptorShareMax * there.max) return;
    const remedy = 'raise its limit (ulimit -n), or use existing crawl ids';
    const message = `this process has ${there.open} of ${there.max} file descriptors open, too many for another crawl: ${remedy}`;
    throw new CallFailed('RESOURCE_EXHAUSTED', message);
  };

  const numberOf = async (id: string): Promise<number> => {
    const known = (await numbers.readOn()).get(id);
    if (known !== undefined) return known;
    if (numbers.all.size >= pullLimits.crawlsMax) {
      const remedy = 'delete a crawl (DeleteCrawl)';
      throw new CallFailed(
        'RESOURCE_EXHAUSTED',
        `there are ${numbers.all.size} crawl ids, which is the limit: ${remedy}`,
      );
    }
    return numbers.add(id);
  };

  const open = (id: string): Promise<ServedCrawl> => {
    const there = pages.get(id);
    if (there !== undefined) return Promise.resolve(there);
    const before = opening.get(id);
    if (before !== undefined) return before;
    const begin = async () => {
      refuseWithoutDescriptors();
      const number = await numberOf(id);
      return openPage(id, `${manifest.crawl}-${number}`, number);
    };
    const opened = begin().finally(() => opening.delete(id));
    opening.set(id, opened);
    return opened;
  };

  const isFreed = ({ id, name }: Page) => id !== defaultCrawlId && name !== `${manifest.crawl}-${numbers.all.get(id)}`;

  const close = async (id: string) => {
    const page = pages.get(id);
    if (page === undefined || !isFreed(page)) return;
    pages.delete(id);
    await page.running.stop(true);
  };

  const refresh = async () => {
    await numbers.readOn();
    for (const id of pages.keys()) await close(id);
    for (const id of numbers.all.keys()) {
      await open(id).catch((error) => {
        if (!(error instanceof CallFailed)) throw error;
      });
    }
  };

  await openPage(defaultCrawlId, manifest.crawl, 0);
  await numbers.readOn();
  return {
    ids: () => [defaultCrawlId, ...numbers.all.keys()],
    list: () => [...pages.values()],
    find: async (id) => pages.get(id) ?? (numbers.all.has(id) ? await open(id) : undefined),
    open,
    free: async (id) => {
      if (id !== defaultCrawlId && numbers.all.has(id)) await numbers.end(id);
    },
    close: async (id) => {
      await numbers.readOn();
      await close(id);
    },
    refresh,
    get policy() {
      return policyOf(pages.get(defaultCrawlId)!.running);
    },
    configure: async (change) => {
      for (const { name, running } of pages.values()) {
        const { policy } = await readControl(log, codec, name);
        const before = parsePolicy(policy!.json);
        const version = Math.max(clock.nowMs(), before.version + 1);
        const config = { ...before, ...change, version };
        await sendPolicy(name, config);
        await untilPolicy(clock, running, version);
      }
    },
    stop: async () => {
      await Promise.all([...pages.values()].map(({ running }) => running.stop()));
    },
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
