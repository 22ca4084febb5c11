/** The two roles a process can take in a crawl on Kafka, each a member of its consumer group. */

import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { CrawlstreamError } from '../../../topology/errors.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { createApplication } from '../../application/application.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { FetcherGroup } from '../../fetcher/group.ts';
import { fetcherMetrics, networkText } from '../../fetcher/metrics.ts';
import type { FrontierGroup } from '../../frontier/frontier-group.ts';
import { frontierMetrics, frontierPositions } from '../../frontier/frontier-metrics.ts';
import { createMeters } from '../../frontier/own/meters.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { watchMembers } from '../../runtime/crawl/member-watch.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { say } from '../../runtime/logging/say.ts';
import { lsmMetrics } from '../../runtime/metrics/lsm-metrics.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { advertised } from '../connect/advertised.ts';
import { fingerprintKeyOf, stateFolder } from '../connect/crawl-folder.ts';
import type { KafkaConnection } from '../connect/kafka-connection.ts';
import { ownFolder } from '../connect/own-folder.ts';
import { risksOf } from '../connect/risks-of.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import type { MemberFlags } from '../options/member.ts';
import { instanceIdOf } from '../options/member.ts';
import type { SeenFlags } from '../options/seen.ts';
import { seenConfigOf } from '../options/seen.ts';
import { needSnapshotPlace, type SnapshotRoleFlags } from '../options/snapshots.ts';
import { printNotice, printRestore } from '../progress/restore-text.ts';
import { openSnapshotRepository } from '../state/open-snapshot-repository.ts';
import { createSnapshotMeter } from '../state/snapshot-meter.ts';
import { takeSnapshots } from '../state/snapshot-schedule.ts';
import type { QueryService } from './query-service.ts';
import { watchRisks } from './watch-risks.ts';

interface Role extends KafkaConnection {
  readonly clock: Clock;
  /** Called with the status of the role. */
  readonly service: Service;
  readonly flags: KafkaFlags;
  onFailure(error: unknown): void;
}

interface FrontierRole extends Role {
  readonly flags: KafkaFlags & SeenFlags & MemberFlags & SnapshotRoleFlags;
  /** Is called with the frontier that answers queries. */
  readonly queries: QueryService;
}

export async function takeFrontierRole(role: FrontierRole): Promise<FrontierGroup> {
  const watching = new AbortController();
  try {
    return await joinFrontiers(role, watching);
  } catch (error) {
    // Otherwise the watch would keep a process alive that was stopped while it joined.
    watching.abort();
    throw error;
  }
}

async function joinFrontiers(role: FrontierRole, watching: AbortController): Promise<FrontierGroup> {
  const { log, codec, clock, manifest, flags, service, queries, onFailure } = role;
  const meters = createMeters();
  needSnapshotPlace(flags);
  const folder = await ownFolder(flags, manifest);
  const risks = await watchRisks({
    ...{ clock, signal: watching.signal, look: () => risksOf(log, manifest) },
    say: (text, level) => say(text, level, { component: 'brokers' }),
  });
  const opened = new Set<StateStore>();
  const kept = await keptStates(folder);
  const repository =
    flags.snapshotTo === undefined ? undefined : await openSnapshotRepository(flags.snapshotTo, manifest);
  const group = await createApplication({ log, codec, clock, manifest }).frontierMember({
    key: fingerprintKeyOf(manifest),
    lists: createListFiles(folder.part('lists')),
    endsLeases: false,
    seen: seenConfigOf(flags, manifest.partitions),
    onFailure,
    instanceId: instanceIdOf(flags, process.env),
    ...(service.listensOn !== null && { address: advertised(service.listensOn, process.env, service.isSecure) }),
    standbys: flags.standbys,
    holds: () => kept,
    onReopen: ({ message, code }) => say(`${message}; reopening the partition`, 'warn', { component: 'state', code }),
    onStandbyTrouble: ({ message }) => say(`standby: ${message}`, 'warn', { component: 'state' }),
    onStopped: sayStopped,
    repository,
    onNotice: printNotice,
    meters,
    onSpan: service.spans?.sink,
    onProgress: (progress) => {
      meters.restores.set(progress.partition, progress);
      printRestore(progress);
    },
    openStore: async (partition) => {
      const store = await openStateStore(stateFolder(folder, partition));
      opened.add(store);
      return store;
    },
  });
  const { committed, standbys, stopped } = group;
  const fetchers = () => group.fetchers;
  const { crawl } = manifest;
  service.sources.add(frontierMetrics({ clock, meters, committed, standbys, stopped, fetchers }));
  service.lag.add({ log, clock, group: `${crawl}.frontier`, positions: () => frontierPositions(crawl, committed()) });
  service.disks.set('state', folder.part('state'));
  service.sources.add(risks.metrics);
  service.sources.add(lsmMetrics('state', opened));
  queries.open({
    ...{ log, codec, clock, manifest, flags, part: folder.part },
    member: group,
    restores: meters.restores,
    ask: service.askMember,
    ...(service.isOpenToAll && { about: async () => null }),
  });
  const stopping = new AbortController();
  const taking = snapshotsBeside(role, folder.path, group, stopping.signal);
  const { stop, note } = group;
  return Object.assign(group, {
    note: () => risks.note() ?? note(),
    async stop() {
      watching.abort();
      queries.close();
      stopping.abort();
      await taking;
      await stop();
      repository?.objects.close();
    },
  });
}

function sayStopped({ message, code }: CrawlstreamError): void {
  say(`${message}; this partition is stopped, the others continue`, 'error', { component: 'state', code });
}

/** Sums over the partitions that this process has at the time. */
async function snapshotsBeside(
  { clock, manifest, flags, service }: FrontierRole,
  data: string,
  group: FrontierGroup,
  signal: AbortSignal,
): Promise<void> {
  const { snapshotEvery: everyMs, snapshotTo, snapshotsKept, brokers, registry } = flags;
  if (everyMs === undefined) return;
  const args = () => {
    const owned = [...group.committed()].filter(([, committed]) => committed !== undefined);
    if (owned.length === 0) return null;
    const partitions = owned.map(([partition]) => partition).join(',');
    return [
      ...['--brokers', brokers!, ...(registry === undefined ? [] : ['--registry', registry])],
      ...['--crawl', manifest.crawl, '--data', data, '--partition', partitions],
      ...['--to', snapshotTo!, '--keep', `${snapshotsKept}`, '--trim'],
    ];
  };
  const meter = createSnapshotMeter(everyMs, clock);
  service.sources.add(meter.metrics);
  await takeSnapshots({ everyMs, clock, arguments: args, say: printNotice, meter }, signal);
}

/** Partitions with a state from before. */
async function keptStates(folder: DataFolder): Promise<number[]> {
  const names = await readdir(folder.part('state')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** The note of a fetcher that gets no leases from any frontier. */
const noFrontier = 'no frontier: start one; until then no URLs are leased, and nothing is lost';

export async function takeFetcherRole(
  role: Role,
  config: FetcherConfig,
): Promise<FetcherGroup & { note(): string | null; waitsFor(): string | null }> {
  const { log, codec, clock, manifest, service, onFailure } = role;
  const { crawl } = manifest;
  const { policy } = await readControl(log, codec, crawl);
  // Normalising links here only saves work, since the frontier normalises again by the policy in force.
  const { normalize } = policy === null ? defaultPolicy() : parsePolicy(policy.json);
  const joined = await createApplication({ log, codec, clock, manifest }).fetcherMember({
    // In containers, all processes have the same process id.
    fetcherId: `${hostname()}-${process.pid}`,
    normalize: compileNormalizer(normalize),
    config,
    onSpan: service.spans?.sink,
    onFailure,
  });
  const { fetcher } = joined;
  service.sources.add(fetcherMetrics(fetcher));
  service.lag.add({ log, clock, group: `${crawl}.fetcher`, positions: fetcher.positions });
  const frontiers = watchMembers(log, `${crawl}.frontier`, clock);
  const { stop } = joined;
  return Object.assign(joined, {
    note: () => (frontiers.members === 0 ? noFrontier : null),
    waitsFor: () => networkText(fetcher.stats()),
    stop: () => Promise.all([frontiers.stop(), stop()]).then(() => {}),
  });
}
