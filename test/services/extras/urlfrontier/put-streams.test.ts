import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { putLimits } from '../../../../services/extras/urlfrontier/put-limits.ts';
import { type Placed, putMethods } from '../../../../services/extras/urlfrontier/put-streams.ts';
import { codecOf } from '../../../../services/extras/urlfrontier/wire.ts';
import { CallRoom } from '../../../../services/runtime/grpc/call-room.ts';
import { CallFailed } from '../../../../services/runtime/grpc/grpc-server.ts';
import { putStatuses } from '../../../../topology/frontier/decide/pull/calls.ts';
import { pullLimits } from '../../../../topology/frontier/pull/pull-limits.ts';

// biome-ignore lint/suspicious/noExplicitAny: acks of either method
type Ack = any;

/** One stream of puts, whose commits end as the test says. */
function stream(name: 'PutURLs' | 'PutDiscovered' = 'PutURLs', room = new CallRoom(1e9, 1e9)) {
  const commits: { readonly items: readonly Placed[]; finish(): void; fail(error: Error): void }[] = [];
  const method = putMethods({
    putAll: (items) => new Promise((resolve, reject) => commits.push({ items, finish: resolve, fail: reject })),
  })[name];
  assert.ok(method.kind === 'duplex');
  let [isPaused, take, end] = [false, (_: Uint8Array) => {}, () => {}];
  const acks: Ack[] = [];
  const over = method.act(
    {
      onRequest: (act) => (take = act),
      onEnd: (act) => (end = act),
      pause: () => (isPaused = true),
      resume: () => (isPaused = false),
      room,
    },
    {
      isLocal: false,
      isCancelled: false,
      write: async (messages) => {
        const codec = codecOf<Ack>(name === 'PutURLs' ? 'AckMessage' : 'BatchAck');
        for (const message of messages) acks.push(codec.decode(message));
      },
    },
  );
  over.catch(() => {});
  const type = name === 'PutURLs' ? 'URLItem' : 'DiscoveredBatch';
  return {
    commits,
    acks,
    over,
    send: (message: object) => take(codecOf<object>(type).encode(message)),
    sendBytes: (bytes: Uint8Array) => take(bytes),
    end: () => end(),
    get isPaused() {
      return isPaused;
    },
  };
}

const found = (n: number | string, ID = '') => ({ discovered: { info: { url: `http://a.com/${n}` } }, ID });
const settle = async () => {
  for (let n = 0; n < 4; n++) await turn();
};

test('items that arrive together are put together; acknowledgements keep their order, whichever commit ends first', async () => {
  const puts = stream();
  puts.send(found(1, 'one'));
  puts.send(found(2));
  await settle();
  puts.send(found(3));
  await settle();
  assert.deepEqual(
    puts.commits.map(({ items }) => items.map(({ item }) => item!.url)),
    [['http://a.com/1', 'http://a.com/2'], ['http://a.com/3']],
  );
  puts.commits[1]!.finish();
  await settle();
  assert.deepEqual(puts.acks, [], 'nothing is acked before what came before it');
  puts.commits[0]!.finish();
  await settle();
  assert.deepEqual(
    puts.acks.map(({ ID, status }) => [ID, status]),
    [
      ['one', putStatuses.ok],
      ['http://a.com/2', putStatuses.ok],
      ['http://a.com/3', putStatuses.ok],
    ],
  );
});

test('a stream that its client has ended is over once all of it is acknowledged', async () => {
  const puts = stream();
  let isOver = false;
  void puts.over.then(() => (isOver = true));
  puts.send(found(1));
  puts.end();
  await settle();
  assert.equal(puts.commits.length, 1, 'what was gathered is put');
  assert.equal(isOver, false);
  puts.commits[0]!.finish();
  await puts.over;
  assert.equal(puts.acks.length, 1);
  const empty = stream();
  empty.end();
  await empty.over;
});

test('an undecodable message ends its stream, once earlier messages are acknowledged', async () => {
  const puts = stream();
  puts.send(found(1));
  puts.sendBytes(Uint8Array.of(0x0a, 0x7f));
  puts.send(found(2));
  await settle();
  assert.equal(puts.commits.length, 1);
  assert.equal(puts.commits[0]!.items.length, 1, 'what comes behind it is not put');
  puts.commits[0]!.finish();
  await assert.rejects(puts.over, { code: 'INVALID_ARGUMENT', message: /^the message cannot be read: / });
  assert.equal(puts.acks.length, 1);
});

test('a stream at its limit of items under way waits until some are acknowledged', async () => {
  const puts = stream();
  for (let n = 1; n < pullLimits.putsUnderWay; n++) puts.send(found(n));
  assert.equal(puts.isPaused, false);
  puts.send(found('last'));
  assert.equal(puts.isPaused, true);
  await settle();
  puts.commits[0]!.finish();
  await settle();
  assert.equal(puts.isPaused, false);
  assert.equal(puts.acks.length, pullLimits.putsUnderWay);
});

test('a stream at its limit of bytes under way waits as well', async () => {
  const puts = stream();
  const metadata = [
    Buffer.concat([Buffer.from('0a016b12848003 0a808003'.replace(' ', ''), 'hex'), Buffer.alloc(49_152, 'v')]),
  ];
  const one = { discovered: { info: { url: 'http://a.com/', metadata } } };
  const { length } = codecOf<object>('URLItem').encode(one);
  const most = Math.ceil(putLimits.bytesUnderWay / length);
  for (let n = 1; n < most; n++) puts.send(one);
  assert.equal(puts.isPaused, false);
  puts.send(one);
  assert.equal(puts.isPaused, true);
  await settle();
  assert.ok(puts.commits[0]!.items.every(({ item }) => item !== null));
  puts.commits[0]!.finish();
  await settle();
  assert.equal(puts.isPaused, false);
});

test('while all streams together exceed the limit, one goes on up to its free bytes, and then waits for room', async () => {
  const room = new CallRoom(1_000, 1e9);
  room.take(1_000);
  const puts = stream('PutURLs', room);
  const one = found('x'.repeat(1_000));
  const { length } = codecOf<object>('URLItem').encode(one);
  const most = Math.ceil(putLimits.bytesFree / length);
  for (let n = 1; n < most; n++) puts.send(one);
  assert.equal(puts.isPaused, false);
  puts.send(one);
  assert.equal(puts.isPaused, true);
  await settle();
  puts.commits[0]!.finish();
  await settle();
  assert.equal(room.taken, 1_000, 'what it took is given back');
  assert.equal(puts.isPaused, false, 'and it has nothing under way');
  for (let n = 0; n < most; n++) puts.send(one);
  await settle();
  assert.equal(puts.isPaused, true);
  room.release(1_000);
  assert.equal(puts.isPaused, true, 'its own bytes fill the room');
  puts.commits[1]!.finish();
  await settle();
  assert.equal(puts.isPaused, false);
});

test('a message beyond the hard bound ends its stream, once earlier messages are acknowledged', async () => {
  const one = found(1);
  const bytes = codecOf<object>('URLItem').encode(one).length + putLimits.itemOverheadBytes;
  const room = new CallRoom(1e9, 2 * bytes);
  const puts = stream('PutURLs', room);
  for (let n = 0; n < 3; n++) puts.send(one);
  await settle();
  assert.equal(puts.commits[0]!.items.length, 2);
  assert.equal(room.taken, 2 * bytes);
  puts.commits[0]!.finish();
  await assert.rejects(puts.over, { code: 'RESOURCE_EXHAUSTED', message: /send this item again later$/ });
  assert.equal(puts.acks.length, 2);
  assert.equal(room.taken, 0);
});

test('a failed commit ends its stream, and frees its room', async () => {
  const room = new CallRoom(1e9, 1e9);
  const puts = stream('PutURLs', room);
  puts.send(found(1));
  await settle();
  puts.commits[0]!.fail(new Error('the disk is full'));
  await assert.rejects(puts.over, /the disk is full/);
  assert.equal(room.taken, 0);
});

test('a batch is acknowledged as one, with reasons if there are any', async () => {
  const puts = stream('PutDiscovered');
  puts.send({ ID: 'good', items: [{ url: 'http://a.com/1' }, { url: 'http://a.com/2', crawlID: 'x' }] });
  puts.send({ ID: 'mixed', items: [{ url: 'http://a.com/3' }, { url: 'tel:1' }] });
  await settle();
  assert.deepEqual(
    puts.commits[0]!.items.map(({ crawlId, item }) => [crawlId, item?.url ?? null, item?.known ?? null]),
    [
      ['DEFAULT', 'http://a.com/1', false],
      ['x', 'http://a.com/2', false],
      ['DEFAULT', 'http://a.com/3', false],
      ['DEFAULT', null, null],
    ],
  );
  puts.commits[0]!.finish();
  await settle();
  const [good, mixed] = puts.acks;
  assert.deepEqual([good.ID, [...good.statuses], good.reasons.length], ['good', [putStatuses.ok, putStatuses.ok], 0]);
  assert.deepEqual([mixed.ID, [...mixed.statuses]], ['mixed', [putStatuses.ok, putStatuses.skipped]]);
  assert.deepEqual(mixed.reasons, ['', 'scheme tel is not supported; use http or https']);
});

test('a batch has a maximum number of fields, including those of its items', async () => {
  const most = putLimits.messageFieldsMax;
  const batch = (items: number) => ({ items: Array.from({ length: items }, () => ({ url: 'x' })) });
  const puts = stream('PutDiscovered');
  puts.send(batch(most / 2));
  await settle();
  assert.equal(puts.commits[0]!.items.length, most / 2);
  puts.send(batch(most / 2 + 1));
  puts.commits[0]!.finish();
  await assert.rejects(puts.over, { message: /has more than \d+ fields in its items: send smaller batches$/ });
});

test('a known URL goes with its date; an item with too many bytes is skipped by name', async () => {
  const puts = stream();
  puts.send({ known: { info: { url: 'http://a.com/1' }, refetchable_from_date: 0 } });
  puts.send({ known: { info: { url: 'http://a.com/2' }, refetchable_from_date: 1_700_000_000 } });
  puts.send({ discovered: { info: { url: 'http://a.com/', key: 'k'.repeat(putLimits.itemBytesMax) } }, ID: 'long' });
  await settle();
  assert.deepEqual(
    puts.commits[0]!.items.map(({ item }) => item && [item.known, item.dueAtMs, item.metadata.length > 0]),
    [[true, 0, false], [true, 1_700_000_000_000, true], null],
  );
  puts.commits[0]!.finish();
  await settle();
  assert.deepEqual([puts.acks[2].ID, puts.acks[2].status], ['long', putStatuses.skipped]);
});

test('the room of a stream’s messages is freed when its client vanishes', async () => {
  const room = new CallRoom(1_000_000, 2_000_000);
  let send: (message: Uint8Array) => void = () => {};
  const requests = {
    onRequest: (take: typeof send) => (send = take),
    ...{ onEnd: () => {}, pause: () => {}, resume: () => {}, room },
  };
  const put = { started: 0, finish: [] as (() => void)[] };
  const router = {
    putAll: () => {
      put.started += 1;
      return new Promise<void>((resolve) => put.finish.push(resolve));
    },
  };
  const method = putMethods(router).PutURLs;
  assert.ok(method.kind === 'duplex');
  const answers = {
    ...{ isCancelled: false, isLocal: false },
    write: async () => {
      throw new CallFailed('UNAVAILABLE', 'the client disconnected');
    },
  };
  const ended = method.act(requests, answers);
  // {discovered: {info: {url: 'http://a.com/'}}}, thrice, each in a commit of its own.
  const message = Buffer.from(`0a110a0f0a0d${Buffer.from('http://a.com/').toString('hex')}`, 'hex');
  for (let n = 0; n < 3; n++) {
    send(message);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  assert.equal(put.started, 3);
  assert.ok(room.taken > 0);
  for (const finish of put.finish) finish();
  await assert.rejects(ended, /the client disconnected/);
  await new Promise(setImmediate);
  assert.equal(room.taken, 0);
});
