import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avroSchemas } from '../../../../schemas/avro.ts';
import { blankControl } from '../../../../schemas/blank.ts';
import { avroLimits } from '../../../../services/runtime/avro/avro-limits.ts';
import { fingerprintOf, typeOf } from '../../../../services/runtime/avro/avro-types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { encodeSchemaNote, schemaNoteFingerprint } from '../../../../services/runtime/avro/schema-note.ts';
import type { SchemaRegistry } from '../../../../services/runtime/avro/schema-registry.ts';
import { fingerprint64, singleObjectHeader } from '../../../../services/runtime/avro/single-object.ts';
import { type Clock, SystemClock } from '../../../../services/runtime/clock.ts';
import { carryOver } from '../../../../services/runtime/crawl/carry-over.ts';
import { notingLog, openCrawlSchemas } from '../../../../services/runtime/crawl/crawl-schemas.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { AvroTopic } from '../../../../topology/topics.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';
import { keptVersions } from '../avro/versions.ts';

const event = { ...blankControl, kind: 'policy', atMs: 5, by: 'me', version: 7, payload: '{}' } as const;

async function openLog(clock: Clock = new SystemClock()) {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: 'c.control', partitions: 1, retention: 'state' }]);
  /** A process that opens the crawl; null: without a registry. */
  const open = async (schemas: SchemaRegistry | null) => {
    const registry = schemas === null ? null : { url: 'http://registry.test', schemas };
    const source = await openCrawlSchemas({ log, crawl: 'c', clock, registry, by: 'test' });
    return { source, codec: await openCodec(source, 'c') };
  };
  const report = (topic: AvroTopic, id: number, schema: object | null) =>
    log.append([
      {
        ...{ topic: 'c.control', partition: 0, key: null },
        value: encodeSchemaNote({
          ...{ topic, id, told: true, atMs: 1, by: 'operator' },
          schema: schema === null ? '' : JSON.stringify(schema),
        }),
      },
    ]);
  return { log, open, report };
}

test('the schema of schema notes never changes, since crawls hold notes', () => {
  assert.equal(schemaNoteFingerprint, '6e291eb8946602ad');
});

test('noted schemas decode records without a registry, with an empty one, and with one that reassigned their ids', async () => {
  const { log, open } = await openLog();
  const first = await open(createMemoryRegistry());
  assert.equal(await first.source.note(), true);
  assert.equal(await first.source.note(), false, 'once');
  const value = first.codec.encode('control', event);
  const others = createMemoryRegistry();
  for (let i = 0; i < 40; i++) await others.idFor(`other-${i}`, { type: 'enum', name: `E${i}`, symbols: ['A'] });
  for (const registry of [null, createMemoryRegistry(500), others]) {
    const { codec, source } = await open(registry);
    await codec.prepare('control', value);
    assert.deepEqual(codec.decode('control', value), event);
    await source.note();
  }
  const { end } = await log.offsets('c.control', 0);
  assert.equal(end, 3 * Object.keys(avroSchemas).length, 'those of each registry; fingerprints are the same');
});

test('a topic is not written with a registry that gives its id to another schema', async () => {
  const { open, log } = await openLog();
  const schema = JSON.stringify(keptVersions('control')[0]!);
  const note = { topic: 'control', id: 1, schema, told: false, atMs: 1, by: '0.0.9' };
  await log.append([{ topic: 'c.control', partition: 0, key: null, value: encodeSchemaNote(note) }]);
  await assert.rejects(open(createMemoryRegistry()), {
    code: 'SCHEMA_CONFLICT',
    retriable: true,
    message: /http:\/\/registry\.test assigns id 1 .*control.*restore the registry/,
  });
});

test('of two registries that assign one id at the same moment, the later to note it does not write', async () => {
  const { open, log } = await openLog();
  const { source } = await open(createMemoryRegistry());
  const schema = JSON.stringify(keptVersions('control')[0]!);
  const note = { topic: 'control', id: 1, schema, told: false, atMs: 1, by: '0.0.9' };
  await log.append([{ topic: 'c.control', partition: 0, key: null, value: encodeSchemaNote(note) }]);
  await assert.rejects(source.note(), { code: 'SCHEMA_CONFLICT' });
});

test('ids derived from a schema, from before fingerprints, stay readable', async () => {
  const { open } = await openLog();
  const version = keptVersions('control')[7]!;
  const header = Buffer.alloc(5);
  header.writeUInt32BE(Number.parseInt(fingerprintOf(version).slice(0, 8), 16) >>> 1, 1);
  const value = Buffer.concat([header, typeOf(version).toBuffer(event)]);
  for (const registry of [null, createMemoryRegistry()]) {
    const { codec } = await open(registry);
    await codec.prepare('control', value);
    assert.deepEqual(codec.decode('control', value), event);
  }
});

test('an unknown id stays unknown until an operator defines it, and the operator’s definition counts', async () => {
  const clock = createFakeClock();
  const { open, report } = await openLog(clock);
  const { codec } = await open(null);
  const header = Buffer.from([0, 0, 0, 0, 9]);
  const value = Buffer.concat([header, typeOf(avroSchemas.control).toBuffer(event)]);
  const unknown = { code: 'SCHEMA_UNKNOWN', retriable: true, message: /c\.control .*schema id 9.*--registry/ };
  await assert.rejects(async () => codec.prepare('control', value), unknown);
  await report('control', 9, avroSchemas.control);
  await assert.rejects(async () => codec.prepare('control', value), unknown, 'not asked again at once');
  await clock.advance(avroLimits.unknownAgainMs);
  await codec.prepare('control', value);
  assert.deepEqual(codec.decode('control', value), event);

  await report('discovered', 9, null);
  const { codec: later } = await open(createMemoryRegistry(9));
  await later.prepare('discovered', Buffer.from(header));
  assert.throws(() => later.decode('discovered', Buffer.from(header)), { code: 'INVALID_RECORD', message: /operator/ });
});

test('schemas of another release are read by fingerprint once one of its processes has noted them', async () => {
  const { open, log } = await openLog();
  const schema = JSON.parse(
    JSON.stringify(avroSchemas.control).replace('"fields":[', '"fields":[{"name":"added","type":"int","default":0},'),
  ) as object;
  const { codec } = await open(null);
  const value = Buffer.concat([
    singleObjectHeader(fingerprint64(schema)),
    typeOf(schema).toBuffer({ ...event, added: 3 }),
  ]);
  await assert.rejects(async () => codec.prepare('control', value), { code: 'SCHEMA_UNKNOWN', message: /update/ });
  const note = { topic: 'control', id: -1, schema: JSON.stringify(schema), told: false, atMs: 1, by: '9.0.0' };
  await log.append([{ topic: 'c.control', partition: 0, key: null, value: encodeSchemaNote(note) }]);
  const { codec: later } = await open(null);
  await later.prepare('control', value);
  assert.deepEqual(later.decode('control', value), event);
});

test('records of a refused fingerprint are invalid, also of zeros, until its schema is taught', async () => {
  const clock = createFakeClock();
  const { open, log } = await openLog(clock);
  const schema = { type: 'record', name: 'Elsewhere', fields: [{ name: 'kind', type: 'string' }] };
  const say = async (note: { readonly fingerprint?: string; readonly schema: string }) => {
    const value = encodeSchemaNote({ topic: 'control', id: -1, told: true, atMs: 1, by: 'operator', ...note });
    await log.append([{ topic: 'c.control', partition: 0, key: null, value }]);
    await clock.advance(avroLimits.unknownAgainMs);
  };
  for (const fingerprint of ['0000000000000000', fingerprint64(schema)]) {
    const { codec } = await open(null);
    const value = Buffer.concat([singleObjectHeader(fingerprint), Buffer.of(0)]);
    const command = new RegExp(`schemas refuse --crawl c --topic control --id ${fingerprint}`);
    await assert.rejects(async () => codec.prepare('control', value), { code: 'SCHEMA_UNKNOWN', message: command });
    await say({ fingerprint, schema: '' });
    await codec.prepare('control', value);
    assert.throws(() => codec.decode('control', value), { code: 'INVALID_RECORD', message: /operator/ });
    await assert.rejects(async () => codec.prepare('results', value), { code: 'SCHEMA_UNKNOWN' });
  }
  const { source } = await open(null);
  const refused = source.notes().filter(({ schema: text }) => text === '');
  assert.deepEqual(
    refused.map(({ topic, fingerprint }) => [topic, fingerprint]),
    [
      ['control', '0000000000000000'],
      ['control', fingerprint64(schema)],
    ],
  );
  await say({ schema: JSON.stringify(schema) });
  await source.refresh();
  await source.schemaByFingerprint(fingerprint64(schema), 'c.control-value');
});

test('no registry is asked for an id beyond 31 bits, since none gives one', async () => {
  const { open } = await openLog();
  const failing: SchemaRegistry = {
    idFor: async () => 1,
    schemaById: async () => assert.fail('asked'),
  };
  const { codec } = await open(failing);
  const value = Buffer.from([0, 255, 255, 255, 255, 1]);
  await assert.rejects(async () => codec.prepare('control', value), { code: 'SCHEMA_UNKNOWN', message: /4294967295/ });
});

test('schema notes are events on control that every reader sees, and outlive a trim', async () => {
  const { log, open } = await openLog();
  const { codec, source } = await open(createMemoryRegistry());
  await source.note();
  const value = codec.encode('control', event);
  const [at] = await log.append([{ topic: 'c.control', partition: 0, key: null, value }]);
  const before = await carryOver(log, codec, { crawl: 'c', partition: 0 }, at! + 1);
  await log.trim('c.control', 0, before);
  const { codec: later, source: again } = await open(null);
  assert.equal(again.notes().filter(({ id }) => id >= 0).length, Object.keys(avroSchemas).length);
  await later.prepare('control', value);
  assert.deepEqual(later.decode('control', value), event);
  const reader = log.reader();
  reader.seek('c.control', 0, before);
  const [note] = await reader.poll({ maxBytes: 1 << 20, waitMs: 1_000 });
  assert.equal(codec.decode('control', note!.value).kind, 'schema');
  await reader.close();
});

/** A log whose schemas are noted as the test says, and the order of what happened. */
function notedLog(note: (nth: number) => Promise<boolean>) {
  const order: string[] = [];
  let count = 0;
  const append = async (records: readonly AppendRecord[]) => {
    order.push(...records.map(({ topic }) => topic));
    return records.map((_, n) => n);
  };
  const noting = {
    note: async () => {
      const isNoted = await note(count++);
      order.push('noted');
      return isNoted;
    },
  };
  const log = notingLog({ append }, noting, (text) => order.push(text));
  const send = (topic: string) => log.append([{ topic, partition: 0, key: null, value: Buffer.alloc(0) }]);
  return { order, send };
}

test('the first append waits until the schemas are noted, and others follow in the order of their calls', async () => {
  const { order, send } = notedLog(async () => true);
  await Promise.all([send('a'), send('b')]);
  assert.deepEqual(await send('c'), [0]);
  assert.deepEqual(order, ['noted', 'a', 'b', 'c']);
});

test('a process that may not write control appends with a notice, given once', async () => {
  const refusal = new CrawlstreamError('INVALID_ARGUMENT', 'no right to write control');
  const { order, send } = notedLog(() => Promise.reject(refusal));
  await send('a');
  await send('b');
  assert.deepEqual(order, [
    'the schemas of this process could not be recorded on topic control: no right to write control',
    'a',
    'b',
  ]);
});

test('an append before which the schemas could not be noted is rejected, and the next one notes them', async () => {
  for (const fault of [new CrawlstreamError('BROKER_UNREACHABLE', 'no broker answers'), new Error('a bug')]) {
    const { order, send } = notedLog((nth) => (nth === 0 ? Promise.reject(fault) : Promise.resolve(true)));
    await assert.rejects(send('a'), fault);
    await send('b');
    assert.deepEqual(order, ['noted', 'b']);
  }
});
