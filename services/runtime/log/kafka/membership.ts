/**
 * A member of a consumer group, by Kafka's group protocol (JoinGroup, SyncGroup, Heartbeat, LeaveGroup; eager).
 *
 * The heartbeat runs independently of handlers. If an answer says that the group is rebalancing, or has continued
 * without this member (it was away for longer than its session), the member joins again, and `onAssigned` receives
 * the outcome. While the coordinator is away, the member keeps trying. After `giveUpMs` without it, or a permanent
 * refusal, `onFailure` is called and the member is out. A member that leaves, or gives up joining, waits only a
 * moment: a session that was not ended expires anyway.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { GroupOptions, Membership } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { describeGroup } from './describe-group.ts';
import { deadlineIn, isTransient, retrying } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';
import { type Assignment, decodeAssignment, encodeMetadata, type JoinedMember, shareOut } from './member-data.ts';
import { type Committer, checkGroup } from './positions.ts';
import { createWarmUps } from './warm-ups.ts';

export interface KafkaMembership extends Membership {
  /** True once the member has left, or was removed: it has no partitions any more. */
  readonly isOut: boolean;
  /** The identity that commits for the partitions held now; undefined while joining. */
  committer(): Committer | undefined;
  /**
   * The generation since which the partition has belonged to this member without interruption; undefined: it does not.
   */
  heldSince(partition: number): number | undefined;
  /** Resolves when the next assignment is there, or the member is out. */
  settled(): Promise<void>;
}

export interface MembershipOptions {
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly giveUpMs: number;
  /** As in kafkaLimits. */
  readonly warmUpMsMax: number;
  /** Wait of a leaving member for the coordinator, ms. */
  readonly leaveMs: number;
  /** Aborting makes a member that is still joining give up, with the signal's reason. */
  readonly closing: AbortSignal;
  /** Called at each assignment. */
  readonly onJoined?: () => void;
}

/** Protocol name, which all members must share. */
const protocolName = 'crawlstream-copartitioned-sticky';

interface JoinAnswer {
  readonly errorCode: number;
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly JoinedMember[];
}

let membershipCount = 0;

/** Resolves once the first assignment was reported. */
export async function joinGroup(
  cluster: Cluster,
  joining: GroupOptions,
  options: MembershipOptions,
): Promise<KafkaMembership> {
  const { group, topics, instanceId: groupInstanceId, onAssigned, onFailure } = joining;
  const partitions = await sharedPartitions(cluster, topics, joining.partitions);
  const purpose = `group-${membershipCount++}`;
  const send = <T>(name: 'JoinGroup' | 'SyncGroup' | 'Heartbeat', args: object): Promise<T> => {
    leaving.signal.throwIfAborted();
    return cluster.sendCoordinator<T>(group, purpose, raw(name, { groupId: group, groupInstanceId, ...args }));
  };
  let memberId = '';
  let generation = -1;
  let assigned: Assignment = { owned: [], standbys: [], warmUps: [], members: 0 };
  const warmUps = createWarmUps(options.warmUpMsMax);
  let since: ReadonlyMap<number, number> = new Map();
  let isJoined = false;
  let isOut = false;
  /** Time of the last request that the coordinator counts as a sign of life, by `performance.now()`. */
  let heardAtMs = Number.NEGATIVE_INFINITY;
  /** True if another member has the same name. */
  let isFenced = false;
  const leaving = new AbortController();
  const waiting: (() => void)[] = [];

  /** One round of joining; returns false if it must be repeated. */
  const joinOnce = async (): Promise<boolean> => {
    const { owned, standbys } = assigned;
    const copies = standbys.map(({ partition }) => partition);
    const status = { owned, generation, standbys: copies, warmingMs: warmUps.lastingMs() };
    const joined = await send<JoinAnswer>('JoinGroup', {
      sessionTimeout: options.sessionTimeoutMs,
      rebalanceTimeout: options.sessionTimeoutMs,
      memberId,
      protocolType: 'consumer',
      groupProtocols: [{ name: protocolName, metadata: encodeMetadata(joining, status) }],
    });
    if (!isAccepted(joined.errorCode, joined.memberId)) return false;
    memberId = joined.memberId;
    const sentAtMs = performance.now();
    const groupAssignment =
      joined.leaderId === memberId ? shareOut(joined.members, topics, partitions, options.warmUpMsMax) : [];
    const synced = await send<{ errorCode: number; memberAssignment: Buffer }>('SyncGroup', {
      generationId: joined.generationId,
      memberId,
      groupAssignment,
    });
    if (!isAccepted(synced.errorCode)) return false;
    heardAtMs = sentAtMs;
    generation = joined.generationId;
    assigned = decodeAssignment(synced.memberAssignment);
    warmUps.begin(assigned.warmUps);
    return true;
  };

  /** False: join again. Throws errors that are final, and errors that may pass. */
  const isAccepted = (errorCode: number, idGiven?: string): boolean => {
    if (errorCode === 0) return true;
    switch (errorOf(errorCode).type) {
      case 'MEMBER_ID_REQUIRED':
        memberId = idGiven ?? '';
        return false;
      case 'UNKNOWN_MEMBER_ID':
        memberId = '';
        return false;
      case 'ILLEGAL_GENERATION':
      case 'REBALANCE_IN_PROGRESS':
        return false;
      case 'INCONSISTENT_GROUP_PROTOCOL':
        throw new CrawlstreamError(
          'INVALID_ARGUMENT',
          `group ${group} has members with another partition assignor: use another group name, or stop them`,
        );
      case 'FENCED_INSTANCE_ID':
        isFenced = true;
        memberId = '';
        return false;
      case 'INVALID_SESSION_TIMEOUT':
        throw new CrawlstreamError(
          'INVALID_ARGUMENT',
          `a session of ${options.sessionTimeoutMs} ms is outside what the brokers allow (group.min.session.timeout.ms, group.max.session.timeout.ms)`,
        );
    }
    checkGroup(cluster, errorCode, group, `joining group ${group}`);
    return true;
  };

  /**
   * Another process with this name would show itself within a session. Otherwise it was a request to join that a broker
   * handled late: from a process that has died since, or from this one.
   */
  const outlast = async () => {
    onAssigned([], []);
    since = new Map();
    await sleep(options.sessionTimeoutMs + options.heartbeatMs, undefined, { signal: leaving.signal });
    const members = await retrying(deadlineIn(options.giveUpMs), () => describeGroup(cluster, group));
    isFenced = members.some(({ name }) => name === groupInstanceId);
    if (!isFenced) return;
    const message = `another process has joined group ${group} as ${groupInstanceId}: give each process a different --instance-id`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  };

  const join = async () => {
    if (generation >= 0) await joining.beforeRejoin?.();
    isJoined = false;
    const before = generation;
    await retrying(deadlineIn(options.giveUpMs), async () => {
      do {
        leaving.signal.throwIfAborted();
        if (isFenced) await outlast();
      } while (!(await joinOnce()));
    });
    leaving.signal.throwIfAborted();
    isJoined = true;
    options.onJoined?.();
    // A generation was missed, and in it these partitions may have belonged to another member.
    const missed = before >= 0 && generation !== before + 1;
    const { owned, standbys } = assigned;
    if (missed) onAssigned([], standbys);
    since = new Map(owned.map((partition) => [partition, (missed ? undefined : since.get(partition)) ?? generation]));
    onAssigned(owned, standbys);
    settle();
  };
  const settle = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };

  const beat = async (): Promise<boolean> => {
    const args = { groupGenerationId: generation, memberId };
    let sentAtMs = 0;
    const { errorCode } = await retrying(deadlineIn(options.giveUpMs), async () => {
      sentAtMs = performance.now();
      const answer = await send<{ errorCode: number }>('Heartbeat', args);
      if (errorOf(answer.errorCode).retriable)
        checkGroup(cluster, answer.errorCode, group, `heartbeat in group ${group}`);
      return answer;
    });
    if (errorCode === 0 || errorOf(errorCode).type === 'REBALANCE_IN_PROGRESS') heardAtMs = sentAtMs;
    return isAccepted(errorCode);
  };

  const stayIn = async () => {
    try {
      while (!isOut) {
        await sleep(options.heartbeatMs, undefined, { signal: leaving.signal });
        if (!(await beat()) || warmUps.areOver(joining.caughtUp?.() ?? [])) await join();
      }
    } catch (error) {
      if (isOut) return;
      out();
      onFailure(error);
    }
  };
  const out = () => {
    isOut = true;
    isJoined = false;
    leaving.abort();
    cluster.release(purpose);
    settle();
  };

  /** A separate link: the other one may be waiting for a rebalance to end. */
  const announceLeaving = async () => {
    // Without an id, the request would apply to any process with this name.
    if (memberId === '') return;
    const request = raw('LeaveGroup', { groupId: group, memberId, groupInstanceId });
    const patience = new AbortController();
    const patient = sleep(options.leaveMs, undefined, { signal: patience.signal }).catch(() => {});
    try {
      await Promise.race([cluster.sendCoordinator(group, `${purpose}-leaving`, request), patient]);
    } catch (error) {
      if (!isTransient(error)) throw error;
    } finally {
      patience.abort();
      cluster.release(`${purpose}-leaving`);
    }
  };

  try {
    await unlessAborted(options.closing, join());
  } catch (error) {
    out();
    // The others wait for a member that has begun to join.
    await announceLeaving().catch(() => {});
    throw error;
  }
  const staying = stayIn();

  return {
    get name() {
      return groupInstanceId ?? memberId;
    },
    get members() {
      return assigned.members;
    },
    get heldUntilMs() {
      return isOut ? Number.NEGATIVE_INFINITY : heardAtMs + options.sessionTimeoutMs;
    },
    get isOut() {
      return isOut;
    },
    committer: () => (isJoined ? { memberId, generation } : undefined),
    heldSince: (partition) => (isOut ? undefined : since.get(partition)),
    settled: async () => {
      if (isJoined || isOut) return;
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave: async () => {
      if (isOut) return;
      isOut = true;
      leaving.abort();
      try {
        await announceLeaving();
      } finally {
        out();
        await staying;
      }
    },
  };
}

async function unlessAborted<T>(signal: AbortSignal, act: Promise<T>): Promise<T> {
  const done = new AbortController();
  try {
    return await new Promise<T>((resolve, reject) => {
      act.then(resolve, reject);
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
    });
  } finally {
    done.abort();
  }
}

async function sharedPartitions(
  cluster: Cluster,
  topics: readonly string[],
  wanted: number | undefined,
): Promise<number> {
  const deadline = deadlineIn(kafkaLimits.operationTimeoutMs);
  const counts = await Promise.all(topics.map((topic) => retrying(deadline, () => cluster.partitionCount(topic))));
  if (wanted !== undefined && counts.every((count) => count >= wanted)) return wanted;
  if (counts.some((count) => count !== (wanted ?? counts[0]))) {
    const message = `topics of one group must have equally many partitions, but ${topics.map((topic, i) => `${topic} has ${counts[i]}`).join(', ')}`;
    throw new CrawlstreamError('TOPIC_MISMATCH', message);
  }
  return counts[0] ?? 0;
}
