import assert from 'node:assert/strict';
import { test } from 'node:test';
import avsc from 'avsc';
import { avroSchemas } from '../../../../schemas/avro.ts';
import { blankLink, blankLinkGroup } from '../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../schemas/types.ts';
import { DiscoveredBatch } from '../../../../services/fetcher/publish/discovered-batch.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';

const codec = await openCodec(createMemoryRegistry(), 'c');

const group = (hostKey: string, links: number, chars = 990): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey, sourceUrl: 'http://s.test/', sourceKey: 's.test', depth: 1, tags: ['news'] },
  links: Array.from({ length: links }, (_, n) => ({ ...blankLink, url: `http://${hostKey}/${'p'.repeat(chars)}${n}` })),
});
const batchOf = (groups: readonly LinkGroup[], partitions: number) => {
  const batch = new DiscoveredBatch({ codec, partitions, keyMode: 'host' });
  return { batch, bytes: groups.map((one) => batch.add(one)) };
};
const recordsOf = (groups: readonly LinkGroup[], partitions: number) =>
  batchOf(groups, partitions).batch.records('c.discovered');

test('groups share messages by partition up to the message size; a larger group is split without loss', () => {
  const groups = [...Array.from({ length: 40 }, (_, n) => group(`h${n}.test`, 10)), group('big.test', 2_000)];
  const records = recordsOf(groups, 3);
  assert.ok(Math.max(...records.map(({ value }) => value!.length)) <= 256 * 1024 + 16);
  assert.ok(records.length < 20);
  assert.equal(new Set(records.map(({ partition }) => partition)).size, 3);
  const read = records.flatMap(({ value }) => codec.decode('discovered', value!).groups);
  const linksOf = (all: readonly LinkGroup[]) => all.flatMap(({ links }) => links.map(({ url }) => url)).sort();
  assert.deepEqual(linksOf(read), linksOf(groups));
  for (const { hostKey, tags, sourceUrl } of read)
    assert.deepEqual([tags, sourceUrl], [['news'], 'http://s.test/'], hostKey);
});

test('a message of groups that were encoded one by one is what an Avro library makes of the whole record', () => {
  const plain = avsc.Type.forSchema(JSON.parse(JSON.stringify(avroSchemas.discovered)) as avsc.Schema);
  for (const count of [1, 2, 63, 64, 200]) {
    const groups = Array.from({ length: count }, (_, n) => group(`h${n}.test`, n % 3, 5));
    const [record, ...more] = recordsOf(groups, 1);
    assert.equal(more.length, 0);
    const body = plain.toBuffer({ groups });
    assert.deepEqual(record!.value!.subarray(-body.length), body);
    assert.deepEqual(record!.value, codec.encode('discovered', { groups }));
  }
  assert.deepEqual(codec.encodeDiscovered(0, Buffer.alloc(0)), codec.encode('discovered', { groups: [] }));
});

test('one link that is larger than a message goes alone', () => {
  const records = recordsOf([group('a.test', 2, 300_000), group('a.test', 1, 5)], 1);
  assert.deepEqual(
    records.map(({ value }) => codec.decode('discovered', value!).groups.map(({ links }) => links.length)),
    [[1], [1], [1]],
  );
});

test('a group that does not fit the schema is refused by name', () => {
  const wrong = { ...group('a.test', 1), depth: 'deep' } as unknown as LinkGroup;
  assert.throws(() => batchOf([wrong], 1), /not a record of discovered/);
});

test('the bytes of a group are those that it adds to its message, in one part or in more', () => {
  for (const groups of [[group('a.test', 1), group('a.test', 3)], [group('a.test', 1_000)]]) {
    const { batch, bytes } = batchOf(groups, 1);
    const around = codec.encodeDiscovered(1, Buffer.alloc(0)).length;
    const written = batch.records('c.discovered').reduce((sum, { value }) => sum + value!.length - around, 0);
    assert.equal(
      bytes.reduce((sum, one) => sum + one, 0),
      written,
    );
  }
});
