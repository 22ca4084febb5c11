/**
 * The log on Kafka.
 *
 * How the port's promises are kept: order without duplicates by an idempotent producer with one batch in flight per
 * partition (appender.ts); exact positions by Fetch requests of our own (reader.ts); membership that survives slow
 * handlers by heartbeats on a timer (membership.ts). Offsets may have holes where foreign producers use transactions.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { type Clock, SystemClock } from '../../clock.ts';
import type { Log, LogReader, Position } from '../log.ts';
import { watchAppends } from './append-watch.ts';
import { Appender } from './appender.ts';
import { type BrokerWatch, createBrokerWatch } from './broker-watch.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { compressorOf, loadCodecs } from './compression/codecs.ts';
import { type CompressionName, compressionDefault } from './compression/names.ts';
import { createTopics } from './create-topics.ts';
import { deleteTopics } from './delete-topics.ts';
import { describeGroup } from './describe-group.ts';
import { readEpochEnd } from './epoch-end.ts';
import { deadlineIn, retrying, transient } from './errors.ts';
import { forgetGroup, readGroups } from './group-list.ts';
import { kafkaLimits } from './kafka-limits.ts';
import type { KafkajsLogEntry } from './kafkajs-wire.ts';
import type { Address, Credentials, LinkEvents } from './link.ts';
import type { KafkaMembership } from './membership.ts';
import { Memberships } from './memberships.ts';
import { commitPositions, readCommitted, readLast, readOffsetAt, readRange, trimBelow } from './positions.ts';
import { KafkaReader } from './reader.ts';
import { createTally } from './tallies.ts';
import { readRisks } from './topic-risks.ts';

export interface KafkaLogOptions {
  /** `host:port`. Several, because one may be down. */
  readonly brokers: readonly string[];
  /** Names this process in the brokers' logs. */
  readonly clientId: string;
  /**
   * Rack of this process, as brokers name it (`broker.rack`): it reads from a replica there, if the brokers allow it
   * (KIP-392).
   */
  readonly rack?: string;
  /** `true` for TLS with the system's authorities, or options of `tls.connect`. */
  readonly ssl?: boolean | object;
  /**
   * Login in the form of kafkajs: {mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512', username, password}, and
   * others.
   */
  readonly sasl?: object;
  /** Replaces `ssl` and `sasl`: called at each connection; if it throws, its last result is used. */
  readonly credentials?: () => Credentials;
  /** Receives kafkajs's own warnings. Absent: they are dropped, because serious errors are thrown. */
  readonly onKafkajsLog?: (entry: KafkajsLogEntry) => void;
  /** Called with a line when a broker stops answering, and when it answers again. */
  readonly onBrokers?: (text: string) => void;
  /** Absences that an earlier log has already reported, and since when; updated by this log. */
  readonly brokersSaid?: Map<string, number>;
  /** Compression of appended records; records may be read with any codec. Absent: none. */
  readonly compression?: CompressionName;
  /** Replicas of topics created here. Absent: three, or the number of brokers if there are fewer. */
  readonly replicationFactor?: number;
  readonly sessionTimeoutMs?: number;
  readonly heartbeatMs?: number;
  readonly warmUpMsMax?: number;
  /** Wait of appends, readers and memberships for absent brokers before they fail, ms. */
  readonly deliveryTimeoutMs?: number;
  /** Wait of queries, settings and commits, ms. Absent: half a minute, after which a command reports the fault. */
  readonly operationTimeoutMs?: number;
  readonly openTimeoutMs?: number;
  /** Interval of refreshing metadata of topics and brokers, ms. */
  readonly metadataMs?: number;
  readonly clock?: Clock;
}

/**
 * Throws BROKER_UNREACHABLE if no broker answers, or they refuse the login, and UNSUPPORTED if this machine lacks the
 * compression.
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<Log> {
  await loadCodecs();
  const compressor = compressorOf(options.compression ?? compressionDefault);
  const watch = createBrokerWatch(options.onBrokers ?? (() => {}), options.brokersSaid);
  const tally = createTally();
  const cluster = await connected(options, watch, tally.request);
  const { deliveryTimeoutMs = kafkaLimits.deliveryTimeoutMs, clock = new SystemClock() } = options;
  const appender = new Appender(cluster, clock, deliveryTimeoutMs, compressor, tally.retry);
  const appendWatch = watchAppends(() => appender.blocked(), watch.lastAwayMs, options.onBrokers ?? (() => {}));
  const readers = new Set<LogReader>();
  const closing = new AbortController();
  const memberships = new Memberships(
    cluster,
    { ...options, giveUpMs: deliveryTimeoutMs, closing: closing.signal },
    tally.joined,
  );
  let closed: Promise<void> | undefined;
  const checkOpen = () => closing.signal.throwIfAborted();
  const close = async () => {
    closing.abort(new CrawlstreamError('STORE_CLOSED', 'the log is closed'));
    await memberships.leave();
    await appender.close();
    appendWatch.close();
    await Promise.all([...readers].map((reader) => reader.close()));
    cluster.close();
  };

  return {
    createTopics: async (specs) => {
      checkOpen();
      await createTopics(cluster, specs, options.replicationFactor);
    },
    deleteTopics: async (names) => {
      checkOpen();
      await deleteTopics(cluster, names);
    },
    partitionsOf: async (topic) => {
      checkOpen();
      const [count] = await retrying(deadlineIn(cluster.patienceMs), () => cluster.look([topic]));
      return count ?? 0;
    },
    append: (records, options) => appender.append(records, options),
    reader: () => {
      checkOpen();
      const reader: LogReader = readerOf(cluster, deliveryTimeoutMs, () => readers.delete(reader), options.rack);
      readers.add(reader);
      return reader;
    },
    offsets: (topic, partition) => readRange(cluster, topic, partition),
    offsetAt: (topic, partition, timeMs) => readOffsetAt(cluster, topic, partition, timeMs),
    last: (topic, partition) => readLast(cluster, topic, partition),
    trim: (topic, partition, before) => trimBelow(cluster, topic, partition, before),
    commit: (group, positions) => commit(cluster, group, positions, memberships.of(group)),
    committed: async (group, topic, partition) =>
      (await readCommitted(cluster, group, topic, [partition])).get(partition),
    committedAll: (group, topic, partitions) => readCommitted(cluster, group, topic, partitions),
    groups: (prefix) => readGroups(cluster, prefix),
    forgetGroup: (group) => forgetGroup(cluster, group),
    join: async (group) => {
      checkOpen();
      return memberships.join(group);
    },
    membersOf: (group) => describeGroup(cluster, group),
    risks: (topics) => readRisks(cluster, topics),
    brokersAway: () => watch.away,
    appendsBlocked: () => appendWatch.blocked,
    tallies: () => tally,
    close: () => (closed ??= close()),
  };
}

function readerOf(cluster: Cluster, giveUpMs: number, onClose: () => void, rack: string | undefined): LogReader {
  const rangeOf = (topic: string, partition: number) => readRange(cluster, topic, partition);
  const epochEndOf = (topic: string, partition: number, epoch: number) =>
    readEpochEnd(cluster, topic, partition, epoch);
  return new KafkaReader(cluster, rangeOf, epochEndOf, giveUpMs, onClose, rack);
}

/** Connects to the brokers that the options name. */
function connected(options: KafkaLogOptions, watch: BrokerWatch, measured: LinkEvents['measured']): Promise<Cluster> {
  return openCluster(
    options.brokers.map(addressOf),
    {
      clientId: options.clientId,
      credentials: lastGood(options.credentials ?? (() => options)),
      ...(options.onKafkajsLog && { onKafkajsLog: options.onKafkajsLog }),
    },
    {
      openTimeoutMs: options.openTimeoutMs ?? kafkaLimits.openTimeoutMs,
      patienceMs: options.operationTimeoutMs ?? kafkaLimits.operationTimeoutMs,
      metadataMs: options.metadataMs ?? kafkaLimits.metadataMs,
    },
    watch,
    measured,
  );
}

/**
 * Commits positions. A member commits in the group's generation, so a replaced one cannot commit; a process outside the
 * group may commit only while the group has no members. Throws OWNERSHIP_LOST if a partition belongs to another member,
 * now or at some time since the call.
 */
async function commit(
  cluster: Cluster,
  group: string,
  positions: readonly Position[],
  membership: KafkaMembership | undefined,
): Promise<void> {
  if (positions.length === 0) return;
  const held = positions.map(({ partition }) => membership?.heldSince(partition));
  await retrying(deadlineIn(cluster.patienceMs), async () => {
    await membership?.settled();
    const committer = membership ? membership.committer() : { memberId: '', generation: -1 };
    const lost =
      membership &&
      positions.find(
        ({ partition }, index) => held[index] === undefined || membership.heldSince(partition) !== held[index],
      );
    if (lost || !committer) {
      const which = lost ?? (positions[0] as Position);
      const message = `${which.topic}/${which.partition} is not this member's of group ${group} any more: its position is not committed`;
      throw new CrawlstreamError('OWNERSHIP_LOST', message);
    }
    if (await commitPositions(cluster, group, positions, committer)) return;
    if (!membership) {
      const message = `group ${group} has members: only they commit its positions`;
      throw new CrawlstreamError('GROUP_ACTIVE', message);
    }
    throw transient(`group ${group} is rebalancing: its positions can't be committed now`);
  });
}

/** A file that is being changed may be half written, or missing for a moment: then the last credentials are tried. */
function lastGood(read: () => Credentials): () => Credentials {
  let last = read();
  return () => {
    try {
      last = read();
    } catch {
      // The broker's answer to the old credentials is more useful than a missing file.
    }
    return last;
  };
}

function addressOf(broker: string): Address {
  const match = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(broker.trim());
  if (!match || Number(match[2]) > 65_535) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `broker "${broker}" is not an address: write host:port`);
  }
  return { host: match[1] as string, port: Number(match[2]) };
}
