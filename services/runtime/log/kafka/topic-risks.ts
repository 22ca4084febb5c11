/**
 * What of the brokers' settings puts acknowledged records at risk, in words: who loses a topic of state loses the crawl.
 * Nothing here keeps a process from starting, since a cluster for trying things out may well be like that.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying } from './errors.ts';
import { raw } from './kafkajs-wire.ts';

const topicResource = 2;
const names = ['min.insync.replicas', 'unclean.leader.election.enable'] as const;
const remedyOf = 'kafka-configs --alter --entity-type topics --entity-name';

export interface GuardedTopic {
  readonly name: string;
  /** Of the partition that has fewest. */
  readonly replicas: number;
  readonly settings: Readonly<Partial<Record<(typeof names)[number], string>>>;
}

/** One for each kind of risk, with the topics that have it; a single replica is a choice, and none is told of. */
export function risksOf(topics: readonly GuardedTopic[]): string[] {
  const insync = ({ settings }: GuardedTopic) => Number(settings['min.insync.replicas'] ?? 1);
  const several = topics.filter(({ replicas }) => replicas > 1);
  return [
    risk(
      several.filter(({ settings }) => settings['unclean.leader.election.enable'] === 'true'),
      'unclean.leader.election.enable=true, which allows a broker without all acknowledged records to become leader',
      'unclean.leader.election.enable=false',
    ),
    risk(
      several.filter((one) => insync(one) < 2),
      'min.insync.replicas=1, so an acknowledged record may exist on one broker only',
      'min.insync.replicas=2',
    ),
    risk(
      several.filter((one) => insync(one) >= Math.max(2, one.replicas)),
      'min.insync.replicas equals the replicas, so one missing broker stops all appends',
      'min.insync.replicas=N, with N below the number of replicas',
    ),
  ].flatMap((text) => text ?? []);
}

function risk(topics: readonly GuardedTopic[], what: string, remedy: string): string | undefined {
  const [first] = topics;
  if (first === undefined) return undefined;
  const more = topics.length === 1 ? '' : `, and ${topics.length - 1} more`;
  return `topic ${first.name}${more}: ${what} (${remedyOf} ${first.name} --add-config ${remedy})`;
}

interface Settings {
  readonly resources: readonly {
    readonly errorCode: number;
    readonly resourceName: string;
    readonly configEntries: readonly { readonly configName: string; readonly configValue: string }[];
  }[];
}

interface Metadata {
  readonly topicMetadata: readonly {
    readonly topic: string;
    readonly partitionMetadata: readonly { readonly replicas: readonly number[] }[];
  }[];
}

/** Asks the brokers. A topic that is not there, or that this user may not ask about, has no risk. */
export async function readRisks(cluster: Cluster, topics: readonly string[]): Promise<string[]> {
  const deadline = deadlineIn(cluster.patienceMs);
  try {
    const { topicMetadata } = await retrying(deadline, () =>
      cluster.sendAny<Metadata>(raw('Metadata', { topics, allowAutoTopicCreation: false })),
    );
    const resources = topics.map((name) => ({ type: topicResource, name, configNames: names }));
    const described = await retrying(deadline, () => cluster.sendAny<Settings>(raw('DescribeConfigs', { resources })));
    const replicasOf = new Map(
      topicMetadata.map(({ topic, partitionMetadata }) => [
        topic,
        Math.min(...partitionMetadata.map(({ replicas }) => replicas.length)),
      ]),
    );
    return risksOf(
      described.resources
        .filter(({ errorCode }) => errorCode === 0)
        .map(({ resourceName: name, configEntries }) => ({
          name,
          replicas: replicasOf.get(name) ?? 0,
          settings: Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
        }))
        .filter(({ replicas }) => Number.isFinite(replicas)),
    );
  } catch (error) {
    if (error instanceof CrawlstreamError && !error.retriable) return [];
    throw error;
  }
}
