import assert from 'node:assert/strict';
import { test } from 'node:test';
import grpc from '@grpc/grpc-js';
import { entryOf, packMetadata } from '../../../../services/extras/urlfrontier/metadata.ts';
import { readable } from '../../../../services/extras/urlfrontier/metadata-shape.ts';
import type { Message } from './client.ts';
import { startRig } from './rig.ts';

const asIs = (value: Buffer) => value;

/** A length-delimited field, of fewer than 128 bytes. */
const field = (number: number, value: Buffer | string): Buffer => {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
};

const whole: Readonly<Record<string, Buffer>> = {
  'a key and two values': Buffer.concat([field(1, 'k'), field(2, Buffer.concat([field(1, 'a'), field(1, 'bü')]))]),
  'no value': field(1, 'k'),
  'no key': field(2, field(1, 'v')),
  nothing: Buffer.alloc(0),
  'value before key': Buffer.concat([field(2, field(1, 'v')), field(1, 'k')]),
  'unknown fields': Buffer.concat([
    field(1, 'k'),
    Buffer.from([0x18, 0x96, 0x01]),
    Buffer.from([0x25, 1, 2, 3, 4]),
    Buffer.from([0x29, 1, 2, 3, 4, 5, 6, 7, 8]),
    field(7, Buffer.from([0xff])),
  ]),
};

const broken: Readonly<Record<string, Buffer>> = {
  'a key that is not UTF-8': field(1, Buffer.from([0x6b, 0xff])),
  'a value that is not UTF-8': Buffer.concat([field(1, 'k'), field(2, field(1, Buffer.from([0xc3])))]),
  'a surrogate': field(1, Buffer.from([0xed, 0xa0, 0x80])),
  'a key longer than the entry': Buffer.from([0x0a, 0x05, 0x6b]),
  'a length that does not end': Buffer.from([0x0a, 0x80]),
  'a list longer than the entry': Buffer.concat([field(1, 'k'), Buffer.from([0x12, 0x02, 0x0a])]),
  'a value longer than its list': Buffer.concat([field(1, 'k'), Buffer.from([0x12, 0x02, 0x0a, 0x01])]),
  'a key that is a number': Buffer.from([0x08, 0x01]),
  'values that are numbers': field(2, Buffer.from([0x08, 0x01])),
  'field number 0': Buffer.from([0x02, 0x00]),
  'a group': Buffer.from([0x1b, 0x1c]),
  'text in the place of an entry': Buffer.from('poison'),
  'half a fixed number': Buffer.from([0x25, 1, 2]),
};

const list = (...values: string[]) => ({ values });

test('metadata entries are readable if they are fields of their map, in UTF-8', () => {
  for (const [name, entry] of Object.entries(whole)) assert.ok(readable(entry), name);
  for (const [name, entry] of Object.entries(broken)) assert.equal(readable(entry), null, name);
});

test('a broken metadata entry is not put, and its queue goes on', async () => {
  const rig = await startRig();
  const client = new grpc.Client(`localhost:${rig.port}`, grpc.credentials.createInsecure());
  const call = client.makeBidiStreamRequest('/urlfrontier.URLFrontier/PutURLs', asIs, asIs, new grpc.Metadata());
  const acks: Buffer[] = [];
  call.on('data', (ack: Buffer) => acks.push(ack));
  const ended = new Promise((resolve) => call.on('end', resolve));
  const entries = [...Object.values(whole), ...Object.values(broken)];
  for (const [n, entry] of entries.entries())
    call.write(field(1, field(1, Buffer.concat([field(1, `http://a.com/${n}`), field(3, entry)]))));
  call.end();
  await ended;
  assert.equal(acks.length, entries.length);
  const got = await rig.client.all('GetURLs', {});
  assert.deepEqual(
    got.map(({ metadata }: Message) => metadata),
    [{ k: list('a', 'bü') }, { k: list() }, { '': list('v') }, { '': list() }, { k: list('v') }, { k: list() }],
  );
  client.close();
  await rig.close();
});

test('a broken entry that an earlier release has kept is omitted when its URL is returned or listed', async () => {
  const rig = await startRig();
  assert.equal((await rig.client.all('PutURLs', [{ discovered: { info: { url: 'http://a.com/1' } } }])).length, 1);
  for (const metadata of [
    packMetadata([Buffer.from('poison'), entryOf('kept', 'v'), field(1, Buffer.from([0x6b, 0xff]))]),
    Buffer.from([0x05, 0x6b]),
  ]) {
    const item = { known: false, key: 'a.com', url: `http://a.com/${metadata.length}`, dueAtMs: 0, frontQueue: 3 };
    const items = [{ ...item, metadata }];
    await new Promise<void>((resolve, reject) => {
      const onDone = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
      rig.partitions[0]!.call({ kind: 'put', items, statuses: new Uint8Array(1), next: 0, onDone });
    });
  }
  const listed = await rig.client.all('ListURLs', { size: 10 });
  assert.deepEqual(
    listed.map(({ known }: Message) => Object.keys(known.info.metadata)),
    [[], ['kept'], []],
  );
  const given = await rig.client.all('GetURLs', { max_queues: 1, max_urls_per_queue: 10 });
  assert.deepEqual(
    given.map(({ metadata }: Message) => metadata),
    [{}, { kept: list('v') }, {}],
  );
  await rig.close();
});
