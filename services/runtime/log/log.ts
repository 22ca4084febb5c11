/**
 * The log port: partitioned, ordered, durable topics. Kafka and the embedded log implement it.
 *
 * Topic names here are full names (`crawl.discovered`). Offsets of a partition start at 0 and grow; on the embedded log
 * they have no holes, on Kafka they may (readers must not count on it). An append that has resolved survives a crash of
 * this process, and on the embedded log of the machine. On Kafka it is in the memory of every replica in sync, and on
 * their disks some time later: it survives the crash of any of them, not of all at once. Appends to one partition,
 * issued in order by one process, land in order. Keys and values are not copied and may be shared between readers,
 * which must not change them.
 */
export interface Log {
  /**
   * Creates missing topics and checks existing ones. Throws TOPIC_MISMATCH with the name of a topic that has too few
   * partitions.
   */
  createTopics(specs: readonly LogTopic[]): Promise<void>;
  /** Deletes topics with all records; missing ones are skipped. Absent: topics are deleted with the folder. */
  deleteTopics?(names: readonly string[]): Promise<void>;
  /** Number of partitions of a topic; 0: it does not exist. */
  partitionsOf(topic: string): Promise<number>;
  /**
   * Resolves with the offsets, in the given order, once all records are durable. Atomic only on the embedded log.
   * Rejects with RecordTooLarge, once the others are durable, if a record is too large for its topic.
   */
  append(records: readonly AppendRecord[], options?: AppendOptions): Promise<number[]>;
  /** True: of the records of one append, all become durable and readable at once, or none. Absent: one by one. */
  readonly isAtomic?: true;
  /** A reader with its own positions; nothing is assigned until `seek`. */
  reader(): LogReader;
  /**
   * `start`: the first offset that still exists. `end`: one past the newest durable record; current appends do not
   * count.
   */
  offsets(topic: string, partition: number): Promise<OffsetRange>;
  /** Offset of the first record appended at or after `timeMs` (ms since the Unix epoch); the end if there is none. */
  offsetAt(topic: string, partition: number, timeMs: number): Promise<number>;
  /** The newest record of a partition, or undefined if it is empty. */
  last(topic: string, partition: number): Promise<LogRecord | undefined>;
  /** Forgets records below `before`. */
  trim(topic: string, partition: number, before: number): Promise<void>;
  /**
   * Commits the next offsets to read: fetchers resume from them, and others see the lag. Rejects with OWNERSHIP_LOST
   * if a partition belongs to another member, or may have since the call.
   */
  commit(group: string, positions: readonly Position[]): Promise<void>;
  committed(group: string, topic: string, partition: number): Promise<number | undefined>;
  /** Committed positions of several partitions at once; partitions without one are left out. */
  committedAll(group: string, topic: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Groups with names of this prefix that have members or committed positions. */
  groups(prefix: string): Promise<GroupStatus[]>;
  /** Deletes all positions of a group. Throws GROUP_ACTIVE if it has members. */
  forgetGroup(group: string): Promise<void>;
  /**
   * Joins a consumer group. Partitions are assigned by number, the same numbers for all of the group's topics
   * (co-partitioned). Rejects if the group cannot be joined.
   */
  join(options: GroupOptions): Promise<Membership>;
  /**
   * The members of a group and their partitions; empty if the group does not exist. Rejects while a long rebalance
   * lasts.
   */
  membersOf(group: string): Promise<readonly GroupMember[]>;
  /** Returns the broker settings that put records of these topics at risk. Absent: there are no brokers. */
  risks?(topics: readonly LogTopic[]): Promise<readonly TopicRisk[]>;
  /** Returns the brokers that do not answer; null: all answer. Absent: the log has no brokers. */
  brokersAway?(): { readonly text: string; readonly count: number; readonly isCutOff: boolean } | null;
  /**
   * Returns the partitions in which appends have waited for 10 s, and none was acked; null: none. Absent: the log has
   * no brokers.
   */
  appendsBlocked?(): { readonly text: string; readonly count: number } | null;
  /** Counts of requests to brokers. Absent: none. */
  tallies?(): LogTallies;
  /** Waits for current appends, ends waiting polls and joins, and refuses later calls. */
  close(): Promise<void>;
}

/** A process's statistics of its requests to brokers. */
export interface LogTallies {
  readonly requests: ReadonlyMap<string, RequestTally>;
  /** Batches that were sent again, or later than possible. */
  readonly produceRetries: number;
  /** Number of assignments received, by group. */
  readonly rebalances: ReadonlyMap<string, number>;
}

export interface RequestTally {
  readonly count: number;
  /** Requests without an answer. */
  readonly failures: number;
  /** Total time of all requests, including waits that a request asks for. */
  readonly seconds: number;
}

export interface GroupStatus {
  readonly group: string;
  /** Members now; always 0 on the embedded log, which belongs to one process. */
  readonly members: number;
}

export interface GroupOptions {
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Number of partitions to assign of each topic; further ones stay unread. Absent: all topics must have the same
   * number.
   */
  readonly partitions?: number | undefined;
  /**
   * A name that outlives this process: a process that returns with it within a session is the same member, and nothing
   * moves. If two processes have the same name, the older one is expelled: it owns nothing from then on, and
   * `onFailure` is called a session later.
   */
  readonly instanceId?: string | undefined;
  /** Address of this member for queries, as `host:port`. */
  readonly address?: string | undefined;
  /** Number of members that should keep a standby copy of each partition; the largest wish of a member counts. */
  readonly standbys?: number | undefined;
  /** Partitions with an earlier state on this member: if there is a choice, it gets those. */
  holds?(): readonly number[];
  /**
   * Copies of this member that are nearly current. Given: a partition moves to this member only once its copy has
   * caught up, or after a time limit; until then, the member keeps a copy. Absent: partitions have no state.
   */
  caughtUp?(): readonly number[];
  /**
   * Receives all partitions of this member, and those it must keep a standby copy of. Called again after each
   * rebalance, one call at a time. The next rebalance waits for nobody, so two members may hold one partition for a
   * moment: the changelog's claims decide the ownership, and an assignment only says who should try. A partition that
   * another member may have had in between (this one was away for longer than its session) is removed first, by a
   * call without it.
   */
  onAssigned(partitions: readonly number[], standbys: readonly StandbyPlace[]): void;
  /**
   * Called before this member joins again, as all members do when one comes or goes. None of its partitions is
   * assigned to another member before the promise resolves, unless it takes longer than the session. Absent: nothing
   * to do.
   */
  beforeRejoin?(): Promise<void>;
  /** Called if the group cannot be kept (broker gone for good, fenced). The member is out. */
  onFailure(error: unknown): void;
}

/** A warm copy's place. */
export interface StandbyPlace {
  readonly partition: number;
  /** 1: the first copy of this partition, 2: the second. */
  readonly rank: number;
}

/** A member as the others see it. */
export interface GroupMember {
  /** The member's name, or the one that the group gave it. */
  readonly name: string;
  /** Address for queries; null: none. */
  readonly address: string | null;
  readonly owned: readonly number[];
  readonly standbys: readonly StandbyPlace[];
}

export interface Membership {
  /** Name of this member, as the others see it. */
  readonly name: string;
  /** Number of members of the group, including this one, as of the last rebalance. */
  readonly members: number;
  /**
   * Until this time, by `performance.now()`, the group considers this member alive, even without a connection: its
   * partitions go to another member no earlier. Absent: no other member can get them.
   */
  readonly heldUntilMs?: number;
  /** Leaves at once, so that the others take over. */
  leave(): Promise<void>;
}

export interface TopicRisk {
  /** The text includes the command that fixes it. */
  readonly text: string;
  /** The brokers delete or refuse records with the current settings. */
  readonly isUrgent: boolean;
}

export interface LogTopic {
  readonly name: string;
  readonly partitions: number;
  readonly retention: 'state' | 'time';
  /** Kafka's settings of a new topic. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface AppendRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: Uint8Array | null;
  /** Empty: a tombstone, which deletes the key's earlier value. On Kafka, it is a record without a value (null). */
  readonly value: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AppendOptions {
  /**
   * Later appends to the same partition depend on these records: if one of these is too large, they are rejected as
   * well. These records are rejected if the log has lost earlier appends of this process.
   */
  readonly leads?: boolean;
}

export interface LogRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Time of the append, ms since the Unix epoch. */
  readonly timestampMs: number;
  readonly key: Buffer | null;
  /** Empty: a tombstone. */
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Epoch of the leader that appended it: it grows with each new leader of the partition. Absent: the log has no
   * leaders.
   */
  readonly leaderEpoch?: number;
}

/** The last record that was read of a partition, so that the log can check whether it still has it (KIP-320). */
export interface ReadBefore {
  /** One past the newest record that was read, in part or whole. */
  readonly end: number;
  /** Leader epoch of that record. */
  readonly leaderEpoch: number;
}

export interface Position {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** Pull-based and single-threaded: one `poll` at a time. */
export interface LogReader {
  /**
   * Starts, or continues, reading a partition at `offset`. `before`: the records read so far. Absent: unknown, or
   * none.
   */
  seek(topic: string, partition: number, offset: number, before?: ReadBefore): void;
  /** Stops reading a partition. */
  drop(topic: string, partition: number): void;
  /** A paused partition keeps its position and returns no records. */
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  /**
   * Returns available records, in offset order within each partition; waits up to `waitMs` for the first. Throws
   * OFFSET_OUT_OF_RANGE if a position is outside its partition: never an automatic reset. Throws LogTruncated if
   * records read before the position no longer exist.
   */
  poll(options: PollOptions): Promise<LogRecord[]>;
  /** Makes a waiting `poll` return at once. */
  wake(): void;
  close(): Promise<void>;
}

export interface PollOptions {
  /** Approximate bytes of values, over all partitions; at least one record is returned if there is one. */
  readonly maxBytes: number;
  readonly waitMs: number;
}
