import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import type { ConsumerOptions } from '../../../../services/runtime/consumer/consumer.ts';
import { startConsumer } from '../../../../services/runtime/consumer/consumer.ts';
import { groupPositions } from '../../../../services/runtime/consumer/positions.ts';
import { until } from '../../until.ts';
import { bench } from './bench.ts';

describe('a consumer', () => {
  it('a consumer handles every record in order, and continues after the last one handled', async () => {
    const { append, start } = await bench();
    const seen: string[] = [];
    const handle: ConsumerOptions<'pages'>['handle'] = (batch) =>
      void seen.push(...batch.map((one) => one.value.title));
    await append(0, 'a', 'b');
    await append(1, 'x');
    const first = start({ handle });
    await first.drain();
    await first.stop();
    assert.deepEqual(seen.toSorted(), ['a', 'b', 'x']);
    await append(0, 'c');
    const second = start({ handle });
    await second.drain();
    assert.equal(await second.lag(), 0);
    await second.stop();
    assert.deepEqual(seen.slice(3), ['c']);
  });

  it('a consumer passes tombstones on, but no page that a tombstone of the same batch withdraws', async () => {
    const { append, forget, start } = await bench();
    await append(0, 'a', 'b', 'c');
    await forget(0, 'a', 'never-met');
    await forget(0, 'b');
    await append(0, 'b');
    const reported: string[] = [];
    const handle: ConsumerOptions<'pages'>['handle'] = (batch, { forgotten }) =>
      void reported.push(...batch.map((one) => `${one.value.title}@${one.offset}`), ...forgotten.map(({ url }) => url));
    const consumer = start({ handle });
    await consumer.drain();
    assert.deepEqual(reported, ['c@2', 'b@6', 'http://a.test/a', 'http://a.test/never-met']);
    await forget(0, 'c');
    await consumer.drain();
    assert.deepEqual(reported.slice(4), ['http://a.test/c']);
    assert.equal(consumer.stats().undecodable, 0);
    await consumer.stop();
  });

  it('a consumer takes an empty record for a tombstone only on the topic of pages; elsewhere it is unreadable', async () => {
    const { log, codec, letters: deadLetters } = await bench();
    await log.createTopics([{ name: 'c.results', partitions: 1, retention: 'time' }]);
    await log.append([{ topic: 'c.results', partition: 0, key: Buffer.from('a.test'), value: Buffer.alloc(0) }]);
    const consumer = startConsumer({
      log,
      codec,
      clock: new SystemClock(),
      crawl: 'c',
      group: 'g',
      topics: ['results'],
      positions: groupPositions(log, 'g'),
      handle: () => assert.fail('nothing is there to be handled'),
      deadLetter: async (given) => void deadLetters.push(...given.map(({ deadLetter }) => deadLetter)),
    });
    consumer.assign([0]);
    await consumer.drain();
    await consumer.stop();
    assert.deepEqual(
      deadLetters.map(({ reason, sourceTopic, sourceOffset }) => [reason, sourceTopic, sourceOffset]),
      [['undecodable', 'c.results', 0]],
    );
  });

  it('a consumer does not skip a page that must be forgotten and cannot be', async () => {
    const { forget, start, log, letters: deadLetters } = await bench();
    await forget(0, 'a');
    const failing = start({
      handle: () => {
        throw new Error('the disk is full');
      },
    });
    await assert.rejects(failing.ended, /the disk is full/);
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
    assert.deepEqual(deadLetters, []);
  });

  it('a consumer stops where the preparation of a batch fails, and blames no record', async () => {
    const { append, start, log, letters: deadLetters } = await bench();
    await append(0, 'a', 'b');
    const failing = start({
      handle: () => assert.fail('the batch is not prepared'),
      beforeBatch: () => Promise.reject(new Error('the log is away')),
    });
    await assert.rejects(failing.ended, /the log is away/);
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
    assert.deepEqual([deadLetters, failing.stats().retries], [[], 0]);
  });

  it('a consumer commits after its handler: records cut short by a stop come again', async () => {
    const { append, start, log } = await bench();
    await append(0, 'a', 'b');
    let attempts = 0;
    const failing = start({
      retriesMs: [60_000],
      handle: () => {
        attempts += 1;
        throw new Error('no');
      },
    });
    await until(() => attempts > 0);
    const drained = failing.drain();
    await failing.stop();
    await assert.rejects(drained, { code: 'STORE_CLOSED' });
    assert.equal(attempts, 1);
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
    const seen: string[] = [];
    const second = start({ handle: (batch) => void seen.push(...batch.map((one) => one.value.title)) });
    await second.drain();
    await second.stop();
    assert.deepEqual(seen, ['a', 'b']);
    assert.equal(await log.committed('g', 'c.pages', 0), 2);
  });

  it('a consumer retries a failing batch, then its records one by one, and dead-letters only those that fail alone', async () => {
    const { append, start, letters: deadLetters, codec } = await bench();
    await append(0, 'a', 'bad', 'c', 'junk', 'd');
    const alone: string[] = [];
    let whole = 0;
    const consumer = start({
      handle: (batch) => {
        if (batch.length > 1) whole += 1;
        if (batch.some((one) => one.value.title === 'bad')) throw new Error('cannot digest it');
        for (const { value } of batch) alone.push(value.title);
      },
    });
    await consumer.drain();
    await consumer.stop();
    assert.equal(whole, 3);
    assert.deepEqual(alone, ['a', 'c', 'd']);
    assert.deepEqual(
      deadLetters.map(({ reason, sourceOffset, url }) => [reason, sourceOffset, url]),
      [
        ['undecodable', 3, ''],
        ['consumerFailed', 1, 'http://a.test/bad'],
      ],
    );
    assert.match(deadLetters[1]!.detail, /^g: cannot digest it$/);
    assert.equal(codec.decode('pages', deadLetters[1]!.original).title, 'bad');
    const { records, retries, deadLettered, undecodable } = consumer.stats();
    assert.deepEqual(
      { records, retries, deadLettered, undecodable },
      { records: 5, retries: 2, deadLettered: 2, undecodable: 1 },
    );
  });

  it('a consumer dead-letters a failing record that is its whole batch', async () => {
    const { append, start, letters: deadLetters, log } = await bench();
    await append(0, 'bad');
    const consumer = start({
      handle: () => {
        throw new Error('cannot digest it');
      },
    });
    await consumer.drain();
    await consumer.stop();
    assert.deepEqual(
      deadLetters.map(({ reason, url }) => [reason, url]),
      [['consumerFailed', 'http://a.test/bad']],
    );
    assert.equal(await log.committed('g', 'c.pages', 0), 1);
  });

  it('a stopping consumer retries no further record alone: they come again, and none is a dead letter', async () => {
    const { append, start, letters: deadLetters, log } = await bench();
    await append(0, 'a', 'b', 'c');
    const alone: string[] = [];
    const consumer = start({
      retriesMs: [],
      handle: (batch) => {
        if (batch.length > 1) throw new Error('no');
        alone.push(batch[0]!.value.title);
        void consumer.stop();
      },
    });
    await consumer.ended;
    assert.deepEqual(alone, ['a']);
    assert.deepEqual(deadLetters, []);
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
  });

  it('a consumer ends with the error that kept its positions from being saved', async () => {
    const { append, start } = await bench();
    await append(0, 'a');
    const save = () => Promise.reject(new Error('the disk is full'));
    const consumer = start({ handle: () => {}, positions: { load: async () => 0, save } });
    await assert.rejects(consumer.drain(), /the disk is full/);
    await assert.rejects(consumer.stop(), /the disk is full/);
  });

  it('a consumer can stop at a failing record instead, and says why', async () => {
    const { append, start, letters: deadLetters } = await bench();
    await append(0, 'a');
    const consumer = start({
      whenFailed: 'stop',
      handle: () => {
        throw new Error('the index is gone');
      },
    });
    await assert.rejects(consumer.ended, /the index is gone/);
    await assert.rejects(consumer.drain(), /the index is gone/);
    assert.deepEqual(deadLetters, []);
  });

  it('a consumer replays from the start or from a time, or begins at the end', async () => {
    const { append, start } = await bench();
    await append(0, 'a');
    const betweenMs = Date.now() + 10;
    await new SystemClock().sleepUntil(betweenMs);
    await append(0, 'b');
    const titles = async (from: ConsumerOptions<'pages'>['from'] & {}) => {
      const seen: string[] = [];
      const consumer = start({ from, handle: (batch) => void seen.push(...batch.map((one) => one.value.title)) });
      await consumer.drain();
      await consumer.stop();
      return seen;
    };
    assert.deepEqual(await titles('committed'), ['a', 'b']);
    assert.deepEqual(await titles('committed'), []);
    assert.deepEqual(await titles('start'), ['a', 'b']);
    assert.deepEqual(await titles(new Date(betweenMs)), ['b']);
    assert.deepEqual(await titles('end'), []);
  });

  it('a consumer names the records lost when its position was trimmed away, and does not reset it', async () => {
    const { append, start, log } = await bench();
    await append(0, 'a', 'b', 'c');
    await log.commit('g', [{ topic: 'c.pages', partition: 0, offset: 1 }]);
    await log.trim('c.pages', 0, 2);
    const consumer = start({ handle: () => {} });
    await assert.rejects(
      consumer.ended,
      /g is at 1 of c\.pages\/0, but the topic has only 2 to 3.*read the topics from the start/,
    );
  });

  it('a consumer rejects a position beyond the end, as after a topic was recreated', async () => {
    const { append, start, log } = await bench();
    await append(0, 'a', 'b');
    const positions = { load: async (_: string, partition: number) => (partition === 0 ? 3 : 0), save: async () => {} };
    const consumer = start({ handle: () => {}, positions });
    await assert.rejects(consumer.ended, /g is at 3 of c\.pages\/0, but the topic has only 0 to 2/);
    assert.equal((await log.offsets('c.pages', 0)).end, 2);
    const atTheEnd = start({ handle: () => {}, positions: { ...positions, load: async (_, p) => (p === 0 ? 2 : 0) } });
    await atTheEnd.drain();
    await atTheEnd.stop();
  });

  it('a consumer saves no position before the dead letter of its record is durable', async () => {
    const { append, start, log } = await bench();
    await append(0, 'junk', 'a');
    const kept: (() => void)[] = [];
    const consumer = start({ handle: () => {}, deadLetter: () => new Promise<void>((resolve) => kept.push(resolve)) });
    await until(() => kept.length > 0);
    // As long as one could wish to commit.
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
    for (const resolve of kept) resolve();
    await consumer.drain();
    assert.equal(await log.committed('g', 'c.pages', 0), 2);
    await consumer.stop();
  });

  it('a consumer loses no record whose dead letter could not be written', async () => {
    const { append, start, log } = await bench();
    await append(0, 'junk');
    const consumer = start({ handle: () => {}, deadLetter: () => Promise.reject(new Error('the disk is full')) });
    await assert.rejects(consumer.ended, /the disk is full/);
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
  });
});
