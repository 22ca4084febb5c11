/**
 * The machines of a run and the services that start on them: the real frontier and fetcher services over simulated
 * ports.
 *
 * A machine keeps its disk; the process on it may die, and another be started. A process that fails is restarted, as by
 * a supervisor.
 */
import { createApplication, endOfTasks } from '../../services/application/application.ts';
import { startWhole } from '../../services/application/crawl/start-whole.ts';
import type { Standby } from '../../services/frontier/standby/standby.ts';
import type { RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { FrontierPartition } from '../../topology/frontier/partition.ts';
import type { FingerprintKey } from '../../topology/frontier/state/state.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import { type Chance, chanceOf } from './chance.ts';
import type { Cluster } from './cluster.ts';
import { createDisk, type Disk } from './disk.ts';
import type { Groups } from './groups.ts';
import { createProcess, type SimProcess } from './process.ts';
import type { SimRegistry } from './registry.ts';
import type { Scheduler } from './scheduler.ts';
import { type AppendFault, createSimLog, type Landing, type SimLog } from './sim-log.ts';
import type { Web } from './web.ts';
import type { World } from './world.ts';

export const crawl = 's';
export const fingerprintKey: FingerprintKey = { hi: 0x1234_5678, lo: 0x9abc_def0 };

export interface Machine {
  readonly name: string;
  readonly disk: Disk;
  readonly process: SimProcess;
  /** Open partitions, by number. */
  readonly live: ReadonlyMap<number, FrontierPartition>;
  /** Warm copies that it keeps now, by partition. */
  readonly copies: ReadonlyMap<number, Standby>;
  kill(landing: Landing, downMs: number): void;
  /** It is cut off from the others for a while, and continues to work. */
  isolate(forMs: number): void;
  /** It stops in good order. */
  stop(downMs: number): void;
  /** It stops, or is killed, and is not restarted before then. */
  rest(untilMs: number, killed: boolean): void;
  /** Its wall clock is set, ms forwards or backwards, and keeps that error for later processes on the machine. */
  setClock(byMs: number): void;
  /** The next append to the topic fails in this way. */
  failAppend(topic: string, fault: AppendFault): void;
}

export interface MachineOptions {
  readonly seed: number;
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly cluster: Cluster;
  readonly groups: Groups;
  readonly web: Web;
  /** Codec of the observers: a process has a separate one. */
  readonly codec: RecordCodec;
  readonly registry: SimRegistry;
  readonly violate: (what: string) => void;
}

/** The parts of its machine that a role needs. */
interface Start extends MachineOptions {
  readonly process: SimProcess;
  readonly log: SimLog;
  readonly disk: Disk;
  readonly onOpened: (partition: FrontierPartition) => void;
  readonly onCopies: (copies: () => ReadonlyMap<number, Standby>) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Starts the service with this name, and returns the function that stops it. */
type Role = (start: Start) => Promise<() => Promise<void>>;

export function createMachine(name: string, options: MachineOptions): Machine {
  const { seed, world, scheduler, groups, web, codec, registry } = options;
  const disk = createDisk(scheduler.nowMs);
  const chance = chanceOf(seed, name);
  const failures: { readonly topic: string; readonly fault: AppendFault }[] = [];
  let live = new Map<number, FrontierPartition>();
  let copies = (): ReadonlyMap<number, Standby> => new Map();
  let generation = 0;
  let clockOffMs = 0;
  let restUntilMs = 0;
  let process: SimProcess;
  let log: SimLog;
  let stopRole: (() => Promise<void>) | undefined;

  const start = () => {
    if (scheduler.nowMs() < restUntilMs) return void scheduler.at(restUntilMs, start);
    const mine = createProcess({
      name: `${name}.${++generation}`,
      scheduler,
      chance,
      clockOffMs: chance.between(0, world.skewMs) + clockOffMs,
    });
    process = mine;
    live = new Map();
    stopRole = undefined;
    log = createSimLog({ ...options, process, embedded: world.embedded, faultOf: (topics) => takeFailure(topics) });
    const onFailure = (error: unknown) => {
      if (mine.state === 'dead') return;
      const planned = error instanceof CrawlstreamError && (error.retriable || error.code === 'DISK_FULL');
      if (!planned) options.violate(`${mine.name} failed: ${(error as Error).stack}`);
      scheduler.note(`${mine.name} failed: ${(error as Error).message}`);
      machine.kill('all', chance.between(200, 3_000));
    };
    const opened = live;
    const onOpened = (partition: FrontierPartition) => void opened.set(partition.identity.partition, partition);
    const onCopies: Start['onCopies'] = (ranges) => {
      if (mine.state !== 'dead') copies = ranges;
    };
    const crawlOf = async () => (world.embedded ? { log, codec } : registry.open(log, mine.clock, crawl));
    const startRole = (own: { readonly log: SimLog; readonly codec: RecordCodec }) =>
      roleOf(name)({ ...options, ...own, process: mine, disk, onOpened, onCopies, onFailure });
    crawlOf()
      .then(startRole)
      .then((stop) => {
        stopRole = stop;
      }, onFailure);
  };

  const takeFailure = (topics: readonly string[]): AppendFault | undefined => {
    const index = failures.findIndex(({ topic }) => topics.includes(`${crawl}.${topic}`));
    return index < 0 ? undefined : failures.splice(index, 1)[0]!.fault;
  };

  const gone = (downMs: number) => {
    live = new Map();
    copies = () => new Map();
    web.hangUp(process);
    disk.crash();
    groups.suspect(process);
    scheduler.at(scheduler.nowMs() + downMs, start);
  };

  const machine: Machine = {
    name,
    disk,
    get process() {
      return process;
    },
    get live() {
      return live;
    },
    get copies() {
      return copies();
    },
    kill(landing, downMs) {
      if (process.state === 'dead') return;
      scheduler.note(`${process.name} is killed`);
      process.kill();
      log.cutOff(landing);
      gone(downMs);
    },
    stop(downMs) {
      const stopping = process;
      if (stopRole === undefined || stopping.state !== 'running') return;
      scheduler.note(`${stopping.name} gets the order to stop`);
      const ended = () => {
        if (stopping.state === 'dead') return;
        scheduler.note(`${stopping.name} has stopped`);
        stopping.kill();
        gone(downMs);
      };
      stopRole().then(ended, (error) => {
        const planned = error instanceof CrawlstreamError && (error.retriable || error.code === 'DISK_FULL');
        if (!planned) options.violate(`${stopping.name} failed to stop: ${(error as Error).stack}`);
        ended();
      });
      stopRole = undefined;
    },
    rest(untilMs, killed) {
      restUntilMs = untilMs;
      if (killed || stopRole === undefined || process.state !== 'running') machine.kill('all', 0);
      else machine.stop(0);
    },
    isolate(forMs) {
      log.awayUntilMs = scheduler.nowMs() + forMs;
      groups.isolated(process, log.awayUntilMs);
    },
    setClock(byMs) {
      clockOffMs += byMs;
      process.jump(byMs);
    },
    failAppend: (topic, fault) => void failures.push({ topic, fault }),
  };
  start();
  return machine;
}

function roleOf(name: string): Role {
  if (name.startsWith('frontier')) return takeFrontierRole;
  return name.startsWith('fetcher') ? takeFetcherRole : takeBothRoles;
}

const takeFrontierRole: Role = async ({ log, codec, process, world, cluster, disk, onOpened, onCopies, onFailure }) => {
  const group = await applicationOf({ log, codec, process, world }).frontierMember({
    ...frontierOptions(process),
    endsLeases: false,
    leasesPerPartition: world.leasesPerPartition,
    standbys: world.standbys ? 1 : 0,
    openStore: (partition) => disk.open(process, `${partition}`),
    onOpened,
    onStandbyTrouble: (error) => {
      if (!error.retriable && !(cluster.lost.size > 0 && isOfLoss(error))) onFailure(error);
    },
    onFailure,
  });
  onCopies(() => group.standbys());
  return () => group.stop();
};

const takeFetcherRole: Role = async (start) => {
  const group = await applicationOf(start).fetcherMember(fetcherOptions(start));
  return () => group.stop();
};

/** As for a crawl in one process (runCrawl): the fetcher is at the end of `tasks` before a partition is claimed. */
const takeBothRoles: Role = async (start) => {
  const { log, process, world, disk, onOpened, onFailure } = start;
  const stores = [];
  for (let partition = 0; partition < world.partitions; partition++) {
    stores.push(await disk.open(process, `${partition}`));
  }
  const running = await startWhole(applicationOf(start), {
    at: await endOfTasks({ log, manifest: manifestOf(world) }),
    frontier: {
      ...frontierOptions(process),
      stores,
      endsLeases: true,
      leasesMax: world.leasesPerPartition * world.partitions,
      onOpened,
    },
    fetcher: fetcherOptions(start),
  });
  running.frontier.ended.catch(onFailure);
  return running.stop;
};

function applicationOf({ log, codec, process, world }: Pick<Start, 'log' | 'codec' | 'process' | 'world'>) {
  return createApplication({ log, codec, clock: process.clock, manifest: manifestOf(world) });
}

export function manifestOf({ partitions }: World) {
  return { crawl, partitions, keyMode: 'host' as const };
}

export function frontierOptions(process: SimProcess) {
  return { key: fingerprintKey, nonce: () => `${process.chance.next()}` };
}

export function fetcherOptions({ process, web, onFailure }: Pick<Start, 'process' | 'web' | 'onFailure'>) {
  const { chance } = process;
  return {
    fetcherId: process.name,
    normalize: compileNormalizer(),
    dnsLookup: web.dnsLookup(process),
    openHttp: web.openHttp(process),
    ...(web.outages && { watchesNetwork: true }),
    randomInt: (max: number) => draw(chance, max),
    onFailure,
    config: {
      version: '0.0.0',
      contact: '',
      allowPrivate: false,
      resolve: [],
      addressDelayMs: 0,
      groupSize: () => 1,
      linksMax: 100,
      leasesMax: 50,
      // So small that entries are replaced now and then.
      linkCacheEntries: 32,
    },
  };
}

/** The error of a copy with a changelog that has lost records; the copy is rebuilt. */
function isOfLoss({ code }: CrawlstreamError): boolean {
  return code === 'STATE_DIVERGED' || code === 'OFFSET_OUT_OF_RANGE' || code === 'LOG_TRUNCATED';
}

function draw(chance: Chance, max: number): number {
  return chance.between(0, max - 1);
}
