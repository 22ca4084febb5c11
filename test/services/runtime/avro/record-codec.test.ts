import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { avroSchemas } from '../../../../schemas/avro.ts';
import { blankControl, blankResponse } from '../../../../schemas/blank.ts';
import type { Discovered, Response, TopicRecords } from '../../../../schemas/types.ts';
import { typeOf } from '../../../../services/runtime/avro/avro-types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { createNoRegistry } from '../../../../services/runtime/avro/no-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry, type SchemaRegistry } from '../../../../services/runtime/avro/schema-registry.ts';
import { fingerprint64 } from '../../../../services/runtime/avro/single-object.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { damagedValue } from '../../../../topology/damaged-batch.ts';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';
import type { AvroTopic } from '../../../../topology/topics.ts';
import { keptVersions } from './versions.ts';

const coded = (code: ErrorCode) => (error: unknown) => error instanceof CrawlstreamError && error.code === code;

const discovered = (count: number): Discovered => ({
  groups: [
    {
      hostKey: 'ünï.example',
      sourceUrl: 'https://a.example/',
      sourceKey: 'a.example',
      depth: 3,
      hop: 0,
      front: true,
      intent: 'refresh',
      discoveredAtMs: 1_700_000_000_123,
      share: 0,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      foundIn: 'footer',
      tags: ['customer=acme', 'news'],
      payload: '{"callback":"parse"}',
      links: Array.from({ length: count }, (_, i) => ({
        url: `https://b.example/p/${i}`,
        lastModifiedMs: 0,
        priority: -1,
        spelling: '',
      })),
    },
  ],
});
const response: Response = {
  ...blankResponse,
  requestBody: Buffer.alloc(0),
  url: 'http://a.example/',
  hostKey: 'a.example',
  fetchedAtMs: 1,
  address: '',
  status: 200,
  requestHeaders: [],
  headers: ['a', 'b'],
  body: Buffer.from([0, 1, 255]),
  truncated: false,
  durationMs: 5,
  noArchiveFromMs: -1,
};

/** A discovered schema as a later version might have it: a field more in the link, one less in the group. */
function laterSchema(): object {
  const text = JSON.stringify(avroSchemas.discovered)
    .replace(
      '{"name":"url","type":"string"',
      '{"name":"score","type":"double","default":0},{"name":"url","type":"string"',
    )
    .replace(/\{"name":"hop"[^}]*\},/, '');
  return JSON.parse(text) as object;
}

const leastFirst = (hex: string) => Buffer.from(hex, 'hex').reverse().toString('hex');

it('schema fingerprints equal those of Avro’s own implementations', () => {
  // Of Avro's schema-tests.txt, and of fastavro, which gives the bytes in their order, for schemas of ours.
  assert.equal(fingerprint64({ type: 'null' }), '63dd24e7cc258f8a');
  assert.equal(fingerprint64({ type: 'boolean' }), '9f42fc78a4d4f764');
  assert.equal(fingerprint64({ type: 'int' }), '7275d51a3f395c8f');
  assert.equal(leastFirst(fingerprint64(keptVersions('control')[7]!)), 'b7463e6ece2aa720');
  assert.equal(leastFirst(fingerprint64(keptVersions('pages')[1]!)), 'a9c5f2de1f605d35');
  assert.equal(leastFirst(fingerprint64(keptVersions('results')[5]!)), 'd6648234408f9100');
});

describe('record codec', () => {
  it('the record codec returns what it encoded, as plain objects, at any size', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    for (const count of [0, 1, 42, 20_000]) {
      const bytes = codec.encode('discovered', discovered(count));
      assert.deepEqual(codec.decode('discovered', bytes), discovered(count));
    }
    assert.deepEqual(codec.decode('responses', codec.encode('responses', response)), response);
    assert.deepEqual(
      codec.decode('discovered', new Uint8Array(codec.encode('discovered', discovered(2)))),
      discovered(2),
    );
  });

  it('the record codec writes the Confluent wire format: zero, the id in four bytes, the body', async () => {
    const codec = await openCodec(createMemoryRegistry(0x01020304), 'crawl');
    const bytes = codec.encode('control', { ...blankControl, kind: 'policy', atMs: 1, partition: 0, version: 1 });
    assert.deepEqual([...bytes.subarray(0, 4)], [0, 1, 2, 3]);
    assert.deepEqual(typeOf(avroSchemas.control).fromBuffer(bytes.subarray(5)).kind, 'policy');
  });

  it('the record codec returns separate bytes: the next record does not change the last', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    const first = codec.encode('discovered', discovered(2));
    const copy = Buffer.from(first);
    codec.encode('discovered', discovered(30));
    assert.ok(first.equals(copy));
  });

  it('the record codec writes bytes of any Uint8Array, a view of a larger one too, and refuses other values', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    const whole = new Uint8Array([9, 0, 1, 255, 9]);
    const encoded = codec.encode('responses', { ...response, body: whole.subarray(1, 4) });
    assert.ok(encoded.equals(codec.encode('responses', response)));
    const text = { ...response, body: 'text' as unknown as Uint8Array };
    assert.throws(() => codec.encode('responses', text), coded('INVALID_RECORD'));
  });

  it('the record codec refuses a record that does not fit its schema', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    const bad = { ...discovered(1).groups[0], intent: 'whatever' };
    assert.throws(
      () => codec.encode('discovered', { groups: [bad] } as unknown as Discovered),
      coded('INVALID_RECORD'),
    );
    assert.throws(() => codec.encode('discovered', {} as Discovered), coded('INVALID_RECORD'));
  });

  it('the record codec refuses junk: no magic byte, too short, cut anywhere, bytes behind the end', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    const good = codec.encode('discovered', discovered(3));
    for (let length = 0; length < good.length; length++) {
      assert.throws(() => codec.decode('discovered', good.subarray(0, length)), coded('INVALID_RECORD'));
    }
    assert.throws(() => codec.decode('discovered', Buffer.concat([good, Buffer.from([0])])), coded('INVALID_RECORD'));
    assert.throws(() => codec.decode('discovered', Buffer.from('{"url":"http://a/"}')), coded('INVALID_RECORD'));
  });

  it('the record codec names the damaged batch that a placeholder stands for', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'c');
    const value = damagedValue('the batch at c.tasks/3, offsets 100 to 149, can not be undone', Buffer.alloc(9));
    assert.equal(codec.prepare('tasks', value), undefined);
    assert.throws(() => codec.decode('tasks', value), {
      code: 'INVALID_RECORD',
      message: /c\.tasks\/3, offsets 100 to 149/,
    });
  });

  it('the record codec neither hangs nor allocates on corrupt lengths', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    const head = codec.encode('discovered', { groups: [] }).subarray(0, 5);
    const huge = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    const negative = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    for (const length of [huge, negative, huge.slice(3), [0xfe, 0xff, 0xff, 0xff, 0x0f], Array(400).fill(0xff)]) {
      for (const tail of [[], [0, 0], Array(2000).fill(0)]) {
        assert.throws(
          () => codec.decode('discovered', Buffer.from([...head, ...length, ...tail])),
          coded('INVALID_RECORD'),
        );
      }
    }
  });

  it('the record codec survives random damage to any byte of any kind of record', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'crawl');
    let state = 11;
    const next = (below: number) => (state = (state * 48271) % 2147483647) % below;
    const good = [codec.encode('discovered', discovered(20)), codec.encode('responses', response)] as const;
    let refused = 0;
    for (let round = 0; round < 4000; round++) {
      const topic: AvroTopic = round % 2 === 0 ? 'discovered' : 'responses';
      const bytes = Buffer.from(good[round % 2] as Buffer);
      for (let i = 0; i <= next(4); i++) bytes[5 + next(bytes.length - 5)] = next(256);
      try {
        codec.decode(topic, bytes);
      } catch (error) {
        assert.ok(coded('INVALID_RECORD')(error), String(error));
        refused++;
      }
    }
    assert.ok(refused > 500);
  });

  it('the record codec reads records of later and earlier versions, under any id', async () => {
    const registry = createMemoryRegistry(77);
    const later = await registry.idFor('elsewhere', laterSchema());
    const codec = await openCodec(registry, 'crawl');
    const type = typeOf(laterSchema());
    const group = {
      ...discovered(2).groups[0],
      links: discovered(2).groups[0]?.links.map((link) => ({ ...link, score: 0.5 })),
    };
    const bytes = Buffer.concat([Buffer.from([0, 0, 0, 0, later]), type.toBuffer({ groups: [group] })]);
    const waiting = codec.prepare('discovered', bytes);
    assert.ok(waiting);
    await waiting;
    assert.equal(codec.prepare('discovered', bytes), undefined, 'only the first record of a version has to wait');
    assert.deepEqual(codec.decode('discovered', bytes), discovered(2));
    assert.throws(() => codec.decode('discovered', Buffer.concat([bytes, Buffer.from([1])])), coded('INVALID_RECORD'));
    const corrupt = Buffer.concat([bytes.subarray(0, 5), Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x7f, 0, 0])]);
    assert.throws(() => codec.decode('discovered', corrupt), coded('INVALID_RECORD'));
  });

  it('the record codec reads the same schema under another id', async () => {
    const registry = createMemoryRegistry();
    const other = await registry.idFor('other.discovered-value', avroSchemas.discovered);
    const codec = await openCodec(registry, 'crawl');
    const bytes = codec.encode('discovered', discovered(1));
    assert.notEqual(bytes.readUInt32BE(1), other);
    bytes.writeUInt32BE(other, 1);
    await codec.prepare('discovered', bytes);
    assert.deepEqual(codec.decode('discovered', bytes), discovered(1));
  });

  it('the record codec distinguishes a record of another schema from one of an unknown schema, which is asked for again', async () => {
    let asked = 0;
    const inner = createMemoryRegistry();
    const registry: SchemaRegistry = {
      ...inner,
      schemaById: async (id) => {
        asked++;
        return inner.schemaById(id);
      },
    };
    const codec = await openCodec(registry, 'crawl');
    const bytes = codec.encode('control', { kind: 'policy', atMs: 1 } as TopicRecords['control']);
    for (let times = 0; times < 3; times++) await codec.prepare('discovered', bytes);
    assert.equal(asked, 1);
    assert.throws(() => codec.decode('discovered', bytes), coded('INVALID_RECORD'));
    const unknown = Buffer.from([0, 9, 9, 9, 9, 0]);
    assert.throws(() => codec.decode('discovered', unknown), coded('SCHEMA_UNKNOWN'));
    for (let times = 0; times < 2; times++) {
      await assert.rejects(codec.prepare('discovered', unknown) ?? Promise.resolve(), coded('SCHEMA_UNKNOWN'));
    }
    assert.equal(asked, 3);
  });

  it('the record codec writes single objects without a registry, and reads them with one too', async () => {
    const alone = await openCodec(createNoRegistry(), 'crawl');
    const bytes = alone.encode('discovered', discovered(3));
    assert.equal(bytes.subarray(0, 10).toString('hex'), `c301${leastFirst(fingerprint64(avroSchemas.discovered))}`);
    for (const codec of [alone, await openCodec(createMemoryRegistry(), 'crawl')]) {
      assert.equal(codec.prepare('discovered', bytes), undefined);
      assert.deepEqual(codec.decode('discovered', bytes), discovered(3));
      assert.deepEqual(codec.decode('discovered', new Uint8Array(bytes)), discovered(3));
      for (const length of [2, 9, 10, bytes.length - 1])
        assert.throws(() => codec.decode('discovered', bytes.subarray(0, length)), coded('INVALID_RECORD'));
      const other = alone.encode('control', { ...blankControl, kind: 'policy', atMs: 1 });
      await assert.rejects(async () => codec.prepare('discovered', other), coded('SCHEMA_UNKNOWN'));
    }
  });

  it('the record codec asks a registry that was away again', async () => {
    const inner = createMemoryRegistry();
    const registry: SchemaRegistry = {
      ...inner,
      schemaById: () => Promise.reject(new CrawlstreamError('REGISTRY_UNREACHABLE', 'away')),
    };
    const codec = await openCodec(registry, 'crawl');
    const bytes = Buffer.from([0, 0, 0, 1, 0, 0]);
    await assert.rejects(codec.prepare('discovered', bytes) ?? Promise.resolve(), coded('REGISTRY_UNREACHABLE'));
    assert.ok(codec.prepare('discovered', bytes)?.catch(() => {}));
  });
});

for (const [name, twin] of [
  ['memory', () => createMemoryRegistry()],
  ['embedded', () => createEmbeddedRegistry(createMemoryStore())],
] as const) {
  describe(`schema registry: ${name}`, () => {
    it('a schema registry gives one id per subject and schema, however often and however it is asked', async () => {
      const registry = twin();
      const ids = await Promise.all([
        registry.idFor('a', avroSchemas.tasks),
        registry.idFor('a', avroSchemas.tasks),
        registry.idFor('a', avroSchemas.pages),
        registry.idFor('a', { ...avroSchemas.tasks, doc: 'other words' }),
      ]);
      assert.equal(ids[0], ids[1]);
      assert.notEqual(ids[0], ids[2]);
      assert.equal(ids[0], ids[3], 'words do not make another schema');
      assert.deepEqual(await registry.schemaById(ids[2]), JSON.parse(JSON.stringify(avroSchemas.pages)));
      await assert.rejects(registry.schemaById(999), coded('SCHEMA_UNKNOWN'));
    });
  });
}

it('an embedded registry finds its ids again in its store', async () => {
  const store = createMemoryStore();
  const id = await createEmbeddedRegistry(store).idFor('a', avroSchemas.pages);
  const again = createEmbeddedRegistry(store);
  assert.equal(await again.idFor('b', avroSchemas.tasks), id + 1);
  assert.equal(await again.idFor('a', avroSchemas.pages), id);
  await again.schemaById(id);
});

it('an embedded registry writes all schemas of a crawl in one write', async () => {
  const inner = createMemoryStore();
  let writes = 0;
  const store: typeof inner = {
    ...inner,
    write(...args) {
      writes += 1;
      return inner.write(...args);
    },
  };
  await openCodec(createEmbeddedRegistry(store), 'c');
  assert.equal(writes, 1, 'each is a sync');
  await openCodec(createEmbeddedRegistry(store), 'c');
  assert.equal(writes, 1);
  const registry = createEmbeddedRegistry(store);
  const topics = Object.keys(avroSchemas) as (keyof typeof avroSchemas)[];
  const ids = await Promise.all(topics.map((topic) => registry.idFor(`c.${topic}-value`, avroSchemas[topic])));
  assert.deepEqual(
    ids,
    topics.map((_, at) => at + 1),
  );
});
