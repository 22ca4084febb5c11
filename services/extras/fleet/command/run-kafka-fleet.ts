/**
 * Runs a fleet on Kafka. All processes with the fleet's name form a group. One of them gets the only partition of
 * `FLEET.crawls` and runs the fleet; the others are standbys.
 *
 * A process owns the fleet for a term: from the assignment of the partition until its loss, or until the brokers have
 * not answered for so long that another process could have it. A term begins with a claim on the documents and one on
 * each changelog, which void later records of a predecessor. It ends with no request active.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError, hasCode, invalid } from '../../../../topology/errors.ts';
import { advertised } from '../../../hosting/connect/advertised.ts';
import { untilStopped } from '../../../hosting/connect/cut-short.ts';
import { withStores } from '../../../hosting/connect/stores.ts';
import { withHttp } from '../../../hosting/options/http-side.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { crawlsTopic, fleetDemandTopic, fleetFetchersGroup, fleetGroup } from '../../../runtime/crawl/fleet-names.ts';
import { openBrokers } from '../../../runtime/crawl/kafka-access.ts';
import { foldLog } from '../../../runtime/log/folded/folded-log.ts';
import type { Log, Membership } from '../../../runtime/log/log.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import { crawlsOfFleet } from '../crawl-file.ts';
import { CrawlTopics } from '../crawl-topics.ts';
import { documentStore } from '../documents/document-store.ts';
import { openTopicDocuments } from '../documents/topic-documents.ts';
import { DemandReader } from '../fetchers/demand.ts';
import { fleetFetcherLimits } from '../fetchers/fetcher-limits.ts';
import { makeFleetTopics } from '../fetchers/fleet-topics.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { Callers } from '../owners/callers.ts';
import { fetchersElsewhere } from './fetchers-elsewhere.ts';
import type { FleetFlags } from './fleet-flags.ts';
import { fleetRegistry } from './fleet-registry.ts';
import { heldLog } from './held-log.ts';
import { KafkaCrawls } from './kafka-crawls.ts';
import { type KafkaFleetFlags, needKafkaFleet } from './kafka-fleet-flags.ts';
import type { FleetCommand } from './run-fleet.ts';
import { type ServedFleet, serveFleet } from './serve-fleet.ts';

type Flags = FleetFlags & KafkaFleetFlags;

const { handOverMs, sessionMarginMs, standbyLookMs, tailBytes } = fleetServiceLimits;

export async function runKafkaFleet(flags: Flags, command: FleetCommand): Promise<void> {
  const { brokers, fleet } = needKafkaFleet(flags);
  await refuseOtherFolder(flags.data);
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'stopping: finishing requests under way');
  try {
    const token = process.env['CRAWLSTREAM_HTTP_TOKEN'] || undefined;
    const owners = command.owners?.();
    const callers = owners === undefined ? null : new Callers(owners, token, new SystemClock());
    const fleetProcess = new FleetProcess({ flags, command, owners, callers, brokers, fleet }, stop.signal);
    const side = { role: command.role, routes: command.routes(() => fleetProcess.needParts(), callers), say };
    const run = () =>
      withStores(async (open) => {
        // The lock of this store keeps a second process of this machine out of the folder.
        await open(join(flags.data, 'process'));
        await withHttp(flags, side, (service) => fleetProcess.serve(service));
      });
    await untilStopped(stop.signal, run);
  } finally {
    release();
  }
  process.exitCode = 130;
}

interface FleetProcessOptions extends Pick<ServedFleet, 'flags' | 'command' | 'owners' | 'callers'> {
  readonly flags: Flags;
  readonly brokers: string;
  readonly fleet: string;
}

/** A process of a fleet: a standby, or the one that runs the fleet for a term. */
class FleetProcess {
  readonly #options: FleetProcessOptions;
  readonly #stop: AbortSignal;
  #parts: FleetParts | undefined;
  #elsewhere: string | null = null;

  constructor(options: FleetProcessOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
  }

  /** Throws NOT_READY while this process does not run the fleet. */
  needParts(): FleetParts {
    if (this.#parts !== undefined) return this.#parts;
    const where =
      this.#elsewhere === null ? 'is about to start here or in another process' : `runs at ${this.#elsewhere}`;
    throw new CrawlstreamError(
      'NOT_READY',
      `this process is a standby: fleet ${this.#options.fleet} ${where}; send the request there`,
    );
  }

  async serve(service: Service): Promise<void> {
    const { flags, command, owners, callers, brokers, fleet } = this.#options;
    const onNotice = (text: string) => say(text, 'warn', { component: 'brokers' });
    const access = { brokers, crawl: fleet, role: 'fleet', stays: true, onNotice, by: productVersion };
    const log = await openBrokers(access);
    try {
      const member = await FleetMember.join(log, fleet, service);
      try {
        await this.#serveTerms(service, member, async (term) => {
          const served = { flags, command, owners, callers, service, signal: term };
          const onParts = (now: FleetParts | undefined) => (this.#parts = now);
          await serveTerm({ log, member, fleet, brokers, flags }, { ...served, onParts });
        });
      } finally {
        await member.leave();
      }
    } finally {
      await log.close();
    }
  }

  async #serveTerms(service: Service, member: FleetMember, serve: (term: AbortSignal) => Promise<void>): Promise<void> {
    const { fleet } = this.#options;
    while (!this.#stop.aborted) {
      member.expect();
      if (!member.isHeld()) {
        this.#elsewhere = await member.elsewhere();
        const where = this.#elsewhere === null ? 'nowhere yet' : `at ${this.#elsewhere}`;
        service.probes.serve(() => `standby of fleet ${fleet}, which runs ${where}`);
        await sleep(standbyLookMs);
        continue;
      }
      this.#elsewhere = null;
      service.probes.suspend('taking the fleet over');
      say(`this process now runs fleet ${fleet}`);
      const term = new AbortController();
      const watching = member.untilLost(this.#stop).then(() => term.abort());
      try {
        await serve(term.signal);
      } catch (error) {
        if (member.isHeld() && !isLost(error)) throw error;
        say(`fleet ${fleet}: ${(error as Error).message}`, 'warn');
      } finally {
        term.abort();
        service.forget();
      }
      if (this.#stop.aborted) await watching;
      else {
        say(`this process no longer runs fleet ${fleet}, and is a standby`, 'warn');
        await sleep(standbyLookMs);
      }
    }
  }
}

/** Refuses a folder with other data: a fleet on Kafka may remove files from its folder. */
async function refuseOtherFolder(data: string): Promise<void> {
  const what = existsSync(join(data, 'manifest.json'))
    ? 'the data folder of one crawl'
    : (await crawlsOfFleet(data)) === null
      ? null
      : 'the folder of a fleet without Kafka';
  if (what !== null)
    throw invalid(
      `--data ${data} is ${what}: give a new folder, or the one that this process used before; processes cannot share a folder`,
    );
}

interface Term {
  readonly log: Log;
  readonly member: FleetMember;
  readonly fleet: string;
  readonly brokers: string;
  readonly flags: Flags;
}

async function serveTerm(
  { log, member, fleet, brokers, flags }: Term,
  served: Parameters<typeof serveFleet>[0],
): Promise<void> {
  const lost = new AbortController();
  // After a loss, even for a moment, this term is over, because some of its crawls may have failed.
  const isHeld = () => {
    if (!member.isHeld()) lost.abort();
    return !lost.signal.aborted;
  };
  const held = heldLog(log, isHeld);
  const signal = AbortSignal.any([served.signal, lost.signal]);
  const registry = await fleetRegistry({ url: flags.registry, fleet, service: served.service, signal });
  if (flags.role === undefined) await untilNoFetchers(log, fleet, served.service, signal);
  if (signal.aborted) return;
  const documents = await openTopicDocuments({
    ...{ log: held, topic: crawlsTopic(fleet), by: member.address },
    onLost: () => lost.abort(),
  });
  const elsewhere = flags.role === 'frontier' ? await beginElsewhere(held, fleet, () => lost.abort()) : undefined;
  const folded = foldLog(
    { ...held, close: async () => {} },
    {
      ...{ isExact: false, tailBytes },
      ...(elsewhere !== undefined && { apart: [elsewhere.tasks.topic] }),
    },
  );
  const crawls = new KafkaCrawls({ fleet, brokers, registry, topics: held, log: folded, tasks: elsewhere?.tasks });
  try {
    await serveFleet(
      { ...served, signal },
      {
        name: `${fleet} on Kafka at ${brokers}`,
        documents,
        files: new CrawlTopics({ documents, data: flags.data, drop: (name) => crawls.drop(name) }),
        facts: documentStore(documents, 'hosts/'),
        loopNote: join(flags.data, 'loop.json'),
        data: {
          open: ({ name }, path, clock) => crawls.open(name, path, clock),
          closed: ({ name }) => crawls.rests(name),
        },
        make: (_, file) => crawls.make(file),
        check({ name }) {
          if (name?.includes('_') === true)
            throw invalid(`name: it cannot contain _ in a fleet on Kafka, where brokers confuse it with a dot; use -`);
        },
        ...{ mayContact: isHeld, graceMs: handOverMs, reading: crawls.reading, explain: crawls.explain },
        elsewhere: elsewhere?.of,
      },
    );
  } finally {
    await elsewhere?.stop();
    await folded.close();
  }
}

/**
 * Waits until no separate fetcher runs. Fetchers own the hosts, and a process that fetches itself would contact them,
 * too.
 */
async function untilNoFetchers(log: Log, fleet: string, service: Service, signal: AbortSignal): Promise<void> {
  let isSaid = false;
  while (!signal.aborted) {
    const fetchers = await log.membersOf(fleetFetchersGroup(fleet));
    if (fetchers.length === 0) return;
    const where = fetchers.flatMap(({ address }) => address ?? []).join(', ');
    const why = `fleet ${fleet} waits until its fetchers have stopped${where === '' ? '' : ` (${where})`}: they still fetch from its hosts; stop them, or start this process with --role frontier`;
    if (!isSaid) say(why, 'warn');
    isSaid = true;
    service.probes.suspend(why);
    await sleep(standbyLookMs, undefined, { signal }).catch(() => {});
  }
}

/** Opens the topics between the frontiers and their fetchers. */
async function beginElsewhere(log: Log, fleet: string, onLost: () => void) {
  const tasks = await makeFleetTopics(log, fleet);
  const demand = new DemandReader({ log, topic: fleetDemandTopic(fleet) });
  const running = demand.run().catch(onLost);
  const clock = new SystemClock();
  const stopping = new AbortController();
  const watching = warnWithoutFetchers(demand, fleet, stopping.signal);
  return {
    tasks,
    of: (name: string) => fetchersElsewhere(demand, name, clock),
    async stop() {
      demand.stop();
      stopping.abort();
      await Promise.all([running, watching]);
    },
  };
}

async function warnWithoutFetchers(demand: DemandReader, fleet: string, signal: AbortSignal): Promise<void> {
  let isSaid = false;
  for (;;) {
    await sleep(fleetFetcherLimits.goneMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const isNone = demand.fetchers === 0;
    const remedy = 'start one (crawlstream fleet --role fetcher); until then URLs wait, and nothing is lost';
    if (isNone && !isSaid) say(`fleet ${fleet} has no fetcher: ${remedy}`, 'warn');
    if (!isNone && isSaid) say(`fleet ${fleet} has fetchers again`);
    isSaid = isNone;
  }
}

/** Membership of this process in the group of the fleet's processes. */
class FleetMember {
  readonly address: string;
  readonly #log: Log;
  readonly #group: string;
  #membership: Membership | undefined;
  #isAssigned = false;
  #failure: unknown;

  private constructor(log: Log, fleet: string, address: string) {
    [this.#log, this.#group, this.address] = [log, fleetGroup(fleet), address];
  }

  static async join(log: Log, fleet: string, service: Service): Promise<FleetMember> {
    const topic = crawlsTopic(fleet);
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    const member = new FleetMember(log, fleet, advertised(service.listensOn!, process.env, service.isSecure));
    member.#membership = await log.join({
      group: member.#group,
      topics: [topic],
      address: member.address,
      onAssigned: (partitions) => {
        member.#isAssigned = partitions.includes(0);
      },
      onFailure: (error) => {
        member.#isAssigned = false;
        member.#failure = error;
      },
    });
    return member;
  }

  /** Throws the error that removed this process from the group, if there was one. */
  expect(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** True if this process owns the fleet, and no other can own it yet. */
  isHeld(): boolean {
    const heldUntilMs = this.#membership?.heldUntilMs ?? Number.NEGATIVE_INFINITY;
    return this.#isAssigned && performance.now() < heldUntilMs - sessionMarginMs;
  }

  /** Address of the process that runs the fleet; null: none, or unknown. */
  async elsewhere(): Promise<string | null> {
    const members = await this.#log.membersOf(this.#group).catch(() => []);
    const address = members.find(({ owned }) => owned.length > 0)?.address ?? null;
    return address === this.address ? null : address;
  }

  /** Resolves when this process loses the fleet, or the signal aborts. */
  async untilLost(signal: AbortSignal): Promise<void> {
    while (this.isHeld() && !signal.aborted) await sleep(standbyLookMs, undefined, { signal }).catch(() => {});
  }

  async leave(): Promise<void> {
    await this.#membership?.leave();
  }
}

function isLost(error: unknown): boolean {
  return hasCode(error, 'OWNERSHIP_LOST');
}
