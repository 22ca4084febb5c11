/**
 * Reads a crawl's topics as they grow, as a standby would, and holds each record against what must always hold:
 *
 * - each commit leads to the state its owner says it had, no URL is lost, and no host has two leases;
 * - a task is published only for a lease that a commit which counts has granted; a lease is run to its end once.
 */
import type { RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import type { Log, LogRecord } from '../../../services/runtime/log/log.ts';
import { decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { lostUrls } from '../../../topology/frontier/changes/counters.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { type FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';

export interface Follower {
  readonly states: readonly FrontierState[];
  readonly findings: readonly string[];
  /** Nothing is left to be fetched of what was admitted so far. */
  readonly isIdle: boolean;
  /** Owners of partitions so far: claims that the changelogs hold. */
  readonly claims: number;
  /** URLs given up on, with the reason. */
  readonly givenUp: ReadonlyMap<string, string>;
  /** Reads to the ends of the topics as they are now, and ends. */
  stop(): Promise<void>;
}

export interface FollowerOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partitions: number;
  readonly key: FingerprintKey;
}

const followed = ['frontier-changelog', 'tasks', 'results', 'dead-letters'] as const;

export function startFollower({ log, codec, crawl, partitions, key }: FollowerOptions): Follower {
  const states = Array.from({ length: partitions }, () => new FrontierState(key));
  const findings: string[] = [];
  const granted = new Set<string>();
  const tasks: string[] = [];
  const endings = new Map<string, { readonly by: string; readonly value: Buffer }>();
  const givenUp = new Map<string, string>();
  const positions = new Map<string, number>();
  let claims = 0;

  const seeChangelog = ({ partition, offset, value }: LogRecord) => {
    const state = states[partition]!;
    const nextId = state.leases.nextId;
    const record = decodeChangelog(value);
    if (record.kind === 'claim') claims += 1;
    replay(state, offset, record);
    for (let id = nextId; id < state.leases.nextId; id++) granted.add(leaseOf(partition, state.changelog.epoch, id));
    const lost = lostUrls(state.counters);
    if (lost !== 0) findings.push(`partition ${partition} lost ${lost} URLs at ${offset}`);
    const busy = new Set([...state.leases.values()].map(({ host }) => host.key));
    if (busy.size !== state.leases.size)
      findings.push(`partition ${partition} has two leases of one host at ${offset}`);
  };
  const see = async (record: LogRecord) => {
    const topic = record.topic.slice(record.topic.lastIndexOf('.') + 1) as (typeof followed)[number];
    positions.set(`${record.topic}/${record.partition}`, record.offset + 1);
    if (topic === 'frontier-changelog') return seeChangelog(record);
    await codec.prepare(topic, record.value);
    if (topic === 'tasks') {
      const { partition, epoch, leaseId } = codec.decode('tasks', record.value);
      tasks.push(leaseOf(partition, epoch, leaseId));
    } else if (topic === 'results') {
      const { partition, epoch, leaseId, fetcherId, last } = codec.decode('results', record.value);
      const lease = leaseOf(partition, epoch, leaseId);
      const before = endings.get(lease);
      if (last && before !== undefined && !before.value.equals(record.value))
        findings.push(`lease ${lease} was run twice: by ${before.by}, and by ${fetcherId} at ${record.offset}`);
      if (last) endings.set(lease, { by: `${fetcherId} at ${record.offset}`, value: record.value });
    } else {
      const { url, reason } = codec.decode('dead-letters', record.value);
      givenUp.set(url, reason);
    }
  };

  const reader = log.reader();
  const topics = followed.map((topic) => `${crawl}.${topic}`);
  for (const topic of topics) {
    for (let partition = 0; partition < partitions; partition++) reader.seek(topic, partition, 0);
  }
  let stopAt: Map<string, number> | undefined;
  const isAtEnd = () => [...(stopAt ?? [])].every(([at, end]) => (positions.get(at) ?? 0) >= end);
  const reading = (async () => {
    while (stopAt === undefined || !isAtEnd()) {
      for (const record of await reader.poll({ maxBytes: 1 << 20, waitMs: 250 })) await see(record);
    }
  })();
  reading.catch((error) => findings.push(`the follower failed: ${(error as Error).stack}`));

  return {
    states,
    findings,
    givenUp,
    get isIdle() {
      return states.every(({ counters }) => counters.queued + counters.leased + counters.retrying === 0);
    },
    get claims() {
      return claims;
    },
    async stop() {
      const ends = new Map<string, number>();
      for (const topic of topics) {
        for (let partition = 0; partition < partitions; partition++) {
          ends.set(`${topic}/${partition}`, (await log.offsets(topic, partition)).end);
        }
      }
      stopAt = ends;
      await reading.catch(() => {});
      await reader.close();
      // Tasks and the commits that grant them are read side by side: only now is it known that none came before.
      for (const task of tasks)
        if (!granted.has(task)) findings.push(`a task was published for lease ${task}, which nobody granted`);
    },
  };
}

function leaseOf(partition: number, epoch: number, id: number): string {
  return `${partition}/${epoch}/${id}`;
}
