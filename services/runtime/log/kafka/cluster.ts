/**
 * The leaders of partitions, and the links to brokers.
 *
 * Leaders are cached until a request shows that they may be stale (`forget`); the next call then asks another broker.
 * An older leader never replaces a newer one (leader-table.ts). A sign of lost records is believed only from a leader
 * that a majority of the brokers confirms as the newest (`askMost`, `expectLeader`). Links are shared by purpose:
 * requests of one purpose to one broker use one connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { createBrokerTurns, enoughOf, firstOf } from './broker-turns.ts';
import type { BrokerWatch } from './broker-watch.ts';
import { deadlineIn, isRefusedLogin, isTransient, retrying, throwFor, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { raw, type WireRequest } from './kafkajs-wire.ts';
import { createLeaderTable, type Leader, newestOf } from './leader-table.ts';
import { type Address, type Link, type LinkEvents, type LinkOptions, openLink } from './link.ts';
import { askMetadata, type MetadataAnswer } from './metadata.ts';

export interface Cluster {
  /** Throws INVALID_ARGUMENT for a topic that does not exist. */
  partitionCount(topic: string): Promise<number>;
  /** Resolves to the leader of a partition. Throws BROKER_UNREACHABLE while it has none. */
  leaderOf(topic: string, partition: number): Promise<number>;
  /** The leader, if it is known already. */
  knownLeaderOf(topic: string, partition: number): number | undefined;
  /** The leader with its epoch. Throws as `leaderOf`. */
  leader(topic: string, partition: number): Promise<Leader>;
  /** Address in the brokers' list, `host:port`. */
  addressOf(node: number): string | undefined;
  /** Known epoch of the leader; -1: unknown. */
  epochOf(topic: string, partition: number): number;
  /**
   * Marks the data of a topic as stale: another broker is asked before it is used. `partition`: its leader failed, so
   * that broker is asked last.
   */
  forget(topic: string, partition?: number): void;
  /** Call when a topic was deleted. */
  drop(topic: string): void;
  /** Call when this leader does not answer: another broker is asked for leaders meanwhile. */
  lookAgain(node: number): Promise<void>;
  /** Call when a record of this leader epoch was read. */
  saw(topic: string, partition: number, epoch: number): void;
  /** Asks a majority of the brokers for a topic's leaders. Throws BROKER_UNREACHABLE if fewer answer. */
  askMost(topic: string): Promise<void>;
  /** Throws BROKER_UNREACHABLE if this is not the newest known leader. */
  expectLeader(topic: string, partition: number, leader: Leader): void;
  /**
   * Number of partitions, or undefined if the topic does not exist; asks the brokers. Throws if a leader is missing.
   */
  look(topics: readonly string[]): Promise<(number | undefined)[]>;
  brokerCount(): number;
  /** Queries, settings and commits outlive a broker's absence of this length, ms. */
  readonly patienceMs: number;
  /** The ids of all known brokers; asks the brokers. */
  nodeIds(): Promise<number[]>;
  link(nodeId: number, purpose: string): Promise<Link>;
  /** Sends to whichever broker can be reached. */
  sendAny<T>(request: WireRequest): Promise<T>;
  /** Asks one broker after another for these topics, until one answers. */
  describe(topics: readonly string[]): Promise<MetadataAnswer>;
  /** Sends to a partition's leader, by the shared link. */
  sendLeader<T>(topic: string, partition: number, request: (leader: Leader) => WireRequest): Promise<T>;
  /** Sends to the broker that coordinates a group. */
  sendCoordinator<T>(group: string, purpose: string, request: WireRequest): Promise<T>;
  forgetCoordinator(group: string): void;
  /** Closes the links of a purpose. */
  release(purpose: string): void;
  close(): void;
}

export interface ClusterTimes {
  readonly openTimeoutMs: number;
  readonly patienceMs: number;
  /** Cached answers are requested again after this. */
  readonly metadataMs: number;
}

const shared = 'shared';

/** Connects to one of the brokers, or throws BROKER_UNREACHABLE within `openTimeoutMs`. */
export async function openCluster(
  bootstrap: readonly Address[],
  options: LinkOptions,
  { openTimeoutMs, patienceMs, metadataMs }: ClusterTimes,
  watch: BrokerWatch,
  measured?: LinkEvents['measured'],
): Promise<Cluster> {
  const events = { answered: watch.answered, failed: watch.failed, ...(measured && { measured }) };
  const nodes = new Map<number, Address>();
  const leaders = createLeaderTable();
  const turns = createBrokerTurns();
  const coordinators = new Map<string, number>();
  const links = new Map<string, Promise<Link>>();
  let isOpen = true;
  const closing = new AbortController();

  const linkTo = (key: string, address: Address): Promise<Link> => {
    const opening = openLink(address, options, events);
    links.set(key, opening);
    opening.then(
      (link) => isOpen || link.close(),
      () => links.get(key) === opening && links.delete(key),
    );
    return opening;
  };
  const openOr = async (key: string, address: () => Address): Promise<Link> => {
    if (!isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
    const there = links.get(key);
    if (there) {
      const link = await there;
      if (link.isOpen()) return link;
      link.close();
      if (links.get(key) !== there) return openOr(key, address);
    }
    return linkTo(key, address());
  };
  const link = (nodeId: number, purpose: string) =>
    openOr(`${nodeId}/${purpose}`, () => {
      const address = nodes.get(nodeId);
      if (!address) throw transient(`broker ${nodeId} is unknown at the moment`);
      return address;
    });

  /** Known brokers by id, and those named at the start (KIP-899), in the order in which to ask them. */
  const places = (): { readonly key: string; readonly open: () => Promise<Link> }[] => {
    const ids = new Map([...nodes.keys()].map((nodeId) => [String(nodeId), nodeId]));
    const addresses = new Map(bootstrap.map((address) => [`${address.host}:${address.port}`, address]));
    return [
      ...turns.order(ids.keys()).map((key) => ({ key, open: () => link(ids.get(key) as number, shared) })),
      ...turns.order(addresses.keys()).map((key) => ({ key, open: () => openOr(key, () => addresses.get(key)!) })),
    ];
  };
  // Of several failures, the permanent one is the most useful.
  const worse = (earlier: unknown, later: unknown) => (isRefusedLogin(later) || !isTransient(later) ? later : earlier);
  const counted = async <T>(key: string, act: () => Promise<T>): Promise<T> => {
    turns.asked(key);
    try {
      const result = await act();
      turns.answered(key);
      return result;
    } catch (error) {
      turns.failed(key);
      throw error;
    }
  };
  const anyLink = async (): Promise<Link> => {
    let failure: unknown;
    for (const { key, open } of places()) {
      try {
        return await counted(key, open);
      } catch (error) {
        failure = failure === undefined ? error : worse(failure, error);
      }
    }
    throw failure;
  };
  const sendAny = async <T>(request: WireRequest): Promise<T> => (await anyLink()).send<T>(request);
  /** For requests without effects: if a broker answers slowly, another one is asked as well. */
  const askAny = <T>(question: (link: Link) => Promise<T>): Promise<T> => {
    const tries = places().map(
      ({ key, open }) =>
        () =>
          counted(key, async () => question(await open())),
    );
    return firstOf(tries, kafkaLimits.askNextMs, worse);
  };

  const takeBrokers = ({ brokers }: MetadataAnswer) => {
    if (brokers.length === 0) return;
    nodes.clear();
    for (const { nodeId, host, port } of brokers) nodes.set(nodeId, { host, port });
    watch.listed(brokers.map(({ host, port }) => `${host}:${port}`));
  };
  const leadersIn = ({ partitionMetadata }: MetadataAnswer['topicMetadata'][number]): Leader[] => {
    const found: Leader[] = [];
    for (const { partitionId, leader: node, leaderEpoch: epoch } of partitionMetadata)
      found[partitionId] = { node, epoch };
    return found;
  };
  const ask = async (topics: readonly string[]): Promise<MetadataAnswer> => {
    const answer = await askAny((to) => askMetadata(to, topics));
    takeBrokers(answer);
    for (const each of answer.topicMetadata) {
      if (each.topicErrorCode !== 0) leaders.drop(each.topic);
      // A lone broker is a majority, so its answer is believed after a while.
      else if (!leaders.take(each.topic, leadersIn(each), nodes.size <= 1)) askMost(each.topic).catch(() => {});
    }
    return answer;
  };

  /** By topic: the running question, and the next one, which all later calls share. */
  const asking = new Map<string, { running: Promise<void>; next: Promise<void> | undefined }>();
  const askMost = (topic: string): Promise<void> => {
    if (nodes.size <= 1) return Promise.resolve();
    const there = asking.get(topic);
    if (there !== undefined) {
      there.next ??= there.running
        .catch(() => {})
        .then(() => {
          there.next = undefined;
          return (there.running = askMostNow(topic));
        });
      return there.next;
    }
    const one = { running: askMostNow(topic), next: undefined };
    asking.set(topic, one);
    return one.running;
  };
  const askMostNow = async (topic: string): Promise<void> => {
    const ids = [...nodes.keys()];
    const asked = ids.map((nodeId) =>
      counted(String(nodeId), async () => askMetadata(await link(nodeId, shared), [topic])),
    );
    const answers = await enoughOf(asked, Math.floor(ids.length / 2) + 1).catch((error) => {
      // A broker that left the cluster no longer counts: the next question gets the current list.
      leaders.doubt(topic);
      throw transient(`fewer than half of the ${ids.length} brokers answer: ${(error as Error).message}`, error);
    });
    const found = answers.flatMap(({ topicMetadata }) =>
      topicMetadata.flatMap((each) => (each.topicErrorCode === 0 ? [leadersIn(each)] : [])),
    );
    if (found.length > 0) leaders.take(topic, newestOf(found), true);
  };
  /** One request at a time; calls that come meanwhile share the next one. */
  const wanted = new Set<string>();
  let running: Promise<unknown> = Promise.resolve();
  let queued: Promise<unknown> | undefined;
  const refresh = (topic: string): Promise<unknown> => {
    wanted.add(topic);
    queued ??= running
      .catch(() => {})
      .then(() => {
        queued = undefined;
        const topics = [...wanted];
        wanted.clear();
        running = ask(topics).catch((error) => {
          for (const one of topics) wanted.add(one);
          throw error;
        });
        return running;
      });
    return queued;
  };
  const leadersOf = async (topic: string): Promise<readonly Leader[]> => {
    for (let tries = 0; ; tries++) {
      const known = leaders.of(topic);
      if (known) return known;
      if (tries === kafkaLimits.unknownTopicTries) break;
      // A topic made a moment ago may not have reached every broker.
      if (tries > 0) await sleep(kafkaLimits.retryMs);
      await refresh(topic);
    }
    throw new CrawlstreamError('INVALID_ARGUMENT', `topic ${topic} does not exist: create it first`);
  };
  const leader = async (topic: string, partition: number): Promise<Leader> => {
    const known = await leadersOf(topic);
    const found = known[partition];
    if (found === undefined) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `topic ${topic} has no partition ${partition}, only 0 to ${known.length - 1}`,
      );
    }
    if (found.node >= 0 && nodes.has(found.node)) return found;
    leaders.doubt(topic);
    throw transient(`${topic}/${partition} has no leader at the moment`);
  };
  const forget = (topic: string, partition?: number) => {
    leaders.doubt(topic);
    const failed = partition === undefined ? undefined : leaders.leader(topic, partition);
    if (failed !== undefined && failed.node >= 0) suspect(failed.node);
  };
  /**
   * Marks a broker as suspect: the topics that it leads are refreshed with the next question, which goes to another
   * broker.
   */
  const suspect = (node: number) => {
    turns.asked(String(node));
    const address = nodes.get(node);
    if (address !== undefined) turns.asked(`${address.host}:${address.port}`);
    for (const topic of leaders.ledBy(node)) wanted.add(topic);
    for (const [group, coordinator] of coordinators) if (coordinator === node) coordinators.delete(group);
  };

  const coordinatorOf = async (group: string): Promise<number> => {
    const known = coordinators.get(group);
    if (known !== undefined) return known;
    type Found = { errorCode: number; coordinator: { nodeId: number; host: string; port: number } };
    const { errorCode, coordinator } = await askAny((to) =>
      to.send<Found>(raw('GroupCoordinator', { groupId: group })),
    );
    throwFor(errorCode, `finding the coordinator of group ${group}`);
    const { nodeId, host, port } = coordinator;
    if (!nodes.has(nodeId)) nodes.set(nodeId, { host, port });
    coordinators.set(group, nodeId);
    return nodeId;
  };
  const forgetCoordinator = (group: string) => {
    const node = coordinators.get(group);
    coordinators.delete(group);
    if (node !== undefined) turns.asked(String(node));
  };

  await retrying(deadlineIn(openTimeoutMs), () => ask([]));

  /**
   * Refreshes the metadata now and then, even if no request shows that it is stale: leaders may have moved back,
   * brokers and partitions may have been added.
   */
  const keepFresh = async () => {
    while (isOpen) {
      const ms = watch.away === null ? metadataMs : Math.min(metadataMs, kafkaLimits.metadataMsAway);
      await sleep(ms, undefined, { signal: closing.signal, ref: false });
      await ask([...leaders.topics()]).catch(() => {});
    }
  };
  keepFresh().catch(() => {});

  return {
    partitionCount: async (topic) => (await leadersOf(topic)).length,
    leaderOf: async (topic, partition) => (await leader(topic, partition)).node,
    leader,
    knownLeaderOf: (topic, partition) => {
      const node = leaders.of(topic)?.[partition]?.node;
      return node !== undefined && node >= 0 && nodes.has(node) ? node : undefined;
    },
    addressOf: (node) => {
      const address = nodes.get(node);
      return address && `${address.host}:${address.port}`;
    },
    epochOf: (topic, partition) => leaders.leader(topic, partition)?.epoch ?? -1,
    forget,
    drop: leaders.drop,
    lookAgain: async (node) => {
      suspect(node);
      const [topic] = leaders.ledBy(node);
      if (topic !== undefined) await refresh(topic);
    },
    saw: leaders.saw,
    askMost,
    expectLeader: (topic, partition, { node, epoch }) => {
      const newest = leaders.of(topic)?.[partition];
      if (newest !== undefined && newest.epoch === epoch && newest.node === node) return;
      throw transient(`${topic}/${partition} has another leader than broker ${node}`);
    },
    describe: ask,
    look: async (topics) => {
      const { topicMetadata } = await ask(topics);
      return topics.map((topic) => {
        const found = topicMetadata.find((each) => each.topic === topic);
        if (!found || found.topicErrorCode === 3) return undefined;
        throwFor(found.topicErrorCode, `looking at topic ${topic}`);
        if (found.partitionMetadata.some(({ leader }) => leader < 0))
          throw transient(`topic ${topic} has no leaders yet`);
        return found.partitionMetadata.length;
      });
    },
    patienceMs,
    brokerCount: () => nodes.size,
    nodeIds: async () => {
      await ask([]);
      return [...nodes.keys()];
    },
    link,
    sendAny,
    sendLeader: async (topic, partition, request) => {
      const to = await leader(topic, partition);
      try {
        return await (await link(to.node, shared)).send(request(to));
      } catch (error) {
        forget(topic, partition);
        throw error;
      }
    },
    sendCoordinator: async (group, purpose, request) => {
      try {
        return await (await link(await coordinatorOf(group), purpose)).send(request);
      } catch (error) {
        forgetCoordinator(group);
        throw error;
      }
    },
    forgetCoordinator,
    release: (purpose) => {
      for (const [key, opening] of links) {
        if (!key.endsWith(`/${purpose}`)) continue;
        links.delete(key);
        opening.then((each) => each.close()).catch(() => {});
      }
    },
    close: () => {
      isOpen = false;
      closing.abort();
      watch.close();
      for (const opening of links.values()) opening.then((each) => each.close()).catch(() => {});
      links.clear();
    },
  };
}
