/**
 * Runs a fetcher of a fleet on Kafka: one of several processes. Each owns the hosts of some partitions of the fleet's
 * tasks, for all crawls together. So it has the only delay clock of each of these hosts.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { crawlLimits } from '../../../../topology/policy/crawl-limits.ts';
import { fetcherMetrics } from '../../../fetcher/metrics.ts';
import { createAddressPacer } from '../../../fetcher/pace/address-pacer.ts';
import { createFleetPace, type FleetPace } from '../../../fetcher/pace/fleet-pace.ts';
import { createSharedRobots } from '../../../fetcher/robots/shared-robots.ts';
import { advertised } from '../../../hosting/connect/advertised.ts';
import { fetcherConfig, needContact } from '../../../hosting/options/fetching.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { counted } from '../../../runtime/counted.ts';
import {
  crawlsTopic,
  fleetDemandTopic,
  fleetFetchersGroup,
  fleetHostsTopic,
} from '../../../runtime/crawl/fleet-names.ts';
import type { OpenRegistry } from '../../../runtime/crawl/kafka-access.ts';
import { foldLog } from '../../../runtime/log/folded/folded-log.ts';
import { say } from '../../../runtime/logging/say.ts';
import { type FollowedDocuments, followTopicDocuments } from '../documents/follow-documents.ts';
import { DemandReporter } from '../fetchers/demand.ts';
import { findFleetTopics } from '../fetchers/fleet-topics.ts';
import { HostFactTopic } from '../fetchers/host-fact-topic.ts';
import { type FleetTasksTopic, fleetPartitionOf } from '../fetchers/task-records.ts';
import { TaskShare } from '../fetchers/task-share.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { readLeastWaits } from '../least-waits.ts';
import { type Beside, besideFleet } from './beside-fleet.ts';
import { FleetFetchers } from './fleet-fetchers.ts';
import { fleetRegistry } from './fleet-registry.ts';
import { KafkaCrawls } from './kafka-crawls.ts';
import { needKafkaFleet } from './kafka-fleet-flags.ts';

const { handOverMs, standbyLookMs, tailBytes } = fleetServiceLimits;

export async function runFetcherRole(flags: Beside['flags']): Promise<void> {
  needKafkaFleet(flags);
  needContact(flags, []);
  const stopping = 'stopping: finishing requests under way';
  await besideFleet(flags, { role: 'fetcher', client: 'fleet-fetcher', stopping }, serve);
}

async function serve(served: Beside): Promise<void> {
  const { flags, fleet, log, service, signal } = served;
  const tasks = await foundTopics(served);
  const registry = await fleetRegistry({ ...served, url: flags.registry });
  if (tasks === undefined || signal.aborted) return;
  const failing = new AbortController();
  const fail = (error: unknown) => failing.abort(error);
  let onChange = () => {};
  const topic = crawlsTopic(fleet);
  const documents = followTopicDocuments({ log, topic, onChange: () => onChange(), onFailure: fail });
  const folded = foldLog({ ...log, close: async () => {} }, { isExact: false, tailBytes, apart: [tasks.topic] });
  try {
    await documents.caughtUp();
    const onDocuments = (act: () => void) => {
      onChange = act;
    };
    await fetchFor({
      ...served,
      tasks,
      registry,
      documents,
      folded,
      fail,
      onDocuments,
      over: anyOf(signal, failing.signal),
    });
  } finally {
    service.probes.suspend('stopping');
    await documents.stop();
    await folded.close();
  }
  if (failing.signal.aborted) throw failing.signal.reason;
}

interface Fetching extends Beside {
  readonly tasks: FleetTasksTopic;
  readonly registry: OpenRegistry | undefined;
  readonly documents: FollowedDocuments;
  readonly folded: ReturnType<typeof foldLog>;
  fail(error: unknown): void;
  /** Calls `act` after each change of the documents. */
  onDocuments(act: () => void): void;
  /** Aborted when the process must stop. */
  readonly over: AbortSignal;
}

async function fetchFor(fetching: Fetching): Promise<void> {
  const { fleet, service, tasks, over } = fetching;
  const role = new FetcherRole(fetching);
  await role.join();
  service.probes.serve(() => null);
  say(
    `fetcher of fleet ${fleet}: one of ${counted(role.members, 'fetcher')}, ${counted(tasks.partitions, 'partition')} of hosts`,
  );
  try {
    await role.stand(over);
  } finally {
    await role.leave();
  }
}

/** A fetcher of the fleet: the hosts that it owns for the time being, and the crawls that it fetches for. */
class FetcherRole {
  readonly #fetching: Fetching;
  readonly #clock = new SystemClock();
  readonly #facts: HostFactTopic;
  readonly #pace: FleetPace;
  readonly #demand: DemandReporter;
  readonly #fetchers: FleetFetchers;
  #hostDelayMs: number;
  #share: TaskShare | undefined;
  #reporting: Promise<void> | undefined;

  constructor(fetching: Fetching) {
    const { flags, brokers, fleet, log, service, tasks, registry, documents, folded, fail } = fetching;
    this.#fetching = fetching;
    this.#hostDelayMs = flags.hostDelay;
    this.#facts = new HostFactTopic(log, fleetHostsTopic(fleet), tasks.partitions, fail);
    this.#pace = this.#createPace();
    const fetcherId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    this.#demand = new DemandReporter({ log, topic: fleetDemandTopic(fleet) }, fetcherId);
    const members = () => this.members;
    const byAddress = createAddressPacer(this.#clock, crawlLimits.addressDelayMs, members);
    this.#fetchers = new FleetFetchers({
      ...{ fleet, documents, clock: this.#clock, fetcherId, pace: this.#pace, tasks, demand: this.#demand },
      crawls: new KafkaCrawls({ fleet, brokers, registry, topics: log, log: folded }),
      share: () => this.#share!,
      robots: createSharedRobots(this.#clock),
      // One pacer for all crawls, unaffected by their policies.
      addressPacer: { active: true, size: 0, acquire: byAddress.acquire, setDelay() {} },
      config: { ...fetcherConfig(flags), requestsMax: flags.inFlight, groupSize: members, say },
    });
    service.sources.add(fetcherMetrics(this.#fetchers));
  }

  get members(): number {
    return this.#share?.members ?? 1;
  }

  async join(): Promise<void> {
    const { fleet, log, service, tasks, fail } = this.#fetching;
    this.#fetching.onDocuments(() => void this.#look().catch(fail));
    await this.#look();
    this.#share = await TaskShare.join({
      ...{ log, topic: tasks.topic, group: fleetFetchersGroup(fleet), onFailure: fail },
      ...(service.listensOn !== null && {
        address: advertised(service.listensOn, process.env, service.isSecure),
      }),
      atRest: () => this.#atRest(),
      onLapsed: () => this.#fetchers.lapse(),
      onTaken: (partition) => this.#takeHosts(partition),
      onGone: (partition) => {
        this.#fetchers.gone(partition);
        this.#pace.hostsGone((hostKey) => this.#partitionOf(hostKey) === partition);
      },
      onTask: (record) => this.#fetchers.take(record),
      onLeft: (records) => this.#fetchers.end(records),
    });
    this.#reporting = this.#demand.run(() => this.#share!.partitions.length > 0 && this.#share!.mayContact());
    this.#reporting.catch(fail);
  }

  /** Resolves when the process must stop. */
  async stand(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await sleep(standbyLookMs, undefined, { signal: over }).catch(() => {});
      // The brokers have not answered for so long that other processes may own these hosts soon.
      if (!this.#share!.mayContact()) await this.#atRest();
    }
  }

  async leave(): Promise<void> {
    this.#demand.stop();
    await Promise.allSettled([this.#reporting]);
    await this.#fetchers.stop(fleetServiceLimits.graceMs);
    await this.#share!.leave();
    this.#pace.close();
    await this.#facts.settled();
  }

  #createPace(): FleetPace {
    const hostDelayMs = () => this.#hostDelayMs;
    return createFleetPace({
      clock: this.#clock,
      requestsMax: this.#fetching.flags.inFlight,
      get hostDelayMs() {
        return hostDelayMs();
      },
      isResumed: true,
      owns: (hostKey) => this.#share?.has(this.#partitionOf(hostKey)) === true,
      mayContact: () => this.#share?.mayContact() === true,
      onFact: (hostKey, fact) => {
        // Results of interrupted requests do not count for hosts that belong to another process.
        if (this.#share?.isOwn(this.#partitionOf(hostKey)) !== true) return;
        this.#facts.note(hostKey, fact, this.#clock.nowMs());
      },
    });
  }

  #partitionOf(hostKey: string): number {
    return fleetPartitionOf(hostKey, this.#fetching.tasks.partitions);
  }

  async #look(): Promise<void> {
    const { documents, flags } = this.#fetching;
    // The fleet's delay comes first; the option of this process counts only if the fleet has none.
    this.#hostDelayMs = (await readLeastWaits(documents)).at(-1)?.ms ?? flags.hostDelay;
    this.#fetchers.look();
  }

  async #takeHosts(partition: number): Promise<void> {
    const known = await this.#facts.read(partition, this.#clock.nowMs());
    const isTaken = (hostKey: string) => this.#partitionOf(hostKey) === partition;
    this.#pace.hostsTaken(isTaken, known);
    this.#fetchers.taken(isTaken);
  }

  /** Waits until no request is active; after `handOverMs`, the remaining ones are interrupted. */
  async #atRest(): Promise<void> {
    const endMs = performance.now() + handOverMs;
    while (this.#pace.requestsInFlight > 0 && performance.now() < endMs) await sleep(restLookMs);
    if (this.#pace.requestsInFlight > 0) await this.#fetchers.breakOff();
    await this.#facts.settled();
  }
}

const restLookMs = 20;

function anyOf(...signals: AbortSignal[]): AbortSignal {
  return AbortSignal.any(signals);
}

/** Waits for the topics of the fleet. undefined: the signal was aborted first. */
async function foundTopics({ log, fleet, service, signal }: Beside): Promise<FleetTasksTopic | undefined> {
  let isSaid = false;
  while (!signal.aborted) {
    const found = await findFleetTopics(log, fleet);
    if (found !== undefined) return found;
    const why = `fleet ${fleet} has no frontier yet: start crawlstream fleet --role frontier`;
    if (!isSaid) say(`waiting: ${why}`, 'warn');
    isSaid = true;
    service.probes.suspend(why);
    await sleep(standbyLookMs);
  }
  return undefined;
}
