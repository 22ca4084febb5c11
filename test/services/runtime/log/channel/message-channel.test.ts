import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Channel,
  createChannel,
  type Served,
} from '../../../../../services/runtime/log/channel/message-channel.ts';
import { LogTruncated } from '../../../../../services/runtime/log/log-truncated.ts';
import { RecordTooLarge } from '../../../../../services/runtime/log/record-too-large.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { streamPair } from './stream-pair.ts';

const noFault = (error: unknown): void => {
  throw error;
};

function pair(served: Served, onFault = noFault): [Channel, Channel] {
  const [ours, theirs] = streamPair();
  return [createChannel(ours, {}, noFault), createChannel(theirs, served, onFault)];
}

test('a call returns the other side’s value or error, with the error’s code', async () => {
  const [client] = pair({
    sum: (a: number, b: number) => a + b,
    later: async (map: Map<string, unknown>) => map.get('key'),
    ours: () => Promise.reject(new CrawlstreamError('DISK_FULL', 'no room')),
    bug: () => {
      throw new TypeError('a bug');
    },
  });
  assert.equal(await client.call('sum', 1, 2), 3);
  assert.equal(await client.call('later', new Map([['key', undefined]])), undefined);
  await assert.rejects(
    client.call('ours'),
    (error: CrawlstreamError) => error.code === 'DISK_FULL' && error.message === 'no room',
  );
  await assert.rejects(
    client.call('bug'),
    (error: Error) => error.message === 'a bug' && !(error instanceof CrawlstreamError),
  );
  await assert.rejects(client.call('nothing'), /there is no handler for nothing/);
});

test('errors that callers distinguish by more than their code keep their class on the other side', async () => {
  const [client] = pair({
    tooLarge: () => Promise.reject(new RecordTooLarge('pages', [2, 5])),
    truncated: () => Promise.reject(new LogTruncated('links', 3, { end: 90, leaderEpoch: 7 }, 70)),
  });
  const [tooLarge, truncated] = await Promise.all(
    ['tooLarge', 'truncated'].map((call) => client.call(call).catch((error: Error) => error)),
  );
  assert.ok(tooLarge instanceof RecordTooLarge);
  assert.deepEqual(tooLarge.indexes, [2, 5]);
  assert.equal(tooLarge.code, 'RECORD_TOO_LARGE');
  assert.match(tooLarge.message, /a record for pages is larger/);
  assert.ok(truncated instanceof LogTruncated);
  const { code, topic, partition, end, leaderEpoch } = truncated;
  assert.deepEqual([code, topic, partition, end, leaderEpoch], ['LOG_TRUNCATED', 'links', 3, 70, 7]);
  assert.match(truncated.message, /was read up to 90, but its records from 70 on are gone/);
});

test('messages and calls arrive in order, whatever their size, with unchanged bytes', async () => {
  const got: number[] = [];
  const [client] = pair({
    take: (bytes: Buffer) => got.push(bytes.length) && bytes,
    told: (n: number) => void got.push(n),
  });
  const sizes = [0, 1, 70_000, 3, 2_000_000, 65_536];
  const answers = sizes.map((size) => {
    client.notify('told', -size);
    return client.call('take', Buffer.alloc(size, size % 251));
  });
  for (const [n, answer] of (await Promise.all(answers)).entries())
    assert.ok(Buffer.alloc(sizes[n]!, sizes[n]! % 251).equals(answer as Buffer));
  assert.deepEqual(
    got,
    sizes.flatMap((size) => [-size, size]),
  );
});

test('messages are whole even if the stream delivers single bytes', async () => {
  const [ours, theirs] = streamPair();
  const client = createChannel(ours, {}, noFault);
  const frames: Buffer[] = [];
  theirs.on('data', (chunk: Buffer) => frames.push(chunk));
  client.notify('told', 'first');
  await new Promise(setImmediate);
  client.notify('told', 'second');
  await new Promise(setImmediate);
  const [to, from] = streamPair();
  const reported: string[] = [];
  createChannel(from, { told: (text: string) => reported.push(text) }, noFault);
  for (const byte of Buffer.concat(frames)) {
    to.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  assert.deepEqual(reported, ['first', 'second']);
});

test('calls under way and later ones are rejected once the other side is gone, after all that it had sent is handled', async () => {
  const reported: number[] = [];
  const [ours, theirs] = streamPair();
  const client = createChannel(ours, { told: (n: number) => reported.push(n) }, noFault);
  const server = createChannel(theirs, { never: () => new Promise(() => {}) }, noFault);
  const waiting = assert.rejects(client.call('never'), (error: CrawlstreamError) => error.code === 'PROCESS_ENDED');
  for (let n = 0; n < 100; n++) server.notify('told', n);
  server.close();
  await client.closed;
  assert.equal(reported.length, 100);
  await waiting;
  await assert.rejects(client.call('never'), (error: CrawlstreamError) => error.code === 'PROCESS_ENDED');
  client.notify('told');
});

test('an error of a one-way message goes to the listener, since nobody waits for an answer', async () => {
  const faults: unknown[] = [];
  const [client] = pair(
    {
      told: () => {
        throw new Error('fault');
      },
    },
    (error) => void faults.push(error),
  );
  client.notify('told');
  client.notify('missing');
  await client.call('missing').catch(() => {});
  assert.deepEqual(
    faults.map((error) => (error as Error).message),
    ['fault', 'there is no handler for missing (a bug)'],
  );
});
