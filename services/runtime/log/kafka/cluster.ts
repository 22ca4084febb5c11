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
  times: ClusterTimes,
  watch: BrokerWatch,
  measured?: LinkEvents['measured'],
): Promise<Cluster> {
  const cluster = new BrokerCluster(bootstrap, options, times, watch, measured);
  await cluster.open(times.openTimeoutMs);
  return cluster;
}

class BrokerCluster implements Cluster {
  readonly #bootstrap: readonly Address[];
  readonly #options: LinkOptions;
  readonly #watch: BrokerWatch;
  readonly #events: LinkEvents;
  readonly #metadataMs: number;
  readonly patienceMs: number;
  readonly #nodes = new Map<number, Address>();
  readonly #leaders = createLeaderTable();
  readonly #turns = createBrokerTurns();
  readonly #coordinators = new Map<string, number>();
  readonly #links = new Map<string, Promise<Link>>();
  /** By topic: the running question, and the next one, which all later calls share. */
  readonly #asking = new Map<string, { running: Promise<void>; next: Promise<void> | undefined }>();
  /** Topics of the next request: one runs at a time, and calls that come meanwhile share the next one. */
  readonly #wanted = new Set<string>();
  #running: Promise<unknown> = Promise.resolve();
  #queued: Promise<unknown> | undefined;
  #isOpen = true;
  readonly #closing = new AbortController();

  constructor(
    bootstrap: readonly Address[],
    options: LinkOptions,
    { patienceMs, metadataMs }: ClusterTimes,
    watch: BrokerWatch,
    measured: LinkEvents['measured'] | undefined,
  ) {
    this.#bootstrap = bootstrap;
    this.#options = options;
    this.patienceMs = patienceMs;
    this.#metadataMs = metadataMs;
    this.#watch = watch;
    this.#events = { answered: watch.answered, failed: watch.failed, ...(measured && { measured }) };
  }

  #linkTo(key: string, address: Address): Promise<Link> {
    const opening = openLink(address, this.#options, this.#events);
    this.#links.set(key, opening);
    opening.then(
      (link) => this.#isOpen || link.close(),
      () => this.#links.get(key) === opening && this.#links.delete(key),
    );
    return opening;
  }

  async #openOr(key: string, address: () => Address): Promise<Link> {
    if (!this.#isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
    const there = this.#links.get(key);
    if (there) {
      const link = await there;
      if (link.isOpen()) return link;
      link.close();
      if (this.#links.get(key) !== there) return this.#openOr(key, address);
    }
    return this.#linkTo(key, address());
  }

  readonly link = (nodeId: number, purpose: string) =>
    this.#openOr(`${nodeId}/${purpose}`, () => {
      const address = this.#nodes.get(nodeId);
      if (!address) throw transient(`broker ${nodeId} is unknown at the moment`);
      return address;
    });

  /** Known brokers by id, and those named at the start (KIP-899), in the order in which to ask them. */
  #places(): { readonly key: string; readonly open: () => Promise<Link> }[] {
    const ids = new Map([...this.#nodes.keys()].map((nodeId) => [String(nodeId), nodeId]));
    const addresses = new Map(this.#bootstrap.map((address) => [`${address.host}:${address.port}`, address]));
    return [
      ...this.#turns.order(ids.keys()).map((key) => ({ key, open: () => this.link(ids.get(key) as number, shared) })),
      ...this.#turns
        .order(addresses.keys())
        .map((key) => ({ key, open: () => this.#openOr(key, () => addresses.get(key)!) })),
    ];
  }

  readonly #counted = async <T>(key: string, act: () => Promise<T>): Promise<T> => {
    this.#turns.asked(key);
    try {
      const result = await act();
      this.#turns.answered(key);
      return result;
    } catch (error) {
      this.#turns.failed(key);
      throw error;
    }
  };

  async #anyLink(): Promise<Link> {
    let failure: unknown;
    for (const { key, open } of this.#places()) {
      try {
        return await this.#counted(key, open);
      } catch (error) {
        failure = failure === undefined ? error : worse(failure, error);
      }
    }
    throw failure;
  }

  readonly sendAny = async <T>(request: WireRequest): Promise<T> => (await this.#anyLink()).send<T>(request);
  /** For requests without effects: if a broker answers slowly, another one is asked as well. */
  readonly #askAny = <T>(question: (link: Link) => Promise<T>): Promise<T> => {
    const tries = this.#places().map(
      ({ key, open }) =>
        () =>
          this.#counted(key, async () => question(await open())),
    );
    return firstOf(tries, kafkaLimits.askNextMs, worse);
  };

  #takeBrokers({ brokers }: MetadataAnswer) {
    if (brokers.length === 0) return;
    this.#nodes.clear();
    for (const { nodeId, host, port } of brokers) this.#nodes.set(nodeId, { host, port });
    this.#watch.listed(brokers.map(({ host, port }) => `${host}:${port}`));
  }

  readonly describe = async (topics: readonly string[]): Promise<MetadataAnswer> => {
    const answer = await this.#askAny((to) => askMetadata(to, topics));
    this.#takeBrokers(answer);
    for (const each of answer.topicMetadata) {
      if (each.topicErrorCode !== 0) this.#leaders.drop(each.topic);
      // A lone broker is a majority, so its answer is believed after a while.
      else if (!this.#leaders.take(each.topic, leadersIn(each), this.#nodes.size <= 1))
        this.askMost(each.topic).catch(() => {});
    }
    return answer;
  };

  readonly askMost = (topic: string): Promise<void> => {
    if (this.#nodes.size <= 1) return Promise.resolve();
    const there = this.#asking.get(topic);
    if (there !== undefined) {
      there.next ??= there.running
        .catch(() => {})
        .then(() => {
          there.next = undefined;
          return (there.running = this.#askMostNow(topic));
        });
      return there.next;
    }
    const one = { running: this.#askMostNow(topic), next: undefined };
    this.#asking.set(topic, one);
    return one.running;
  };

  async #askMostNow(topic: string): Promise<void> {
    const ids = [...this.#nodes.keys()];
    const asked = ids.map((nodeId) =>
      this.#counted(String(nodeId), async () => askMetadata(await this.link(nodeId, shared), [topic])),
    );
    const answers = await enoughOf(asked, Math.floor(ids.length / 2) + 1).catch((error) => {
      // A broker that left the cluster no longer counts: the next question gets the current list.
      this.#leaders.doubt(topic);
      throw transient(`fewer than half of the ${ids.length} brokers answer: ${(error as Error).message}`, error);
    });
    const found = answers.flatMap(({ topicMetadata }) =>
      topicMetadata.flatMap((each) => (each.topicErrorCode === 0 ? [leadersIn(each)] : [])),
    );
    if (found.length > 0) this.#leaders.take(topic, newestOf(found), true);
  }

  /** One request at a time; calls that come meanwhile share the next one. */
  #refresh(topic: string): Promise<unknown> {
    this.#wanted.add(topic);
    this.#queued ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#queued = undefined;
        const topics = [...this.#wanted];
        this.#wanted.clear();
        this.#running = this.describe(topics).catch((error) => {
          for (const one of topics) this.#wanted.add(one);
          throw error;
        });
        return this.#running;
      });
    return this.#queued;
  }

  async #leadersOf(topic: string): Promise<readonly Leader[]> {
    for (let tries = 0; ; tries++) {
      const known = this.#leaders.of(topic);
      if (known) return known;
      if (tries === kafkaLimits.unknownTopicTries) break;
      // A topic made a moment ago may not have reached every broker.
      if (tries > 0) await sleep(kafkaLimits.retryMs);
      await this.#refresh(topic);
    }
    throw new CrawlstreamError('INVALID_ARGUMENT', `topic ${topic} does not exist: create it first`);
  }

  readonly leader = async (topic: string, partition: number): Promise<Leader> => {
    const known = await this.#leadersOf(topic);
    const found = known[partition];
    if (found === undefined) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `topic ${topic} has no partition ${partition}, only 0 to ${known.length - 1}`,
      );
    }
    if (found.node >= 0 && this.#nodes.has(found.node)) return found;
    this.#leaders.doubt(topic);
    throw transient(`${topic}/${partition} has no leader at the moment`);
  };

  readonly forget = (topic: string, partition?: number) => {
    this.#leaders.doubt(topic);
    const failed = partition === undefined ? undefined : this.#leaders.leader(topic, partition);
    if (failed !== undefined && failed.node >= 0) this.#suspect(failed.node);
  };

  /**
   * Marks a broker as suspect: the topics that it leads are refreshed with the next question, which goes to another
   * broker.
   */
  #suspect(node: number) {
    this.#turns.asked(String(node));
    const address = this.#nodes.get(node);
    if (address !== undefined) this.#turns.asked(`${address.host}:${address.port}`);
    for (const topic of this.#leaders.ledBy(node)) this.#wanted.add(topic);
    for (const [group, coordinator] of this.#coordinators) if (coordinator === node) this.#coordinators.delete(group);
  }

  async #coordinatorOf(group: string): Promise<number> {
    const known = this.#coordinators.get(group);
    if (known !== undefined) return known;
    type Found = { errorCode: number; coordinator: { nodeId: number; host: string; port: number } };
    const { errorCode, coordinator } = await this.#askAny((to) =>
      to.send<Found>(raw('GroupCoordinator', { groupId: group })),
    );
    throwFor(errorCode, `finding the coordinator of group ${group}`);
    const { nodeId, host, port } = coordinator;
    if (!this.#nodes.has(nodeId)) this.#nodes.set(nodeId, { host, port });
    this.#coordinators.set(group, nodeId);
    return nodeId;
  }

  readonly forgetCoordinator = (group: string) => {
    const node = this.#coordinators.get(group);
    this.#coordinators.delete(group);
    if (node !== undefined) this.#turns.asked(String(node));
  };

  /** Resolves once a broker has answered; from then on the metadata is kept fresh. */
  async open(openTimeoutMs: number): Promise<void> {
    await retrying(deadlineIn(openTimeoutMs), () => this.describe([]));
    this.#keepFresh().catch(() => {});
  }

  /**
   * Refreshes the metadata now and then, even if no request shows that it is stale: leaders may have moved back,
   * brokers and partitions may have been added.
   */
  async #keepFresh() {
    while (this.#isOpen) {
      const ms = this.#watch.away === null ? this.#metadataMs : Math.min(this.#metadataMs, kafkaLimits.metadataMsAway);
      await sleep(ms, undefined, { signal: this.#closing.signal, ref: false });
      await this.describe([...this.#leaders.topics()]).catch(() => {});
    }
  }

  readonly partitionCount: Cluster['partitionCount'] = async (topic) => (await this.#leadersOf(topic)).length;
  readonly leaderOf: Cluster['leaderOf'] = async (topic, partition) => (await this.leader(topic, partition)).node;
  readonly knownLeaderOf: Cluster['knownLeaderOf'] = (topic, partition) => {
    const node = this.#leaders.of(topic)?.[partition]?.node;
    return node !== undefined && node >= 0 && this.#nodes.has(node) ? node : undefined;
  };

  readonly addressOf: Cluster['addressOf'] = (node) => {
    const address = this.#nodes.get(node);
    return address && `${address.host}:${address.port}`;
  };

  readonly epochOf: Cluster['epochOf'] = (topic, partition) => this.#leaders.leader(topic, partition)?.epoch ?? -1;
  readonly drop: Cluster['drop'] = this.#leaders.drop;
  readonly lookAgain: Cluster['lookAgain'] = async (node) => {
    this.#suspect(node);
    const [topic] = this.#leaders.ledBy(node);
    if (topic !== undefined) await this.#refresh(topic);
  };

  readonly saw: Cluster['saw'] = this.#leaders.saw;
  readonly expectLeader: Cluster['expectLeader'] = (topic, partition, { node, epoch }) => {
    const newest = this.#leaders.of(topic)?.[partition];
    if (newest !== undefined && newest.epoch === epoch && newest.node === node) return;
    throw transient(`${topic}/${partition} has another leader than broker ${node}`);
  };

  readonly look: Cluster['look'] = async (topics) => {
    const { topicMetadata } = await this.describe(topics);
    return topics.map((topic) => {
      const found = topicMetadata.find((each) => each.topic === topic);
      if (!found || found.topicErrorCode === 3) return undefined;
      throwFor(found.topicErrorCode, `looking at topic ${topic}`);
      if (found.partitionMetadata.some(({ leader }) => leader < 0))
        throw transient(`topic ${topic} has no leaders yet`);
      return found.partitionMetadata.length;
    });
  };

  readonly brokerCount: Cluster['brokerCount'] = () => this.#nodes.size;
  readonly nodeIds: Cluster['nodeIds'] = async () => {
    await this.describe([]);
    return [...this.#nodes.keys()];
  };

  readonly sendLeader: Cluster['sendLeader'] = async (topic, partition, request) => {
    const to = await this.leader(topic, partition);
    try {
      return await (await this.link(to.node, shared)).send(request(to));
    } catch (error) {
      this.forget(topic, partition);
      throw error;
    }
  };

  readonly sendCoordinator: Cluster['sendCoordinator'] = async (group, purpose, request) => {
    try {
      return await (await this.link(await this.#coordinatorOf(group), purpose)).send(request);
    } catch (error) {
      this.forgetCoordinator(group);
      throw error;
    }
  };

  readonly release: Cluster['release'] = (purpose) => {
    for (const [key, opening] of this.#links) {
      if (!key.endsWith(`/${purpose}`)) continue;
      this.#links.delete(key);
      opening.then((each) => each.close()).catch(() => {});
    }
  };

  readonly close: Cluster['close'] = () => {
    this.#isOpen = false;
    this.#closing.abort();
    this.#watch.close();
    for (const opening of this.#links.values()) opening.then((each) => each.close()).catch(() => {});
    this.#links.clear();
  };
}

/** Of several failures, the permanent one is the most useful. */
function worse(earlier: unknown, later: unknown): unknown {
  return isRefusedLogin(later) || !isTransient(later) ? later : earlier;
}

function leadersIn({ partitionMetadata }: MetadataAnswer['topicMetadata'][number]): Leader[] {
  const found: Leader[] = [];
  for (const { partitionId, leader: node, leaderEpoch: epoch } of partitionMetadata)
    found[partitionId] = { node, epoch };
  return found;
}
