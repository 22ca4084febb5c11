/**
 * `topics create --strimzi` and `acls --strimzi`, held against the schemas of Strimzi's own custom resources and against
 * what the commands do on a broker.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { fetchOnce } from '../../../../lab/kafka/components.ts';
import { runCommand } from '../../../../lab/process/command.ts';
import { services } from '../../../../services/application/access.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';

const run = promisify(execFile);
/** Strimzi's CRDs as classes that validate: fetched apart, since it asks for a newer Node than ours though it runs on it. */
const models = '@kubernetes-models/strimzi-kafka-operator@1.0.1';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: data of two shapes
  readonly spec: any;
}
type Model = new (resource: object) => { validate(): void };

describe('resources for Strimzi', { timeout: 600_000 }, () => {
  let folder: string;
  before(async () => {
    folder = await fetchOnce('strimzi-models-1.0.1', (into) =>
      run('npm', ['install', '--prefix', into, '--no-audit', '--no-fund', '--engine-strict=false', models]),
    );
  });

  const model = async (kind: string): Promise<Model> => {
    const at = 'node_modules/@kubernetes-models/strimzi-kafka-operator/kafka.strimzi.io/v1';
    const loaded = (await import(pathToFileURL(join(folder, at, `${kind}.js`)).href)) as Record<string, Model>;
    return loaded[kind]!;
  };
  const printed = async (...args: readonly string[]): Promise<Resource[]> => {
    const { code, stdout, stderr } = await runCommand(args);
    assert.equal(code, 0, stderr);
    return parseAllDocuments(stdout).map((one) => one.toJS() as Resource);
  };
  const checked = async (resources: readonly Resource[], kind: string) => {
    const Kind = await model(kind);
    for (const one of resources) {
      assert.deepEqual([one.apiVersion, one.kind], ['kafka.strimzi.io/v1', kind]);
      assert.match(one.metadata.name, /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
      assert.equal(one.metadata.labels['strimzi.io/cluster'], 'events');
      const { apiVersion: _, kind: __, ...rest } = one;
      new Kind(rest).validate();
    }
    assert.equal(new Set(resources.map(({ metadata }) => metadata.name)).size, resources.length);
    // The oracle sees a mistake.
    assert.throws(() => new Kind({ ...resources[0], spec: { partitions: 'many', authentication: 3 } }).validate());
  };

  it('Strimzi topics: every topic of the crawl, with its settings', async () => {
    const topics = await printed('topics', 'create', '--strimzi', 'events', '--crawl', 'news', '--partitions', '24');
    await checked(topics, 'KafkaTopic');
    const named = topicsOfCrawl('news', 24).map(({ name }) => name);
    assert.deepEqual(
      topics.map(({ spec }) => spec.topicName),
      named,
    );
    for (const { spec } of topics) {
      assert.deepEqual([spec.partitions, spec.replicas, spec.config['min.insync.replicas']], [24, 3, '2']);
      assert.equal(spec.config['max.message.bytes'], '8388608');
    }
    const changelog = topics.find(({ spec }) => spec.topicName === 'news.frontier-changelog')!;
    assert.equal(changelog.spec.config['retention.ms'], '-1');
  });

  it('Strimzi topics: fewer replicas, and a crawl with a name that Kubernetes rejects', async () => {
    const args = ['topics', 'create', '--strimzi', 'events', '--crawl', 'My_News', '--replicas', '1'];
    const topics = await printed(...args);
    await checked(topics, 'KafkaTopic');
    assert.ok(topics.every(({ spec }) => spec.replicas === 1 && spec.topicName.startsWith('My_News.')));
    const other = await printed(...args.map((arg) => (arg === 'My_News' ? 'my-news' : arg)));
    assert.ok(topics.every(({ metadata }, i) => metadata.name !== other[i]!.metadata.name));
  });

  it('Strimzi users: each service’s rights as ACLs, with a password each', async () => {
    const users = await printed('acls', '--strimzi', 'events', '--crawl', 'news');
    await checked(users, 'KafkaUser');
    assert.deepEqual(
      users.map(({ metadata }) => metadata.name),
      services.map(({ name }) => `news-${name}`),
    );
    for (const [i, { spec }] of users.entries()) {
      assert.equal(spec.authentication.type, 'scram-sha-512');
      const rights = services[i]!.access('news').map(({ resource, name, pattern, operations }) => ({
        resource: {
          type: resource.toLowerCase(),
          name,
          patternType: { Prefixed: 'prefix', Literal: 'literal' }[pattern],
        },
        operations,
      }));
      assert.deepEqual(spec.authorization.acls, rights);
    }
  });
});
