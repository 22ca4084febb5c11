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
import { createFleetPace } from '../../../fetcher/pace/fleet-pace.ts';
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
  const { flags, brokers, fleet, log, service, tasks, registry, documents, folded, fail, over } = fetching;
  const clock = new SystemClock();
  const fetcherId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const partitionOf = (hostKey: string) => fleetPartitionOf(hostKey, tasks.partitions);
  const facts = new HostFactTopic(log, fleetHostsTopic(fleet), tasks.partitions, fail);
  let share: TaskShare | undefined;
  let hostDelayMs = flags.hostDelay;
  const pace = createFleetPace({
    clock,
    requestsMax: flags.inFlight,
    get hostDelayMs() {
      return hostDelayMs;
    },
    isResumed: true,
    owns: (hostKey) => share?.has(partitionOf(hostKey)) === true,
    mayContact: () => share?.mayContact() === true,
    onFact(hostKey, fact) {
      // Results of interrupted requests do not count for hosts that belong to another process.
      if (share?.mayContact() === true && share.has(partitionOf(hostKey))) facts.note(hostKey, fact, clock.nowMs());
    },
  });
  const demand = new DemandReporter({ log, topic: fleetDemandTopic(fleet) }, fetcherId);
  const members = () => share?.members ?? 1;
  const byAddress = createAddressPacer(clock, crawlLimits.addressDelayMs, members);
  const fetchers = new FleetFetchers({
    ...{ fleet, documents, clock, fetcherId, pace, tasks, demand },
    crawls: new KafkaCrawls({ fleet, brokers, registry, topics: log, log: folded }),
    share: () => share!,
    robots: createSharedRobots(clock),
    // One pacer for all crawls, unaffected by their policies.
    addressPacer: { active: true, size: 0, acquire: byAddress.acquire, setDelay() {} },
    config: { ...fetcherConfig(flags), requestsMax: flags.inFlight, groupSize: members, say },
  });
  service.sources.add(fetcherMetrics(fetchers));
  const look = async () => {
    // The fleet's delay comes first; the option of this process counts only if the fleet has none.
    hostDelayMs = (await readLeastWaits(documents)).at(-1)?.ms ?? flags.hostDelay;
    fetchers.look();
  };
  fetching.onDocuments(() => void look().catch(fail));
  await look();
  /** Waits until no request is active; after `handOverMs`, the remaining ones are interrupted. */
  const atRest = async () => {
    const endMs = performance.now() + handOverMs;
    while (pace.requestsInFlight > 0 && performance.now() < endMs) await sleep(restLookMs);
    if (pace.requestsInFlight > 0) await fetchers.breakOff();
    await facts.settled();
  };
  share = await TaskShare.join({
    ...{ log, topic: tasks.topic, group: fleetFetchersGroup(fleet), atRest, onFailure: fail },
    ...(service.listensOn !== null && {
      address: advertised(service.listensOn, process.env, service.isSecure),
    }),
    onLapsed: () => fetchers.lapse(),
    async onTaken(partition) {
      const known = await facts.read(partition, clock.nowMs());
      const isTaken = (hostKey: string) => partitionOf(hostKey) === partition;
      pace.hostsTaken(isTaken, known);
      fetchers.taken(isTaken);
    },
    onGone(partition) {
      fetchers.gone(partition);
      pace.hostsGone((hostKey) => partitionOf(hostKey) === partition);
    },
    onTask: (record) => fetchers.take(record),
    onLeft: (records) => fetchers.end(records),
  });
  const reporting = demand.run(() => share!.partitions.length > 0 && share!.mayContact());
  reporting.catch(fail);
  service.probes.serve(() => null);
  say(
    `fetcher of fleet ${fleet}: one of ${counted(share.members, 'fetcher')}, ${counted(tasks.partitions, 'partition')} of hosts`,
  );
  try {
    while (!over.aborted) {
      await sleep(standbyLookMs, undefined, { signal: over }).catch(() => {});
      // The brokers have not answered for so long that other processes may own these hosts soon.
      if (!share.mayContact()) await atRest();
    }
  } finally {
    demand.stop();
    await Promise.allSettled([reporting]);
    await fetchers.stop(fleetServiceLimits.graceMs);
    await share.leave();
    pace.close();
    await facts.settled();
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
