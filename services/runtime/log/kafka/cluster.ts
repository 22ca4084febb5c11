/**
 * Which broker leads which partition, and the links to them.
 *
 * What is known is kept until a request shows that it is stale (`forget`); the next call then asks the brokers again.
 * Links are shared by purpose: requests of one purpose to one broker go over one connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { BrokerWatch } from './broker-watch.ts';
import { deadlineIn, isRefusedLogin, isTransient, retrying, throwFor, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { raw, type WireRequest } from './kafkajs-wire.ts';
import { type Address, type Link, type LinkEvents, type LinkOptions, openLink } from './link.ts';

export interface Cluster {
  /** Throws INVALID_ARGUMENT for a topic that does not exist. */
  partitionCount(topic: string): Promise<number>;
  /** The broker that leads a partition. Throws BROKER_UNREACHABLE while there is none. */
  leaderOf(topic: string, partition: number): Promise<number>;
  /** The leader, if it is known already. */
  knownLeaderOf(topic: string, partition: number): number | undefined;
  /** What is known of a topic turned out to be stale. */
  forget(topic: string): void;
  /** Partitions, or undefined where the topic does not exist; asks the brokers. Throws if a leader is missing. */
  look(topics: readonly string[]): Promise<(number | undefined)[]>;
  brokerCount(): number;
  /** Queries, settings and commits outlive a broker's absence of this length, ms. */
  readonly patienceMs: number;
  /** The ids of all known brokers; asks the brokers. */
  nodeIds(): Promise<number[]>;
  link(nodeId: number, purpose: string): Promise<Link>;
  /** Sends to whichever broker can be reached. */
  sendAny<T>(request: WireRequest): Promise<T>;
  /** Sends to a partition's leader, by the shared link. */
  sendLeader<T>(topic: string, partition: number, request: WireRequest): Promise<T>;
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

interface MetadataAnswer {
  readonly brokers: readonly { nodeId: number; host: string; port: number }[];
  readonly topicMetadata: readonly {
    readonly topicErrorCode: number;
    readonly topic: string;
    readonly partitionMetadata: readonly { partitionId: number; leader: number }[];
  }[];
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
  /** Leader of each partition by topic; -1: none at the moment. */
  const leaders = new Map<string, number[]>();
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

  /** Brokers by id where they are known, and those named at the start. */
  const anyLink = async (): Promise<Link> => {
    let failure: unknown;
    for (const nodeId of nodes.keys()) {
      try {
        return await link(nodeId, shared);
      } catch (error) {
        failure = error;
      }
    }
    for (const address of bootstrap) {
      try {
        return await openOr(`${address.host}:${address.port}`, () => address);
      } catch (error) {
        // Of several failures, the permanent one says most.
        if (!failure || isRefusedLogin(error) || !isTransient(error)) failure = error;
      }
    }
    throw failure;
  };
  const sendAny = async <T>(request: WireRequest): Promise<T> => (await anyLink()).send<T>(request);

  const ask = async (topics: readonly string[]): Promise<MetadataAnswer> => {
    const answer = await sendAny<MetadataAnswer>(raw('Metadata', { topics, allowAutoTopicCreation: false }));
    if (answer.brokers.length > 0) {
      nodes.clear();
      for (const { nodeId, host, port } of answer.brokers) nodes.set(nodeId, { host, port });
      watch.listed(answer.brokers.map(({ host, port }) => `${host}:${port}`));
    }
    for (const { topic, topicErrorCode, partitionMetadata } of answer.topicMetadata) {
      if (topicErrorCode === 0) {
        const found: number[] = [];
        for (const { partitionId, leader } of partitionMetadata) found[partitionId] = leader;
        leaders.set(topic, found);
      } else leaders.delete(topic);
    }
    return answer;
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
        running = ask(topics);
        return running;
      });
    return queued;
  };
  const leadersOf = async (topic: string): Promise<readonly number[]> => {
    for (let tries = 0; ; tries++) {
      const known = leaders.get(topic);
      if (known) return known;
      if (tries === kafkaLimits.unknownTopicTries) break;
      // A topic made a moment ago may not have reached every broker.
      if (tries > 0) await sleep(kafkaLimits.retryMs);
      await refresh(topic);
    }
    throw new CrawlstreamError('INVALID_ARGUMENT', `topic ${topic} does not exist: create it first`);
  };
  const leaderOf = async (topic: string, partition: number): Promise<number> => {
    const known = await leadersOf(topic);
    const leader = known[partition];
    if (leader === undefined) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `topic ${topic} has no partition ${partition}, only 0 to ${known.length - 1}`,
      );
    }
    if (leader >= 0 && nodes.has(leader)) return leader;
    leaders.delete(topic);
    throw transient(`${topic}/${partition} has no leader at the moment`);
  };

  const coordinatorOf = async (group: string): Promise<number> => {
    const known = coordinators.get(group);
    if (known !== undefined) return known;
    const { errorCode, coordinator } = await sendAny<{
      errorCode: number;
      coordinator: { nodeId: number; host: string; port: number };
    }>(raw('GroupCoordinator', { groupId: group }));
    throwFor(errorCode, `finding the coordinator of group ${group}`);
    const { nodeId, host, port } = coordinator;
    if (!nodes.has(nodeId)) nodes.set(nodeId, { host, port });
    coordinators.set(group, nodeId);
    return nodeId;
  };

  await retrying(deadlineIn(openTimeoutMs), () => ask([]));

  /**
   * What is known is refreshed even if no request shows that it is stale: leaders may have moved back, brokers and
   * partitions may have been added.
   */
  const keepFresh = async () => {
    while (isOpen) {
      const ms = watch.away === null ? metadataMs : Math.min(metadataMs, kafkaLimits.metadataMsAway);
      await sleep(ms, undefined, { signal: closing.signal, ref: false });
      await ask([...leaders.keys()]).catch(() => {});
    }
  };
  keepFresh().catch(() => {});

  return {
    partitionCount: async (topic) => (await leadersOf(topic)).length,
    leaderOf,
    knownLeaderOf: (topic, partition) => {
      const leader = leaders.get(topic)?.[partition];
      return leader !== undefined && leader >= 0 && nodes.has(leader) ? leader : undefined;
    },
    forget: (topic) => leaders.delete(topic),
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
      const leader = await leaderOf(topic, partition);
      try {
        return await (await link(leader, shared)).send(request);
      } catch (error) {
        leaders.delete(topic);
        throw error;
      }
    },
    sendCoordinator: async (group, purpose, request) => {
      try {
        return await (await link(await coordinatorOf(group), purpose)).send(request);
      } catch (error) {
        coordinators.delete(group);
        throw error;
      }
    },
    forgetCoordinator: (group) => coordinators.delete(group),
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
