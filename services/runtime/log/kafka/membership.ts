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
  const partitions = await sharedPartitions(cluster, joining.topics, joining.partitions);
  const membership = new GroupMembership(cluster, partitions, joining, options);
  await membership.open();
  return membership;
}

class GroupMembership implements KafkaMembership {
  readonly #cluster: Cluster;
  readonly #joining: GroupOptions;
  readonly #options: MembershipOptions;
  readonly #partitions: number;
  readonly #purpose = `group-${membershipCount++}`;
  #memberId = '';
  #generation = -1;
  #assigned: Assignment = { owned: [], standbys: [], warmUps: [], members: 0 };
  readonly #warmUps: ReturnType<typeof createWarmUps>;
  #since: ReadonlyMap<number, number> = new Map();
  #isJoined = false;
  #isOut = false;
  /** Time of the last request that the coordinator counts as a sign of life, by `performance.now()`. */
  #heardAtMs = Number.NEGATIVE_INFINITY;
  /** True if another member has the same name. */
  #isFenced = false;
  readonly #leaving = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #staying: Promise<void> = Promise.resolve();

  constructor(cluster: Cluster, partitions: number, joining: GroupOptions, options: MembershipOptions) {
    this.#cluster = cluster;
    this.#joining = joining;
    this.#options = options;
    this.#partitions = partitions;
    this.#warmUps = createWarmUps(options.warmUpMsMax);
  }

  #send<T>(name: 'JoinGroup' | 'SyncGroup' | 'Heartbeat', args: object): Promise<T> {
    this.#leaving.signal.throwIfAborted();
    return this.#cluster.sendCoordinator<T>(
      this.#joining.group,
      this.#purpose,
      raw(name, { groupId: this.#joining.group, groupInstanceId: this.#joining.instanceId, ...args }),
    );
  }

  /** One round of joining; returns false if it must be repeated. */
  async #joinOnce(): Promise<boolean> {
    const { owned, standbys } = this.#assigned;
    const copies = standbys.map(({ partition }) => partition);
    const status = { owned, generation: this.#generation, standbys: copies, warmingMs: this.#warmUps.lastingMs() };
    const joined = await this.#send<JoinAnswer>('JoinGroup', {
      sessionTimeout: this.#options.sessionTimeoutMs,
      rebalanceTimeout: this.#options.sessionTimeoutMs,
      memberId: this.#memberId,
      protocolType: 'consumer',
      groupProtocols: [{ name: protocolName, metadata: encodeMetadata(this.#joining, status) }],
    });
    if (!this.#isAccepted(joined.errorCode, joined.memberId)) return false;
    this.#memberId = joined.memberId;
    const sentAtMs = performance.now();
    const groupAssignment =
      joined.leaderId === this.#memberId
        ? shareOut(joined.members, this.#joining.topics, this.#partitions, this.#options.warmUpMsMax)
        : [];
    const synced = await this.#send<{ errorCode: number; memberAssignment: Buffer }>('SyncGroup', {
      generationId: joined.generationId,
      memberId: this.#memberId,
      groupAssignment,
    });
    if (!this.#isAccepted(synced.errorCode)) return false;
    this.#heardAtMs = sentAtMs;
    this.#generation = joined.generationId;
    this.#assigned = decodeAssignment(synced.memberAssignment);
    this.#warmUps.begin(this.#assigned.warmUps);
    return true;
  }

  /** False: join again. Throws errors that are final, and errors that may pass. */
  #isAccepted(errorCode: number, idGiven?: string): boolean {
    if (errorCode === 0) return true;
    switch (errorOf(errorCode).type) {
      case 'MEMBER_ID_REQUIRED':
        this.#memberId = idGiven ?? '';
        return false;
      case 'UNKNOWN_MEMBER_ID':
        this.#memberId = '';
        return false;
      case 'ILLEGAL_GENERATION':
      case 'REBALANCE_IN_PROGRESS':
        return false;
      case 'INCONSISTENT_GROUP_PROTOCOL':
        throw new CrawlstreamError(
          'INVALID_ARGUMENT',
          `group ${this.#joining.group} has members with another partition assignor: use another group name, or stop them`,
        );
      case 'FENCED_INSTANCE_ID':
        this.#isFenced = true;
        this.#memberId = '';
        return false;
      case 'INVALID_SESSION_TIMEOUT':
        throw new CrawlstreamError(
          'INVALID_ARGUMENT',
          `a session of ${this.#options.sessionTimeoutMs} ms is outside what the brokers allow (group.min.session.timeout.ms, group.max.session.timeout.ms)`,
        );
    }
    checkGroup(this.#cluster, errorCode, this.#joining.group, `joining group ${this.#joining.group}`);
    return true;
  }

  /**
   * Another process with this name would show itself within a session. Otherwise it was a request to join that a broker
   * handled late: from a process that has died since, or from this one.
   */
  async #outlast() {
    this.#joining.onAssigned([], []);
    this.#since = new Map();
    await sleep(this.#options.sessionTimeoutMs + this.#options.heartbeatMs, undefined, {
      signal: this.#leaving.signal,
    });
    const members = await retrying(deadlineIn(this.#options.giveUpMs), () =>
      describeGroup(this.#cluster, this.#joining.group),
    );
    this.#isFenced = members.some(({ name }) => name === this.#joining.instanceId);
    if (!this.#isFenced) return;
    const message = `another process has joined group ${this.#joining.group} as ${this.#joining.instanceId}: give each process a different --instance-id`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }

  async #join() {
    if (this.#generation >= 0) await this.#joining.beforeRejoin?.();
    this.#isJoined = false;
    const before = this.#generation;
    await retrying(deadlineIn(this.#options.giveUpMs), async () => {
      do {
        this.#leaving.signal.throwIfAborted();
        if (this.#isFenced) await this.#outlast();
      } while (!(await this.#joinOnce()));
    });
    this.#leaving.signal.throwIfAborted();
    this.#isJoined = true;
    this.#options.onJoined?.();
    // A generation was missed, and in it these partitions may have belonged to another member.
    const missed = before >= 0 && this.#generation !== before + 1;
    const { owned, standbys } = this.#assigned;
    if (missed) this.#joining.onAssigned([], standbys);
    this.#since = new Map(
      owned.map((partition) => [partition, (missed ? undefined : this.#since.get(partition)) ?? this.#generation]),
    );
    this.#joining.onAssigned(owned, standbys);
    this.#settle();
  }

  #settle() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #beat(): Promise<boolean> {
    const args = { groupGenerationId: this.#generation, memberId: this.#memberId };
    let sentAtMs = 0;
    const { errorCode } = await retrying(deadlineIn(this.#options.giveUpMs), async () => {
      sentAtMs = performance.now();
      const answer = await this.#send<{ errorCode: number }>('Heartbeat', args);
      if (errorOf(answer.errorCode).retriable)
        checkGroup(this.#cluster, answer.errorCode, this.#joining.group, `heartbeat in group ${this.#joining.group}`);
      return answer;
    });
    if (errorCode === 0 || errorOf(errorCode).type === 'REBALANCE_IN_PROGRESS') this.#heardAtMs = sentAtMs;
    return this.#isAccepted(errorCode);
  }

  async #stayIn() {
    try {
      while (!this.#isOut) {
        await sleep(this.#options.heartbeatMs, undefined, { signal: this.#leaving.signal });
        if (!(await this.#beat()) || this.#warmUps.areOver(this.#joining.caughtUp?.() ?? [])) await this.#join();
      }
    } catch (error) {
      if (this.#isOut) return;
      this.#out();
      this.#joining.onFailure(error);
    }
  }

  #out() {
    this.#isOut = true;
    this.#isJoined = false;
    this.#leaving.abort();
    this.#cluster.release(this.#purpose);
    this.#settle();
  }

  /** A separate link: the other one may be waiting for a rebalance to end. */
  async #announceLeaving() {
    // Without an id, the request would apply to any process with this name.
    if (this.#memberId === '') return;
    const request = raw('LeaveGroup', {
      groupId: this.#joining.group,
      memberId: this.#memberId,
      groupInstanceId: this.#joining.instanceId,
    });
    const patience = new AbortController();
    const patient = sleep(this.#options.leaveMs, undefined, { signal: patience.signal }).catch(() => {});
    try {
      await Promise.race([
        this.#cluster.sendCoordinator(this.#joining.group, `${this.#purpose}-leaving`, request),
        patient,
      ]);
    } catch (error) {
      if (!isTransient(error)) throw error;
    } finally {
      patience.abort();
      this.#cluster.release(`${this.#purpose}-leaving`);
    }
  }

  /** Resolves once the first assignment was reported. */
  async open(): Promise<void> {
    try {
      await unlessAborted(this.#options.closing, this.#join());
    } catch (error) {
      this.#out();
      // The others wait for a member that has begun to join.
      await this.#announceLeaving().catch(() => {});
      throw error;
    }
    this.#staying = this.#stayIn();
  }

  get name() {
    return this.#joining.instanceId ?? this.#memberId;
  }

  get members() {
    return this.#assigned.members;
  }

  get heldUntilMs() {
    return this.#isOut ? Number.NEGATIVE_INFINITY : this.#heardAtMs + this.#options.sessionTimeoutMs;
  }

  get isOut() {
    return this.#isOut;
  }

  readonly committer: KafkaMembership['committer'] = () =>
    this.#isJoined ? { memberId: this.#memberId, generation: this.#generation } : undefined;
  readonly heldSince: KafkaMembership['heldSince'] = (partition) =>
    this.#isOut ? undefined : this.#since.get(partition);
  readonly settled: KafkaMembership['settled'] = async () => {
    if (this.#isJoined || this.#isOut) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  };

  readonly leave: KafkaMembership['leave'] = async () => {
    if (this.#isOut) return;
    this.#isOut = true;
    this.#leaving.abort();
    try {
      await this.#announceLeaving();
    } finally {
      this.#out();
      await this.#staying;
    }
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
