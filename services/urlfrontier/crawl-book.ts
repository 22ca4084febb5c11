/**
 * The crawls that are served, by the ids that clients give them. `DEFAULT` is the crawl of the data folder, or the one
 * named by --crawl; each other id is a crawl of its own, with its own topics and state, made when a URL is first put to
 * it.
 *
 * Which ids there are is on the first crawl's `control`: an event for each, whose offset is the crawl's number. Where two
 * processes name one id at once, the first event counts. A kill between the event and the crawl's topics leaves a number
 * whose topics are made at the next start.
 *
 * Naming an id costs a stranger nothing, but each takes descriptors. No crawl is made that would bring the process near
 * its limit of open files, so that existing ids and connections go on.
 */

import { pullLimits } from '../../topology/frontier/pull/pull-limits.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { parsePolicy } from '../../topology/policy/validate.ts';
import { topicsOfCrawl } from '../../topology/topics.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import { controlEvent, controlEvents, readControl } from '../runtime/crawl/control-log.ts';
import { policyRecords } from '../runtime/crawl/requests.ts';
import type { Manifest } from '../runtime/data-folder/manifest.ts';
import type { Log } from '../runtime/log/log.ts';
import { descriptors } from './descriptors.ts';
import { CallFailed } from './grpc-server.ts';
import { putLimits } from './put-limits.ts';
import { defaultCrawlId, type ServedCrawl, type ServedCrawls, type ServedPartition } from './served-crawl.ts';
import { servedPolicy } from './served-policy.ts';

/** The part of a crawl's frontier that is in this process. */
export interface RunningCrawl {
  partitions(): readonly (ServedPartition | undefined)[];
  /** Resolves once the partitions that this process is to have are open. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export interface CrawlBookOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  /** Starts the frontier of a crawl whose topics are there. `number`: 0 for the first one. */
  start(crawl: string, number: number): Promise<RunningCrawl>;
}

interface Page extends ServedCrawl {
  readonly running: RunningCrawl;
}

export interface CrawlBook extends ServedCrawls {
  /** Changes the policy of all crawls, also of those made later; resolves once it is in force. */
  configure(change: Partial<Pick<PolicyConfig, 'delayMs' | 'paused'>>): Promise<void>;
  /** The policy of the first crawl; undefined while it is being opened. */
  readonly policy: PolicyConfig | undefined;
  /** Opens crawls that other processes have made meanwhile. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export async function openCrawlBook(options: CrawlBookOptions): Promise<CrawlBook> {
  const { log, codec, clock, manifest } = options;
  const pages = new Map<string, Page>();
  const opening = new Map<string, Promise<Page>>();

  const openPage = async (id: string, name: string, number: number): Promise<Page> => {
    await log.createTopics(topicsOfCrawl(name, manifest.partitions));
    await sendFirstPolicy(name);
    const running = await options.start(name, number);
    await running.ready();
    await untilPolicy(clock, running, 1);
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

  /** A crawl begins with the policy of the first, as it is by then. */
  const sendFirstPolicy = async (name: string): Promise<void> => {
    const { policy } = await readControl(log, codec, name);
    if (policy !== null) return;
    const first = name === manifest.crawl ? null : (await readControl(log, codec, manifest.crawl)).policy;
    const config = first === null ? servedPolicy() : parsePolicy(first.json);
    await log.append(policyRecords(codec, { ...manifest, crawl: name }, { ...config, version: 1 }, by, clock.nowMs()));
  };

  /** Crawls that are being opened do not have all of their partitions yet. */
  const refuseWithoutDescriptors = (): void => {
    const there = descriptors();
    if (there === undefined) return;
    const { idOpenFiles, idOtherFiles, descriptorShareMax } = putLimits;
    const wanted = opening.size * manifest.partitions * (idOpenFiles + idOtherFiles);
    if (there.open + wanted <= descriptorShareMax * there.max) return;
    const remedy = 'raise what it may have (ulimit -n), or use the ids there are';
    const message = `this process has ${there.open} of ${there.max} descriptors open, too few for one more crawl id: ${remedy}`;
    throw new CallFailed('RESOURCE_EXHAUSTED', message);
  };

  const numberOf = async (id: string): Promise<number> => {
    const known = (await readNumbers(log, codec, manifest.crawl)).get(id);
    if (known !== undefined) return known;
    if (pages.size + opening.size > pullLimits.crawlsMax) {
      throw new CallFailed('RESOURCE_EXHAUSTED', `there are ${pages.size} crawl ids, and may be no more`);
    }
    refuseWithoutDescriptors();
    const event = controlEvent({ kind: 'servedCrawl', atMs: clock.nowMs(), by, payload: JSON.stringify({ id }) });
    const topic = `${manifest.crawl}.control`;
    await log.append([{ topic, partition: 0, key: null, value: codec.encode('control', event) }]);
    return (await readNumbers(log, codec, manifest.crawl)).get(id)!;
  };

  const open = (id: string): Promise<ServedCrawl> => {
    const there = pages.get(id);
    if (there !== undefined) return Promise.resolve(there);
    const before = opening.get(id);
    if (before !== undefined) return before;
    const opened = numberOf(id)
      .then((number) => openPage(id, `${manifest.crawl}-${number}`, number))
      .finally(() => opening.delete(id));
    opening.set(id, opened);
    return opened;
  };

  const refresh = async () => {
    for (const [id] of await readNumbers(log, codec, manifest.crawl)) await open(id);
  };

  await openPage(defaultCrawlId, manifest.crawl, 0);
  await refresh();
  return {
    list: () => [...pages.values()],
    find: (id) => pages.get(id),
    open,
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
        await log.append(policyRecords(codec, { ...manifest, crawl: name }, config, by, clock.nowMs()));
        await untilPolicy(clock, running, version);
      }
    },
    stop: async () => {
      await Promise.all([...pages.values()].map(({ running }) => running.stop()));
    },
  };
}

const by = 'crawlstream urlfrontier';

/** Crawl ids and their numbers; the first event of an id counts. */
async function readNumbers(log: Log, codec: RecordCodec, crawl: string): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  const { start, end } = await log.offsets(`${crawl}.control`, 0);
  for await (const { offset, event } of controlEvents(log, codec, crawl, 0, start, end)) {
    if (event.kind !== 'servedCrawl') continue;
    const { id } = JSON.parse(event.payload) as { id: string };
    if (!numbers.has(id)) numbers.set(id, offset);
  }
  return numbers;
}

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
