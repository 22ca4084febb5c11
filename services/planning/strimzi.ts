/**
 * Custom resources for Strimzi: KafkaTopic and KafkaUser, from which its operators create topics and users of a Kafka
 * cluster on Kubernetes. They follow its API reference (kafka.strimzi.io/v1, Strimzi 0.49 and newer).
 */
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { Access, Service } from '../application/access.ts';
import { settingsOf } from '../runtime/log/kafka/topic-settings.ts';
import type { LogTopic } from '../runtime/log/log.ts';

const apiVersion = 'kafka.strimzi.io/v1';

export interface KafkaTopic {
  readonly apiVersion: typeof apiVersion;
  readonly kind: 'KafkaTopic';
  readonly metadata: Metadata;
  readonly spec: {
    readonly topicName: string;
    readonly partitions: number;
    readonly replicas: number;
    readonly config: Readonly<Record<string, string>>;
  };
}

export interface KafkaUser {
  readonly apiVersion: typeof apiVersion;
  readonly kind: 'KafkaUser';
  readonly metadata: Metadata;
  readonly spec: {
    readonly authentication: { readonly type: 'scram-sha-512' };
    readonly authorization: { readonly type: 'simple'; readonly acls: readonly Rule[] };
  };
}

interface Metadata {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Rule {
  readonly resource: { readonly type: 'topic' | 'group'; readonly name: string; readonly patternType: string };
  readonly operations: readonly string[];
}

/** @param cluster the name of the Kafka resource of the operators that watch it */
export function kafkaTopic(topic: LogTopic, replicas: number, cluster: string): KafkaTopic {
  return {
    apiVersion,
    kind: 'KafkaTopic',
    metadata: metadata(topic.name, cluster),
    spec: {
      topicName: topic.name,
      partitions: topic.partitions,
      replicas,
      config: settingsOf(topic, replicas),
    },
  };
}

/** A user for a service; Strimzi puts its password into a Secret of the same name. */
export function kafkaUser({ name, access }: Service, crawl: string, cluster: string): KafkaUser {
  return {
    apiVersion,
    kind: 'KafkaUser',
    metadata: metadata(`${crawl}-${name}`, cluster),
    spec: {
      authentication: { type: 'scram-sha-512' },
      authorization: { type: 'simple', acls: access(crawl).map(ruleOf) },
    },
  };
}

/** The resources as `kubectl apply -f -` reads them. */
export function manifestText(resources: readonly (KafkaTopic | KafkaUser)[]): string {
  return resources.map((resource) => `---\n${stringify(resource, { lineWidth: 0 })}`).join('');
}

function metadata(name: string, cluster: string): Metadata {
  return { name: resourceName(name), labels: { 'strimzi.io/cluster': cluster } };
}

/**
 * Makes a Kubernetes name, which has no capitals and no underscores (RFC 1123). A hash of the original keeps changed
 * names distinct.
 */
function resourceName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll('_', '-')
    .replaceAll(/^-+|-+$/g, '');
  if (plain === name) return name;
  return `${plain}${plain === '' ? '' : '-'}${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

function ruleOf({ resource, name, pattern, operations }: Access): Rule {
  const patternType = pattern === 'Prefixed' ? 'prefix' : 'literal';
  return { resource: { type: resource === 'Topic' ? 'topic' : 'group', name, patternType }, operations };
}
