/** What URLFrontier's clients are answered where this server once answered otherwise. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { putLimits } from '../../../../services/extras/urlfrontier/put-limits.ts';
import { found, known, type Message } from './client.ts';
import { startRig, until } from './rig.ts';

const urls = (infos: readonly Message[]) => infos.map(({ url }) => url);
const statuses = (acks: readonly Message[]) => acks.map(({ status }) => status);
/** Of every queue, and at once. */
const hurry = { key: '', delay_requestable: 0 };

test('a permanently invalid item is skipped, with the reason', async () => {
  const rig = await startRig();
  const long = `data:image/png;base64,${'A'.repeat(putLimits.itemBytesMax)}`;
  const key = 'k'.repeat(2_000);
  const acks = await rig.client.all('PutURLs', [
    found('mailto:me@a.com'),
    found(`http://a.com/${'x'.repeat(9_000)}`, {}, 'long'),
    found('http://a.com/\u0007'),
    known('javascript:void(0)'),
    found('http://a.com/', { key }),
    found('http://a.com/', { crawlID: key }),
    found(long),
    found(long, {}, 'named'),
    found('http://a.com/1', { metadata: { k: { values: ['v'.repeat(70_000)] } } }),
    found('http://a.com/2'),
  ]);
  assert.deepEqual(statuses(acks), [...Array(9).fill('SKIPPED'), 'OK']);
  assert.deepEqual([acks[1].ID, acks[6].ID, acks[7].ID], ['long', long, 'named']);
  for (const { reason } of acks.slice(0, 9)) assert.ok(reason.length > 10, reason);
  const [batch] = await rig.client.all('PutDiscovered', [
    { ID: 'b', items: [{ url: 'tel:1' }, { url: 'http://a.com/3' }, { url: 'http://a.com/2' }] },
  ]);
  assert.deepEqual(batch.statuses, ['SKIPPED', 'OK', 'SKIPPED']);
  assert.deepEqual(
    batch.reasons.map((reason: string) => reason !== ''),
    [true, false, false],
  );
  await rig.close();
});

test('fields of this server only have numbers beyond those that the API may come to use', async () => {
  const rig = await startRig();
  const client = new grpc.Client(`localhost:${rig.port}`, grpc.credentials.createInsecure());
  const asIs = (bytes: Buffer) => bytes;
  const call = client.makeBidiStreamRequest('/urlfrontier.URLFrontier/PutURLs', asIs, asIs, new grpc.Metadata());
  const acks: Buffer[] = [];
  call.on('data', (ack: Buffer) => acks.push(ack));
  call.end(Buffer.from('0a080a060a046a756e6b', 'hex'));
  await new Promise((resolve) => call.on('end', resolve));
  const reader = protobuf.Reader.create(acks[0]!);
  const fields: number[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    fields.push(tag >>> 3);
    reader.skipType(tag & 7);
  }
  assert.deepEqual(fields, [1, 2, 1_000]);
  client.close();
  await rig.close();
});

test('a limit holds a queue until fewer URLs are done: one is rescheduled, or the queue deleted', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  const all = [1, 2, 3].map((n) => `http://a.com/${n}`);
  await rig.client.all(
    'PutURLs',
    all.map((url) => found(url)),
  );
  await rig.client.unary('SetCrawlLimit', { key: 'a.com', limit: 1 });
  const [first] = urls(await rig.client.all('GetURLs', { max_urls_per_queue: 1 }));
  await rig.client.all('PutURLs', [known(first)]);
  assert.deepEqual(await rig.client.all('GetURLs', {}), [], 'it is at its limit');
  await rig.client.unary('SetActive', { state: false });
  await rig.client.unary('SetActive', { state: true });
  assert.deepEqual(await rig.client.all('GetURLs', {}), [], 'whatever else is set');
  assert.deepEqual((await rig.client.unary('ListQueues')).values, ['a.com'], 'with URLs left, it is active');
  await rig.client.all('PutURLs', [known(first, Math.floor(Date.now() / 1000) + 3_600)]);
  const [second] = urls(await rig.client.all('GetURLs', { max_urls_per_queue: 1 }));
  assert.notEqual(second, undefined);
  await rig.client.all('PutURLs', [known(second)]);
  assert.deepEqual(await rig.client.all('GetURLs', {}), []);
  await rig.client.unary('DeleteQueue', { key: 'a.com' });
  await rig.client.all(
    'PutURLs',
    all.map((url) => found(url)),
  );
  assert.equal((await rig.client.all('GetURLs', {})).length, 3);
  await rig.client.all('PutURLs', [known(all[0]!), known(all[1]!)]);
  const { counts, size } = await rig.client.unary('GetStats', { key: 'a.com' });
  assert.deepEqual([counts.completed, size], [2, 1], 'the limit went with the queue');
  await rig.close();
});

test('DeleteQueue and DeleteCrawl also delete the settings of a queue', async () => {
  const rig = await startRig();
  const soon = Math.floor(Date.now() / 1000) + 3_600;
  for (const [rpc, request] of [
    ['DeleteQueue', { key: 'a.com' }],
    ['DeleteCrawl', { value: '' }],
  ] as const) {
    await rig.client.all('PutURLs', [found('http://a.com/1'), found('http://a.com/2')]);
    await rig.client.unary('SetDelay', { key: 'a.com', delay_requestable: 3_600 });
    await rig.client.all('GetURLs', { max_urls_per_queue: 1 });
    await rig.client.unary('BlockQueueUntil', { key: 'a.com', time: soon });
    assert.deepEqual((await rig.client.unary('ListQueues')).values, []);
    assert.equal((await rig.client.unary(rpc, request)).value, 2, rpc);
    await rig.client.all('PutURLs', [found('http://a.com/1')]);
    assert.deepEqual(urls(await rig.client.all('GetURLs', {})), ['http://a.com/1'], rpc);
    await rig.client.unary(rpc, request);
  }
  await rig.close();
});

test('an empty key deletes and blocks nothing', async () => {
  const rig = await startRig();
  await rig.client.all('PutURLs', [found('http://a.com/1')]);
  assert.deepEqual(await rig.client.unary('DeleteQueue', {}), { value: 0 });
  await rig.client.unary('BlockQueueUntil', { time: Math.floor(Date.now() / 1000) + 3_600 });
  assert.deepEqual(urls(await rig.client.all('GetURLs', {})), ['http://a.com/1']);
  await rig.close();
});

test('without a crawl, GetURLs reads any crawl, also for one queue', async () => {
  const rig = await startRig(3);
  await rig.client.unary('SetDelay', hurry);
  const of = (crawlID: string) => found('http://a.com/1', { crawlID });
  assert.deepEqual(statuses(await rig.client.all('PutURLs', [of('one'), of('two'), of(' '), of('DEFAULT')])), [
    'OK',
    'OK',
    'OK',
    'SKIPPED',
  ]);
  const crawls = async (params: object) =>
    (await rig.client.all('GetURLs', params)).map(({ crawlID }) => crawlID).sort();
  const brief = { delay_requestable: 1, max_urls_per_queue: 1 };
  assert.deepEqual(await crawls({ ...brief, crawlID: '' }), ['DEFAULT']);
  assert.deepEqual(await crawls({ ...brief }), ['one', 'two']);
  await until(
    () => rig.client.unary('GetStats', { crawlID: 'two' }),
    ({ inProcess }) => inProcess === 0,
  );
  await until(
    () => rig.client.unary('GetStats', { crawlID: 'DEFAULT' }),
    ({ inProcess }) => inProcess === 0,
  );
  assert.deepEqual(await crawls({ key: 'a.com', delay_requestable: 3_600 }), ['DEFAULT', 'one', 'two']);
  assert.deepEqual(await crawls({ key: 'b.com' }), []);
  await rig.close();
});

test('a refetch date stays unchanged while its URL is out, and after its lease has expired', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  const past = Math.floor(Date.now() / 1000) - 5_000;
  await rig.client.all('PutURLs', [known('http://a.com/1', past, { metadata: { k: { values: ['v'] } } })]);
  const date = async () => {
    const { known: one } = await rig.client.unary('GetURLStatus', { url: 'http://a.com/1' });
    assert.deepEqual(one.info.metadata, { k: { values: ['v'] } });
    return one.refetchable_from_date;
  };
  assert.equal(await date(), past);
  const [got] = await rig.client.all('GetURLs', { delay_requestable: 1 });
  assert.deepEqual(got.metadata, { k: { values: ['v'] } });
  assert.equal(await date(), past, 'it is out');
  await until(
    () => rig.client.unary('GetStats'),
    ({ inProcess }) => inProcess === 0,
  );
  assert.equal((await rig.client.all('GetURLs', { delay_requestable: 3_600 })).length, 1);
  await rig.restart({ forgets: true });
  assert.equal(await date(), past, 'its lease ran out');
  await rig.close();
});

test('attempts that a client sends back are ignored', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  const metadata = {
    'crawlstream.attempts': { values: ['7'] },
    'crawlstream.priority': { values: ['1'] },
    mine: { values: ['kept'] },
  };
  await rig.client.all('PutURLs', [
    found('http://a.com/1', { metadata }),
    known('http://a.com/2', Math.floor(Date.now() / 1000) - 9, { metadata }),
  ]);
  const { 'crawlstream.attempts': _, ...own } = metadata;
  for (const { metadata: given } of await rig.client.all('GetURLs', {})) assert.deepEqual(given, own);
  for (const { known: one } of await rig.client.all('ListURLs', {})) assert.deepEqual(one.info.metadata, own);
  await rig.close();
});

test('dates are any 64-bit integer, returned to the last digit', async () => {
  const rig = await startRig();
  const dates = ['18446744073709551615', '9223372036854775807', '9007199254740993', '253402300799'];
  await rig.client.all(
    'PutURLs',
    dates.map((date, n) => known(`http://a.com/${n}`, date as never)),
  );
  const read = async () => {
    const got: string[] = [];
    for (const n of dates.keys()) {
      const item = await rig.client.exact('GetURLStatus', { url: `http://a.com/${n}` });
      got.push(item.known.refetchable_from_date);
    }
    return got;
  };
  assert.deepEqual(await read(), dates);
  await rig.restart({ forgets: true });
  assert.deepEqual(await read(), dates);
  assert.deepEqual(await rig.client.all('GetURLs', {}), []);
  await rig.client.all('PutURLs', [found('http://b.com/')]);
  await rig.client.unary('BlockQueueUntil', { key: 'b.com', time: '18446744073709551615' });
  await rig.restart();
  assert.deepEqual(await rig.client.all('GetURLs', {}), []);
  await rig.close();
});
