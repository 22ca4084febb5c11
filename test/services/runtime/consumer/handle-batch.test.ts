/** A batch that a handler fails: how often it is tried, what becomes of a bad record, and that no deletion is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Forgotten } from '../../../../services/runtime/consumer/forgotten.ts';
import { type Batch, handleBatch, type Patience } from '../../../../services/runtime/consumer/handle-batch.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

type Records = readonly Received<'pages'>[];
const recordsOf = (...offsets: readonly number[]): Records =>
  offsets.map((offset) => ({ offset }) as Received<'pages'>);
const gone = (...urls: readonly string[]): readonly Forgotten[] => urls.map((url) => ({ url, atMs: 0 }) as Forgotten);

/** Handles a batch at once, whatever it waits for. Notes each attempt with its time, and each retry. */
async function handled(
  batch: Partial<Batch<'pages'>>,
  fails: (batch: Batch<'pages'>, nth: number) => unknown,
  more: Partial<Patience> = {},
) {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, sleepUntil: async (untilMs: number) => void (nowMs = untilMs) };
  const attempts: string[] = [];
  const retries: string[] = [];
  const patience: Patience = {
    ...{ clock, retriesMs: [100, 1_000], whenFailed: 'deadLetter', signal: new AbortController().signal },
    onRetry: ({ message }) => retries.push(message),
    ...more,
  };
  const handle = async (one: Batch<'pages'>) => {
    attempts.push(`${nowMs}: ${[...one.records.map(({ offset }) => offset), ...one.forgotten.map(({ url }) => url)]}`);
    const error = fails(one, attempts.length);
    if (error !== undefined) throw error;
  };
  const failed = await handleBatch({ records: [], forgotten: [], ...batch }, handle, patience).catch((error) => error);
  const ends =
    failed instanceof Error
      ? failed
      : failed.map(({ received, error }: (typeof failed)[number]) => [received.offset, error.message]);
  return { attempts, retries, ends };
}

const hasRecord = (offset: number) => (batch: Batch<'pages'>) =>
  batch.records.some((one) => one.offset === offset) ? new Error(`bad ${offset}`) : undefined;

test('a batch that is handled is tried once', async () => {
  const { attempts, retries, ends } = await handled(
    { records: recordsOf(1, 2), forgotten: gone('u') },
    () => undefined,
  );
  assert.deepEqual([attempts, retries, ends], [['0: 1,2,u'], [], []]);
});

test('a batch is tried again after each pause, and one that is handled then has no failed record', async () => {
  const { attempts, retries, ends } = await handled({ records: recordsOf(1, 2) }, (_, nth) =>
    nth < 3 ? new Error(`${nth}`) : undefined,
  );
  assert.deepEqual(attempts, ['0: 1,2', '100: 1,2', '1100: 1,2']);
  assert.deepEqual([retries, ends], [['1', '2'], []]);
});

test('a record that fails alone is returned with its error, and the others are handled one by one, in order', async () => {
  const { attempts, ends } = await handled({ records: recordsOf(1, 2, 3) }, hasRecord(2));
  assert.deepEqual(attempts.slice(3), ['1100: 1', '1100: 2', '1100: 3']);
  assert.deepEqual(ends, [[2, 'bad 2']]);
});

test('a batch of one bad record is not tried once more alone', async () => {
  const { attempts, ends } = await handled({ records: recordsOf(7) }, hasRecord(7));
  assert.equal(attempts.length, 3);
  assert.deepEqual(ends, [[7, 'bad 7']]);
});

test('a batch whose consumer stops at failures ends with the error of the last attempt', async () => {
  const { attempts, ends } = await handled({ records: recordsOf(1, 2) }, (_, nth) => new Error(`${nth}`), {
    whenFailed: 'stop',
  });
  assert.deepEqual([attempts.length, ends.message], [3, '3']);
  const without = await handled({ records: recordsOf(1) }, () => new Error('x'), { whenFailed: 'stop', retriesMs: [] });
  assert.equal(without.attempts.length, 1);
});

test('a URL that cannot be forgotten is never passed over: it fails the batch by name, after the same pauses', async () => {
  const { attempts, ends } = await handled(
    { records: recordsOf(1), forgotten: gone('http://a.test/', 'http://b.test/') },
    (batch) =>
      batch.forgotten.some(({ url }) => url.includes('a.test'))
        ? new CrawlstreamError('DISK_FULL', 'no room')
        : undefined,
  );
  assert.deepEqual(attempts.slice(3), [
    '1100: 1',
    '1100: http://a.test/',
    '1200: http://a.test/',
    '2200: http://a.test/',
    '2200: http://b.test/',
  ]);
  assert.equal(ends.code, 'DISK_FULL');
  assert.equal(
    ends.message,
    'http://a.test/ could not be forgotten: no room; fix the cause and start it again; it continues with this URL',
  );
  const alone = await handled({ forgotten: gone('http://a.test/') }, () => new Error('no'));
  assert.deepEqual([alone.attempts.length, alone.ends.code], [3, 'FORGET_FAILED']);
});

test('a deletion beside a bad record is done, and the record alone is returned', async () => {
  const { attempts, ends } = await handled({ records: recordsOf(1), forgotten: gone('u') }, hasRecord(1));
  assert.deepEqual(attempts.slice(3), ['1100: 1', '1100: u']);
  assert.deepEqual(ends, [[1, 'bad 1']]);
});

test('what is thrown without being an error counts as one', async () => {
  const { ends } = await handled({ records: recordsOf(1) }, () => 'a text', { retriesMs: [] });
  assert.match(ends[0][1], /a text/);
});

test('a stop ends the pauses and the attempts alone, with the last error', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const attempts: number[] = [];
  const handle = async ({ records }: Batch<'pages'>) => {
    attempts.push(records.length);
    throw new Error(`${attempts.length}`);
  };
  const patience: Patience = {
    ...{ clock, retriesMs: [1_000], whenFailed: 'deadLetter', signal: stop.signal, onRetry: () => {} },
  };
  const pausing = handleBatch({ records: recordsOf(1, 2), forgotten: [] }, handle, patience);
  await clock.advance(10);
  stop.abort();
  await assert.rejects(pausing, { message: '1' });
  assert.deepEqual(attempts, [2]);

  for (const [stopAt, tried] of [
    [2, [2, 1]],
    [1, [2]],
  ] as const) {
    const again = new AbortController();
    const sizes: number[] = [];
    const stopping = async ({ records }: Batch<'pages'>) => {
      sizes.push(records.length);
      if (sizes.length === stopAt) again.abort();
      throw new Error('bad');
    };
    const given = { ...patience, retriesMs: [], signal: again.signal };
    await assert.rejects(handleBatch({ records: recordsOf(1, 2), forgotten: [] }, stopping, given), { message: 'bad' });
    assert.deepEqual(sizes, tried);
  }
});
