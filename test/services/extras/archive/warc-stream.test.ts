/** The responses of a crawl as one WARC file, made while it is read. */
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blankControl, blankResponse } from '../../../../schemas/blank.ts';
import type { Control, Response } from '../../../../schemas/types.ts';
import { IndexedRecords } from '../../../../services/extras/archive/indexed-record.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { warcOf } from '../../../../services/extras/archive/warc-stream.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { writeWarc } from './replay/warc-file.ts';

const codec = await openCodec(createMemoryRegistry(), 'c');
const answer = (url: string, more: Partial<Response> = {}): Response => ({
  ...{ ...blankResponse, url, hostKey: new URL(url).host, status: 200, fetchedAtMs: 1_767_323_045_000 },
  ...{ headers: ['content-type', 'text/html'], requestHeaders: ['user-agent', 'x'], noArchiveFromMs: -1 },
  ...{ body: Buffer.from(`body of ${url}`), requestBody: Buffer.alloc(0), ...more },
});

async function streamed(responses: readonly (Response | null)[], events: readonly Partial<Control>[] = []) {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(
    ['responses', 'control'].map((name) => ({ name: `c.${name}`, partitions: 1, retention: 'time' })),
  );
  const at = (topic: string, value: Buffer) => ({ topic: `c.${topic}`, partition: 0, key: null, value });
  await log.append(
    responses.map((one) => at('responses', one === null ? Buffer.from('no record') : codec.encode('responses', one))),
  );
  await log.append(events.map((event) => at('control', codec.encode('control', { ...blankControl, ...event }))));
  const members: Buffer[] = [];
  for await (const member of warcOf({ log, codec, crawl: 'c' }, { version: '1' })) members.push(member);
  await log.close();
  return members;
}

async function recordsOf(members: readonly Buffer[]) {
  const file = join(temporaryFolder(), 'a.warc.gz');
  writeFileSync(file, Buffer.concat(members));
  const records: { readonly type: string; readonly url: string; readonly info: string; readonly id: string }[] = [];
  for await (const { type, fields } of readWarc(file)) {
    const field = (name: string) => fields.get(name) ?? '';
    records.push({ type, url: field('warc-target-uri'), info: field('warc-warcinfo-id'), id: field('warc-record-id') });
  }
  return records;
}

test('a streamed WARC file has request, response and metadata of each, after a first record that all name', async () => {
  const members = await streamed([answer('http://a.test/'), null, answer('http://b.test/')]);
  const records = await recordsOf(members);
  assert.equal(members.length, records.length);
  assert.deepEqual(
    records.map(({ type, url }) => [type, url]),
    [
      ['warcinfo', ''],
      ...['a', 'b'].flatMap((host) =>
        ['request', 'response', 'metadata'].map((type) => [type, `http://${host}.test/`]),
      ),
    ],
  );
  const [first, ...others] = records;
  assert.ok(others.every(({ info }) => info === first!.id));
  assert.deepEqual(await streamed([answer('http://a.test/'), null, answer('http://b.test/')]), members);
});

test('a streamed WARC file leaves out what is purged, and what may not be archived', async () => {
  const members = await streamed(
    [
      answer('http://a.test/'),
      answer('http://b.test/', { noArchiveFromMs: 0 }),
      answer('http://c.test/', { noArchiveFromMs: 1_767_323_045_001 }),
    ],
    [{ kind: 'purge', hostKey: 'a.test', atMs: 1 }],
  );
  assert.deepEqual([...new Set((await recordsOf(members)).map(({ url }) => url))], ['', 'http://c.test/']);
});

test('a streamed WARC file of nothing has no bytes', async () => {
  assert.deepEqual(await streamed([]), []);
  assert.deepEqual(await streamed([answer('http://a.test/')], [{ kind: 'purge', hostKey: 'a.test', atMs: 1 }]), []);
});

test('a rendered document in a streamed WARC file is a conversion, without a request', async () => {
  const rendered = answer('http://a.test/', { kind: 'rendered' });
  const types = (await recordsOf(await streamed([rendered]))).map(({ type }) => type);
  assert.deepEqual(types, ['warcinfo', 'conversion']);
});

test('a record is read from its place in the index, whole, however long it is', async () => {
  const body = 'frogs '.repeat(50_000);
  const file = writeWarc(temporaryFolder(), 'one', [{ url: 'http://a.test/', time: '20260101000000', body }]);
  const records = new IndexedRecords();
  const line = { text: '', url: 'http://a.test/', mime: '', time: '', file, offset: 0, length: 0 };
  const { size } = statSync(file);
  const { message } = await records.read({ ...line, length: size });
  assert.equal(message.body.toString(), body);
  await records.close();
});

test('fields of a WARC record are read with and without a blank behind their colons', async () => {
  const file = join(temporaryFolder(), 'a.warc');
  writeFileSync(file, 'WARC/1.0\r\nWARC-Type:Response\r\nX: y\r\n:z\r\nno field\r\nContent-Length:2\r\n\r\nab\r\n\r\n');
  const records = [];
  for await (const record of readWarc(file)) records.push(record);
  assert.equal(records.length, 1);
  assert.deepEqual([records[0]!.type, `${records[0]!.block}`], ['response', 'ab']);
  assert.deepEqual([...records[0]!.fields.keys()], ['warc-type', 'x', 'content-length']);
});
