/**
 * The log port: partitioned, ordered, durable topics. Kafka, or the embedded log, stand behind it.
 *
 * Topic names here are full names (`crawl.discovered`). Offsets of a partition start at 0 and grow; on the embedded
 * log they have no holes, on Kafka they may (readers must not count on it). An append that has resolved survives a
 * crash of this process, and on the embedded log of the machine. On Kafka it is in the memory of every replica in sync, and
 * on their disks some time later: it survives the crash of any of them, not of all at once. Appends to one partition,
 * issued in order by one process, land in order.
 * Keys and values handed in or out are not copied and may be shared between readers: nobody may change them.
 */
export interface Log {
  /** Creates what is missing and checks what is there; throws TOPIC_MISMATCH by name where there are too few partitions. */
  createTopics(specs: readonly LogTopic[]): Promise<void>;
  /** Removes topics with all they hold; those that are gone already are passed over. Absent: they go with the folder. */
  deleteTopics?(names: readonly string[]): Promise<void>;
  /** Partitions of a topic; 0: there is no such topic. */
  partitionsOf(topic: string): Promise<number>;
  /**
   * Resolves, once all records are durable, with their offsets in the order given. Atomic only on the embedded log.
   * Rejects with RecordTooLarge, once the others are durable, where a topic takes no such record.
   */
  append(records: readonly AppendRecord[], options?: AppendOptions): Promise<number[]>;
  /** A reader with its own positions; nothing is assigned until `seek`. */
  reader(): LogReader;
  /** `start`: the first offset still there. `end`: one past the newest durable record; appends under way don't count. */
  offsets(topic: string, partition: number): Promise<OffsetRange>;
  /** Offset of the first record appended at or after `timeMs` (ms since the Unix epoch); the end if there is none. */
  offsetAt(topic: string, partition: number, timeMs: number): Promise<number>;
  /** The newest record of a partition, or undefined if it is empty. */
  last(topic: string, partition: number): Promise<LogRecord | undefined>;
  /** Forgets records below `before`. */
  trim(topic: string, partition: number, before: number): Promise<void>;
  /**
   * Positions from which fetchers resume, and by which others see lag: the next offset to read. A member of the group
   * is refused with OWNERSHIP_LOST where a partition is another's, or may have been since this was called.
   */
  commit(group: string, positions: readonly Position[]): Promise<void>;
  committed(group: string, topic: string, partition: number): Promise<number | undefined>;
  /** Committed positions of several partitions at once; partitions without one are left out. */
  committedAll(group: string, topic: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Groups with names of this prefix that have members or committed positions. */
  groups(prefix: string): Promise<GroupStatus[]>;
  /** Forgets all positions of a group. Throws GROUP_ACTIVE where it has members. */
  forgetGroup(group: string): Promise<void>;
  /**
   * Joins a consumer group. Partitions are shared out by number, the same numbers for all of the group's topics
   * (co-partitioned). Rejects where the group cannot be joined.
   */
  join(options: GroupOptions): Promise<Membership>;
  /** The members of a group and what each has; none where there is no such group. Rejects while a long rebalance lasts. */
  membersOf(group: string): Promise<readonly GroupMember[]>;
  /** What of the brokers’ settings puts records of these topics at risk. Absent: there are no brokers. */
  risks?(topics: readonly LogTopic[]): Promise<readonly TopicRisk[]>;
  /** Brokers that do not answer; null: all do. Absent: there are none. */
  brokersAway?(): { readonly text: string; readonly count: number; readonly isCutOff: boolean } | null;
  /** Partitions that have taken no append for 10 s, while some wait; null: there are none. Absent: there are no brokers. */
  appendsBlocked?(): { readonly text: string; readonly count: number } | null;
  /** Counts of requests to brokers. Absent: none. */
  tallies?(): LogTallies;
  /** Waits for appends under way, ends waiting polls and joins, and refuses what comes after. */
  close(): Promise<void>;
}

/** What a process has counted of its requests to brokers. */
export interface LogTallies {
  readonly requests: ReadonlyMap<string, RequestTally>;
  /** Batches that were sent again, or later than they could be. */
  readonly produceRetries: number;
  /** Assignments that it was given, by group. */
  readonly rebalances: ReadonlyMap<string, number>;
}

export interface RequestTally {
  readonly count: number;
  /** Requests that had no answer. */
  readonly failures: number;
  /** Of all of them together, including waits that a request itself asks for. */
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
  /** So many partitions of each are shared out; what a topic has beyond stays unread. Absent: their counts must be equal. */
  readonly partitions?: number | undefined;
  /**
   * A name that outlives this process: a process that returns with it within a session is the same member, and nothing
   * moves. If two processes have the same name, the older one is expelled: it owns nothing from then on, and
   * `onFailure` is called a session later.
   */
  readonly instanceId?: string | undefined;
  /** Where others may ask this member, as `host:port`. */
  readonly address?: string | undefined;
  /**
   * Number of members that should keep a warm copy of each partition; the largest number that a member asks for counts.
   */
  readonly standbys?: number | undefined;
  /** Partitions of which this member has some state from before: where there is a choice, it gets those. */
  holds?(): readonly number[];
  /**
   * Nearly current copies of this member. Given: a partition moves to this member only once its copy has caught up, or
   * after a time limit; until then the member keeps a copy. Absent: partitions have no state.
   */
  caughtUp?(): readonly number[];
  /**
   * All partitions that are this member's from now on, and those it is to keep a warm copy of. Called again after each
   * rebalance, one call at a time; the next rebalance waits for nobody, so two members may hold one partition for a
   * moment: ownership is settled by the changelog's claims, and this only says who should try. A partition that another
   * member may have had in between (this one was away for longer than its session) is taken away first, by a call
   * without it.
   */
  onAssigned(partitions: readonly number[], standbys: readonly StandbyPlace[]): void;
  /**
   * Called before this member joins again, as all do when one comes or goes. No partition of its own is given to another before this
   * has resolved, unless it takes longer than the session. Absent: nothing is to be done.
   */
  beforeRejoin?(): Promise<void>;
  /** The group cannot be kept (broker gone for good, fenced). The member is out. */
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
  /** Its own name, or the one that the group gave it. */
  readonly name: string;
  /** Where it may be asked; null: nowhere. */
  readonly address: string | null;
  readonly owned: readonly number[];
  readonly standbys: readonly StandbyPlace[];
}

export interface Membership {
  /** Name of this member, as the others see it. */
  readonly name: string;
  /** Members of the group, this one among them, as of the newest rebalance. */
  readonly members: number;
  /**
   * Until then, by `performance.now()`, the group takes this member for alive, whatever becomes of its connections: another gets
   * what it holds no earlier. Absent: nobody else does.
   */
  readonly heldUntilMs?: number;
  /** Leaves at once, so that the others take over. */
  leave(): Promise<void>;
}

export interface TopicRisk {
  /** With the command that mends it. */
  readonly text: string;
  /** The brokers delete records, or refuse them, as the topics are set now. */
  readonly isUrgent: boolean;
}

export interface LogTopic {
  readonly name: string;
  readonly partitions: number;
  readonly retention: 'state' | 'time';
  /** Kafka's settings of a topic that is made. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface AppendRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: Uint8Array | null;
  /** Empty: a tombstone, which takes back what the key had. On Kafka it is a record without a value (null). */
  readonly value: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AppendOptions {
  /**
   * Later appends to the same partition depend on these records: if one of these is too large, they are rejected as
   * well. These records are rejected if the log has lost what this process appended before.
   */
  readonly leads?: boolean;
}

export interface LogRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** When it was appended, ms since the Unix epoch. */
  readonly timestampMs: number;
  readonly key: Buffer | null;
  /** Empty: a tombstone. */
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Leader epoch of the broker that appended it: it grows with each new leader of the partition. Absent: the log has no
   * leaders.
   */
  readonly leaderEpoch?: number;
}

/** The last record that was read of a partition, so that the log can say whether it still holds it (KIP-320). */
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
  /** Starts, or goes on, reading a partition at `offset`. `before`: what was read by then. Absent: not known, or nothing. */
  seek(topic: string, partition: number, offset: number, before?: ReadBefore): void;
  /** Stops reading a partition. */
  drop(topic: string, partition: number): void;
  /** A paused partition keeps its position and gives nothing. */
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  /**
   * Records that are there, in offset order within each partition; waits up to `waitMs` for the first.
   * Throws OFFSET_OUT_OF_RANGE when a position lies outside its partition: never an automatic reset. Throws LogTruncated
   * where what was read before the position is not in the partition any more.
   */
  poll(options: PollOptions): Promise<LogRecord[]>;
  /** Makes a waiting `poll` return at once. */
  wake(): void;
  close(): Promise<void>;
}

export interface PollOptions {
  /** Values' bytes, about, over all partitions; at least one record comes if there is one. */
  readonly maxBytes: number;
  readonly waitMs: number;
}
