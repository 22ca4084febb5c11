/** A real registry: ids, rules, what it refuses, and what other clients read. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { SchemaRegistry as PlainClient, SchemaType } from '@kafkajs/confluent-schema-registry';
import { skipReason } from '../../../../lab/kafka/components.ts';
import { freePorts } from '../../../../lab/kafka/daemon.ts';
import { avroSchemas } from '../../../../schemas/avro.ts';
import type { Control } from '../../../../schemas/types.ts';
import { openConfluentRegistry } from '../../../../services/runtime/avro/confluent-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { registryLogin } from '../../../../services/runtime/crawl/kafka-credentials.ts';
import { startRegistry, type TestRegistry } from '../../../kafka/registry.ts';

const skip = (await skipReason()) ?? false;

const record = (fields: readonly object[]) => ({ type: 'record', name: 'Thing', namespace: 'test', fields });
const id = { name: 'id', type: 'int' };
const label = { name: 'label', type: 'string', default: 'none' };

const control: Control = {
  kind: 'blockHost',
  atMs: 1_700_000_000_000,
  by: 'operator',
  partition: -1,
  hostKey: 'münchen.example',
  version: 3,
  amount: 0,
  wanted: 0,
  known: -1,
  id: '',
  payload: '{"a":1}',
};

describe('a Confluent registry', { skip }, () => {
  let server: TestRegistry;
  let count = 0;
  const newSubject = () => `registry-${process.pid}-${count++}.things-value`;
  before(async () => {
    server = await startRegistry();
  });
  after(() => server?.stop());
  const rulesOf = async (subject: string) =>
    ((await (await fetch(`${server.url}/config/${subject}`)).json()) as { compatibilityLevel: string })
      .compatibilityLevel;
  const versionsOf = async (subject: string) =>
    (await (await fetch(`${server.url}/subjects/${subject}/versions`)).json()) as number[];

  it('a Confluent registry gives one schema one id, for every process, under full transitive rules', async () => {
    const subject = newSubject();
    const first = await openConfluentRegistry(server.url).idFor(subject, record([id]));
    assert.equal(await openConfluentRegistry(server.url).idFor(subject, record([id])), first);
    assert.equal(await rulesOf(subject), 'FULL_TRANSITIVE');
    const second = await openConfluentRegistry(server.url).idFor(subject, record([id, label]));
    assert.notEqual(second, first);
    assert.equal(await openConfluentRegistry(server.url).idFor(subject, record([id])), first);
    assert.deepEqual(await versionsOf(subject), [1, 2]);
  });

  it('a Confluent registry names subjects by topic, by record or by both, and data written under any is read', async () => {
    const topic = newSubject().replace('things-value', 'control');
    const named = {
      topic: `${topic}-value`,
      record: 'crawlstream.Control',
      'topic-record': `${topic}-crawlstream.Control`,
    };
    for (const [strategy, subject] of Object.entries(named)) {
      const login = registryLogin({ CRAWLSTREAM_REGISTRY_SUBJECTS: strategy });
      const id = await openConfluentRegistry(server.url, login).idFor(`${topic}-value`, avroSchemas.control);
      assert.deepEqual(await versionsOf(subject), [1], strategy);
      assert.equal(await rulesOf(subject), 'FULL_TRANSITIVE');
      const read = (await openConfluentRegistry(server.url).schemaById(id)) as { name: string };
      assert.match(read.name, /^(crawlstream\.)?Control$/);
    }
    assert.throws(() => registryLogin({ CRAWLSTREAM_REGISTRY_SUBJECTS: 'value' }), {
      message: /CRAWLSTREAM_REGISTRY_SUBJECTS is value: give one of topic, record, topic-record/,
    });
  });

  it('a Confluent registry shows other clients which numbers are times', async () => {
    const subject = newSubject();
    await openConfluentRegistry(server.url).idFor(subject, avroSchemas.pages);
    const reported = (await (await fetch(`${server.url}/subjects/${subject}/versions/1`)).json()) as { schema: string };
    const { fields } = JSON.parse(reported.schema) as { fields: { name: string; type: unknown }[] };
    const time = { type: 'long', logicalType: 'timestamp-millis' };
    assert.deepEqual(fields.find(({ name }) => name === 'fetchedAtMs')?.type, time);
  });

  it('a Confluent registry gives processes that register at the same moment the same id', async () => {
    for (let round = 0; round < 10; round++) {
      const subject = newSubject();
      const registries = Array.from({ length: 6 }, () => openConfluentRegistry(server.url));
      const ids = await Promise.all(registries.map((registry) => registry.idFor(subject, record([id]))));
      assert.equal(new Set(ids).size, 1);
    }
  });

  it('a Confluent registry finds a schema by its fingerprint, whatever its docs', async () => {
    const subject = newSubject();
    const registry = openConfluentRegistry(server.url);
    const first = await registry.idFor(subject, record([{ ...id, doc: 'number' }]));
    assert.equal(await registry.idFor(subject, record([{ ...id, doc: 'better said' }])), first);
    assert.deepEqual(await versionsOf(subject), [1]);
  });

  it('a Confluent registry’s subject that another client registered under other rules is taken over', async () => {
    const subject = newSubject();
    const other = new PlainClient({ host: server.url });
    await other.register({ type: SchemaType.AVRO, schema: JSON.stringify(record([id])) }, { subject });
    assert.equal(await rulesOf(subject), 'BACKWARD');
    await openConfluentRegistry(server.url).idFor(subject, record([id, label]));
    assert.equal(await rulesOf(subject), 'FULL_TRANSITIVE');
  });

  it('a Confluent registry returns a schema by its id, with defaults, to a process that never registered', async () => {
    const subject = newSubject();
    const number = await openConfluentRegistry(server.url).idFor(subject, record([id, label]));
    const schema = (await openConfluentRegistry(server.url).schemaById(number)) as { fields: { default?: unknown }[] };
    assert.equal(schema.fields[1]?.default, 'none');
    await assert.rejects(openConfluentRegistry(server.url).schemaById(987_654), { code: 'SCHEMA_UNKNOWN' });
  });

  it('a Confluent registry refuses a schema that older or newer readers could not read, and names the difference', async () => {
    const subject = newSubject();
    const registry = openConfluentRegistry(server.url);
    await registry.idFor(subject, record([id]));
    for (const [schema, why] of [
      [record([{ name: 'id', type: 'string' }]), /int|string/],
      [record([id, { name: 'label', type: 'string' }]), /label/],
    ] as const) {
      await assert.rejects(registry.idFor(subject, schema), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'SCHEMA_INCOMPATIBLE');
        assert.ok(error.message.includes(subject));
        assert.match(error.message, /version 1/);
        assert.match(error.message, why);
        return true;
      });
    }
    assert.deepEqual(await versionsOf(subject), [1]);
  });

  it('a Confluent registry compares with every earlier version, not only the last', async () => {
    const subject = newSubject();
    const registry = openConfluentRegistry(server.url);
    await registry.idFor(subject, record([id, label]));
    await registry.idFor(subject, record([id]));
    const labelAgain = record([id, { name: 'label', type: 'int', default: 0 }]);
    await assert.rejects(registry.idFor(subject, labelAgain), { code: 'SCHEMA_INCOMPATIBLE', message: /version 1/ });
  });

  it('a Confluent registry lets other clients read our records, and us theirs', async () => {
    const crawl = `registry-crawl-${process.pid}`;
    const codec = await openCodec(openConfluentRegistry(server.url), crawl);
    const client = new PlainClient({ host: server.url });
    const theirs = (await client.decode(codec.encode('control', control))) as Control;
    assert.deepEqual({ ...theirs }, control);
    const schema = { type: SchemaType.AVRO, schema: JSON.stringify(avroSchemas.control) } as const;
    const number = await client.getRegistryIdBySchema(`${crawl}.control-value`, schema);
    assert.deepEqual(codec.decode('control', await client.encode(number, control)), control);
  });

  it('a Confluent registry lets records of an earlier release be read by their own schema', async () => {
    const crawl = `registry-upgrade-${process.pid}`;
    const { fields } = avroSchemas.control as unknown as { fields: { name: string; default?: unknown }[] };
    const lastWithDefault = fields.findLast((field) => field.default !== undefined);
    assert.ok(lastWithDefault, 'a field that an earlier release may have been without');
    const older = { ...avroSchemas.control, fields: fields.filter((field) => field !== lastWithDefault) };
    const registry = openConfluentRegistry(server.url);
    const number = await registry.idFor(`${crawl}.control-value`, older);
    const bytes = await new PlainClient({ host: server.url }).encode(number, control);
    const codec = await openCodec(openConfluentRegistry(server.url), crawl);
    await codec.prepare('control', bytes);
    assert.deepEqual(codec.decode('control', bytes), { ...control, [lastWithDefault.name]: lastWithDefault.default });
  });

  it('a Confluent registry that refuses, is silent or is something else is reported by its address', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const [refused] = await freePorts(1);
    for (const url of [
      `http://127.0.0.1:${refused}`,
      `http://127.0.0.1:${(silent.address() as { port: number }).port}`,
      server.url.replace('/ccompat/', '/nothing/'),
    ]) {
      const registry = openConfluentRegistry(url, {}, 300);
      const away = { code: 'REGISTRY_UNREACHABLE', retriable: true, message: new RegExp(url) };
      await assert.rejects(registry.idFor(newSubject(), record([id])), away);
    }
    silent.close();
  });
});
