/**
 * Makes missing topics, and checks those that exist: their partition count, and that no retention can remove records of
 * a `state` topic.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { LogTopic } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying, throwFor, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';
import { replicasDefault, settingsOf, stateSettings } from './topic-settings.ts';

const topicResource = 2;

export async function createTopics(
  cluster: Cluster,
  specs: readonly LogTopic[],
  replicationFactor: number | undefined,
): Promise<void> {
  const deadline = deadlineIn(kafkaLimits.createTimeoutMs);
  const names = specs.map(({ name }) => name);
  const counts = await retrying(deadline, () => cluster.look(names));
  specs.forEach((spec, i) => {
    checkCount(spec, counts[i]);
  });
  await checkSettings(
    cluster,
    specs.filter((spec, i) => counts[i] !== undefined && spec.retention === 'state'),
  );
  const missing = specs.filter(({ name }, i) => counts[i] === undefined && names.indexOf(name) === i);
  if (missing.length === 0) return;
  const replicas = replicationFactor ?? Math.min(replicasDefault, cluster.brokerCount());
  const lost = await retrying(deadline, () => create(cluster, missing, replicas));
  await retrying(deadline, async () => {
    const made = await cluster.look(missing.map(({ name }) => name));
    missing.forEach((spec, i) => {
      if (made[i] === undefined)
        throw transient(`topic ${spec.name} was created, but is not visible on the brokers yet`);
      checkCount(spec, made[i]);
    });
  });
  // Another process made these a moment ago, perhaps with other settings.
  await checkSettings(
    cluster,
    lost.filter(({ retention }) => retention === 'state'),
  );
}

/**
 * Throws TOPIC_MISMATCH if there are too few partitions. Surplus ones stay unread, which readers report
 * (runtime/crawl/surplus-partitions.ts).
 */
function checkCount({ name, partitions }: LogTopic, there: number | undefined): void {
  if (there === undefined || there >= partitions) return;
  const message = `topic ${name} has ${there} partitions, not ${partitions}: start with --partitions ${there}, or another crawl name`;
  throw new CrawlstreamError('TOPIC_MISMATCH', message);
}

/** Returns those that existed already. */
async function create(cluster: Cluster, specs: readonly LogTopic[], replicas: number): Promise<LogTopic[]> {
  const request = raw('CreateTopics', {
    timeout: kafkaLimits.requestTimeoutMs - 1000,
    validateOnly: false,
    topics: specs.map((spec) => ({
      topic: spec.name,
      numPartitions: spec.partitions,
      replicationFactor: replicas,
      configEntries: Object.entries(settingsOf(spec, replicas)).map(([name, value]) => ({ name, value })),
    })),
  });
  type Answer = {
    topicErrors: readonly {
      readonly topic: string;
      readonly errorCode: number;
      readonly errorMessage?: string | null;
    }[];
  };
  const { topicErrors } = await cluster.sendAny<Answer>(request);
  const there: LogTopic[] = [];
  for (const { topic, errorCode, errorMessage } of topicErrors) {
    const { type } = errorOf(errorCode);
    if (type === 'TOPIC_ALREADY_EXISTS') there.push(specs.find(({ name }) => name === topic) as LogTopic);
    else if (
      type === 'INVALID_TOPIC_EXCEPTION' ||
      type === 'INVALID_PARTITIONS' ||
      type === 'INVALID_REPLICATION_FACTOR'
    ) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `topic ${topic} can't be created: ${errorMessage ?? type}; check the message and the rights (crawlstream acls)`,
      );
    } else throwFor(errorCode, `making topic ${topic}`);
  }
  return there;
}

async function checkSettings(cluster: Cluster, specs: readonly LogTopic[]): Promise<void> {
  if (specs.length === 0) return;
  const configNames = Object.keys(stateSettings);
  const request = raw('DescribeConfigs', {
    resources: specs.map(({ name }) => ({ type: topicResource, name, configNames })),
  });
  type Answer = {
    resources: readonly {
      readonly errorCode: number;
      readonly resourceName: string;
      readonly configEntries: readonly { configName: string; configValue: string }[];
    }[];
  };
  const { resources } = await retrying(deadlineIn(kafkaLimits.operationTimeoutMs), () =>
    cluster.sendAny<Answer>(request),
  );
  for (const { resourceName, errorCode, configEntries } of resources) {
    throwFor(errorCode, `reading the settings of topic ${resourceName}`);
    for (const { configName, configValue } of configEntries) {
      const needed = stateSettings[configName as keyof typeof stateSettings];
      if (needed === undefined || configValue === needed) continue;
      const remedy = `kafka-configs --alter --entity-type topics --entity-name ${resourceName} --add-config ${configName}=${needed}`;
      const message = `topic ${resourceName} has ${configName}=${configValue}, which loses records: set it to ${needed} (${remedy})`;
      throw new CrawlstreamError('TOPIC_MISMATCH', message);
    }
  }
}
