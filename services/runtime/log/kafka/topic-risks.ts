/**
 * Describes, in words, broker settings that put records at risk: a crawl without one of its state topics is lost, and
 * a topic that refuses our records stops it. A process starts in spite of such risks, because a test cluster may well
 * have them. The settings may change while a crawl runs, so they are checked again and again (watch-risks.ts).
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { LogTopic, TopicRisk } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { raw } from './kafkajs-wire.ts';
import { replicasDefault, stateSettings, trimmedSettings } from './topic-settings.ts';

const topicResource = 2;
const names = [
  'min.insync.replicas',
  'unclean.leader.election.enable',
  'retention.ms',
  'retention.bytes',
  'cleanup.policy',
  'max.message.bytes',
  'segment.bytes',
  'segment.ms',
] as const;
type Name = (typeof names)[number];
type Settings = Readonly<Partial<Record<Name, string>>>;
const alter = 'kafka-configs --alter --entity-type topics --entity-name';

export interface GuardedTopic {
  readonly name: string;
  /** Replicas of the partition with the fewest. */
  readonly replicas: number;
  readonly settings: Settings;
  /** Settings with which we create it. Absent: a topic of state. */
  readonly spec?: Pick<LogTopic, 'retention' | 'settings'>;
  /** Brokers with a copy, by partition. Absent: unknown. */
  readonly copies?: readonly (readonly number[])[];
}

/**
 * One risk for each kind, with its topics. `brokers`: the existing brokers. A crawl on a single broker is a choice,
 * so its single copies are not reported.
 */
export function risksOf(topics: readonly GuardedTopic[], brokers: readonly number[] = []): TopicRisk[] {
  const insync = ({ settings }: GuardedTopic) => Number(settings['min.insync.replicas'] ?? 1);
  const several = topics.filter(({ replicas }) => replicas > 1);
  return [
    ...contentRisks(topics),
    risk(
      several.filter(({ settings }) => settings['unclean.leader.election.enable'] === 'true'),
      'unclean.leader.election.enable=true, which allows a broker without all acknowledged records to become leader',
      'unclean.leader.election.enable=false',
    ),
    copiesRisk(topics, brokers),
    risk(
      several.filter((one) => one.replicas >= replicasDefault && insync(one) < 2),
      'min.insync.replicas=1, so an acknowledged record may exist on one broker only',
      'min.insync.replicas=2',
    ),
    // With two copies neither 1 nor 2 is safe: a third copy is what helps (above).
    risk(
      several.filter((one) => insync(one) >= Math.max(2, one.replicas)),
      'min.insync.replicas equals the replicas, so one missing broker stops all appends',
      'min.insync.replicas=N, with N below the number of replicas',
    ),
  ].flatMap((one) => one ?? []);
}

/** Settings that delete or refuse records. */
function contentRisks(topics: readonly GuardedTopic[]): (TopicRisk | undefined)[] {
  const isState = ({ spec }: GuardedTopic) => spec === undefined || spec.retention === 'state';
  const state = topics.filter(isState);
  const has = (one: GuardedTopic, name: Name) => one.settings[name];
  const others = (name: 'retention.ms' | 'retention.bytes') =>
    risk(
      state.filter((one) => (has(one, name) ?? stateSettings[name]) !== stateSettings[name]),
      `${name} is set, by which the brokers delete records that no snapshot covers: results and discovered are read on afterwards by crawlstream seek --topic results --to earliest`,
      `${name}=${stateSettings[name]}`,
      true,
    );
  const isCompacted = (one: GuardedTopic) => has(one, 'cleanup.policy')?.includes('compact') === true;
  const mayBe = ({ spec }: GuardedTopic) => spec?.settings?.['cleanup.policy']?.includes('compact') === true;
  return [
    others('retention.ms'),
    others('retention.bytes'),
    risk(
      topics.filter((one) => isCompacted(one) && !mayBe(one)),
      'cleanup.policy has compact, by which the brokers delete records, and refuse those without a key (INVALID_RECORD)',
      'cleanup.policy=delete',
      true,
    ),
    risk(
      topics.filter((one) => Number(has(one, 'max.message.bytes') ?? Infinity) < kafkaLimits.messageBytesMax),
      `max.message.bytes is less than ${kafkaLimits.messageBytesMax}, so that the brokers refuse large records`,
      `max.message.bytes=${kafkaLimits.messageBytesMax}`,
      true,
    ),
    risk(
      state.filter((one) =>
        (['segment.bytes', 'segment.ms'] as const).some(
          (name) => Number(has(one, name) ?? 0) > Number(trimmedSettings[name]),
        ),
      ),
      `segments are longer than ${trimmedSettings['segment.bytes']} bytes or ${trimmedSettings['segment.ms']} ms, and a trim frees whole segments alone`,
      Object.entries(trimmedSettings)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
    ),
  ];
}

/** Topics that were created during an outage of brokers keep fewer copies, unless an operator adds some. */
function copiesRisk(topics: readonly GuardedTopic[], brokers: readonly number[]): TopicRisk | undefined {
  const wanted = brokers.length > 1 ? replicasDefault : 1;
  const few = topics.filter(({ replicas }) => replicas < wanted);
  const [first] = few;
  if (first === undefined) return undefined;
  const what = `topic ${first.name}${moreThan(few)}: ${first.replicas} ${first.replicas === 1 ? 'copy' : 'copies'} of each record, not ${wanted}`;
  const after = `afterwards set min.insync.replicas=2 (${alter} ${first.name} --add-config min.insync.replicas=2)`;
  if (brokers.length < wanted)
    return advice(
      `${what}: once ${wanted} brokers are there, crawlstream topics check prints how to add copies; ${after}`,
    );
  return advice(
    `${what}: give kafka-reassign-partitions --execute this as --reassignment-json-file, and wait for --verify: ${reassignment(few, brokers, wanted)}; ${after}`,
  );
}

function advice(text: string): TopicRisk {
  return { text, isUrgent: false };
}

/** The input of kafka-reassign-partitions: the existing copies, and new ones on the other brokers in rotation. */
function reassignment(topics: readonly GuardedTopic[], brokers: readonly number[], wanted: number): string {
  const partitions = topics.flatMap(({ name: topic, copies = [] }) =>
    copies.map((there, partition) => {
      const at = brokers.indexOf(there[0]!);
      const next = [...brokers.slice(at + 1), ...brokers.slice(0, at + 1)].filter((broker) => !there.includes(broker));
      return { topic, partition, replicas: [...there, ...next].slice(0, Math.max(wanted, there.length)) };
    }),
  );
  return JSON.stringify({ version: 1, partitions });
}

function risk(topics: readonly GuardedTopic[], what: string, remedy: string, isUrgent = false): TopicRisk | undefined {
  const [first] = topics;
  if (first === undefined) return undefined;
  return {
    text: `topic ${first.name}${moreThan(topics)}: ${what} (${alter} ${first.name} --add-config ${remedy})`,
    isUrgent,
  };
}

function moreThan(topics: readonly GuardedTopic[]): string {
  return topics.length === 1 ? '' : `, and ${topics.length - 1} more`;
}

interface Described {
  readonly resources: readonly {
    readonly errorCode: number;
    readonly resourceName: string;
    readonly configEntries: readonly { readonly configName: string; readonly configValue: string }[];
  }[];
}

/** Asks the brokers. A topic that is not there, or that this user may not ask about, has no risk. */
export async function readRisks(cluster: Cluster, specs: readonly LogTopic[]): Promise<TopicRisk[]> {
  const deadline = deadlineIn(cluster.patienceMs);
  const topics = specs.map(({ name }) => name);
  try {
    const { brokers, topicMetadata } = await retrying(deadline, () => cluster.describe(topics));
    const resources = topics.map((name) => ({ type: topicResource, name, configNames: names }));
    const described = await retrying(deadline, () => cluster.sendAny<Described>(raw('DescribeConfigs', { resources })));
    const settingsOf = new Map(
      described.resources
        .filter(({ errorCode }) => errorCode === 0)
        .map(({ resourceName, configEntries }) => [
          resourceName,
          Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])) as Settings,
        ]),
    );
    const copiesOf = new Map(
      topicMetadata.map(({ topic, partitionMetadata }) => [
        topic,
        partitionMetadata.toSorted((a, b) => a.partitionId - b.partitionId).map(({ replicas }) => replicas),
      ]),
    );
    const guarded = specs.flatMap(({ name, retention, settings = {} }): GuardedTopic[] => {
      const [copies, found] = [copiesOf.get(name) ?? [], settingsOf.get(name)];
      if (copies.length === 0 || found === undefined) return [];
      const replicas = Math.min(...copies.map(({ length }) => length));
      return [{ name, replicas, settings: found, spec: { retention, settings }, copies }];
    });
    return risksOf(
      guarded,
      brokers.map(({ nodeId }) => nodeId).sort((a, b) => a - b),
    );
  } catch (error) {
    if (error instanceof CrawlstreamError && !error.retriable) return [];
    throw error;
  }
}
