/** The one reader of all flows of a process, over a log that fails as the test asks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import { FlowPump } from '../../../../../services/runtime/log/folded/flow-pump.ts';
import type { FlowTail } from '../../../../../services/runtime/log/folded/flow-tail.ts';
import { fold } from '../../../../../services/runtime/log/folded/fold.ts';
import type { LogReader } from '../../../../../services/runtime/log/log.ts';
import { LogTruncated } from '../../../../../services/runtime/log/log-truncated.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { until } from '../../../until.ts';

/** Two flows of two partitions, over a log that a test makes fail. */
async function open(tailBytes = 1 << 20) {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  const flows = ['f.c.flow', 'f.cc.flow'];
  await log.createTopics(flows.map((name) => ({ name, partitions: 2, retention: 'state' as const })));
  const readers: { isOpen: boolean; readonly dropped: string[]; polls: number }[] = [];
  const faults: (() => Promise<unknown>)[] = [];
  let offsets = log.offsets.bind(log);
  const reader = (): LogReader => {
    const own = log.reader();
    const seen = { isOpen: true, dropped: [] as string[], polls: 0 };
    readers.push(seen);
    return {
      ...own,
      drop: (topic, partition) => {
        seen.dropped.push(`${topic}/${partition}`);
        own.drop(topic, partition);
      },
      poll: async (options) => {
        seen.polls += 1;
        const records = await own.poll(options);
        if (records.length > 0 && faults.length > 0) throw await faults.shift()!();
        return records;
      },
      close: () => {
        seen.isOpen = false;
        return own.close();
      },
      wake: () => own.wake(),
    };
  };
  const pump = new FlowPump({ reader, offsets: (topic, partition) => offsets(topic, partition) }, tailBytes);
  const append = async (crawl: 'c' | 'cc', text: string, partition = 0) => {
    await log.append([fold({ topic: `f.${crawl}.results`, partition, key: null, value: Buffer.from(text) })]);
  };
  return {
    ...{ log, pump, readers, append },
    /** The next poll that has records fails, and loses them. `before` runs first. */
    failNext: (error: unknown, before?: () => Promise<void>) =>
      faults.push(async () => {
        await before?.();
        return error;
      }),
    /** How the log answers from now on; absent: as it is. */
    answerOffsets: (answer = log.offsets.bind(log)) => {
      offsets = answer;
    },
    close: async () => {
      await pump.close();
      await log.close();
    },
  };
}

const textsOf = (tail: FlowTail) => [...tail.since('results', 0)].map(({ value }) => value.toString());
const flow = 'f.c.flow';
const other = 'f.cc.flow';

test('all flows and partitions of a process share one reader, and each partition has one tail', async () => {
  const { pump, readers, append, close } = await open();
  await append('c', 'early');
  const tails = await Promise.all([pump.tail(flow, 0), pump.tail(flow, 0), pump.tail(flow, 1), pump.tail(other, 0)]);
  assert.equal(tails[0], tails[1]);
  assert.equal(pump.known(flow, 0), tails[0]);
  assert.equal(pump.known(other, 1), undefined);
  await append('c', 'late');
  await append('c', 'elsewhere', 1);
  await append('cc', 'another crawl');
  await until(() => tails[0]!.readTo === 2 && tails[2]!.readTo === 1 && tails[3]!.readTo === 1);
  assert.deepEqual(textsOf(tails[0]!), ['early', 'late']);
  assert.deepEqual(textsOf(tails[2]!), ['elsewhere']);
  assert.deepEqual(textsOf(tails[3]!), ['another crawl']);
  assert.equal(readers.length, 1);
  await close();
});

test('a tail holds its newest records, in so many bytes as the process gives each', async () => {
  const heldOf = async (tailBytes: number) => {
    const { pump, append, close } = await open(tailBytes);
    const tail = await pump.tail(flow, 0);
    for (let n = 0; n < 10; n++) {
      await append('c', `record ${n}`);
      await until(() => tail.readTo === n + 1);
    }
    await close();
    return textsOf(tail);
  };
  const all = Array.from({ length: 10 }, (_, n) => `record ${n}`);
  assert.deepEqual(await heldOf(1 << 20), all);
  const some = await heldOf(600);
  assert.ok(some.length > 0 && some.length < 10);
  assert.deepEqual(some, all.slice(-some.length));
});

test('a flow that could not be opened is opened by the next call', async () => {
  const { pump, answerOffsets, close } = await open();
  const fault = new Error('no answer');
  answerOffsets(() => Promise.reject(fault));
  await assert.rejects(pump.tail(flow, 0), fault);
  assert.equal(pump.known(flow, 0), undefined);
  answerOffsets();
  assert.equal((await pump.tail(flow, 0)).isClosed, false);
  await close();
});

test('after an error of the reader, sound flows are read on by another one, each record once', async () => {
  const { pump, readers, append, failNext, close } = await open();
  const [tail, second] = [await pump.tail(flow, 0), await pump.tail(other, 1)];
  await append('c', 'a');
  await until(() => tail.readTo === 1);
  failNext(new Error('a broken connection'));
  await append('c', 'b');
  await append('cc', 'c', 1);
  await until(() => tail.readTo === 2 && second.readTo === 1);
  assert.deepEqual([textsOf(tail), textsOf(second)], [['a', 'b'], ['c']]);
  assert.deepEqual([tail.isClosed, tail.failures, second.failures], [false, 0, 0]);
  assert.deepEqual(
    readers.map(({ isOpen }) => isOpen),
    [false, true],
  );
  await close();
});

test('readers of all flows get the error of brokers that cannot be reached, and the flows are read on', async () => {
  const { pump, append, failNext, close } = await open();
  const [tail, second] = [await pump.tail(flow, 0), await pump.tail(other, 0)];
  const fault = new CrawlstreamError('BROKER_UNREACHABLE', 'no broker answers');
  failNext(fault);
  await append('c', 'a');
  await until(() => tail.readTo === 1);
  for (const one of [tail, second])
    assert.deepEqual([one.failure, one.failures, one.isClosed], [fault, 1, false], one.flow);
  await close();
});

test('a flow that has lost records is ended alone, and read from its beginning at its next use', async () => {
  const { pump, append, failNext, close } = await open();
  const [tail, second] = [await pump.tail(flow, 0), await pump.tail(other, 0)];
  await append('c', 'a');
  await until(() => tail.readTo === 1);
  failNext(new LogTruncated(flow, 0, { end: 1, leaderEpoch: 1 }, 0));
  await append('cc', 'b');
  await until(() => tail.isClosed && second.readTo === 1);
  assert.equal(second.isClosed, false);
  assert.equal(pump.known(flow, 0), undefined);
  const next = await pump.tail(flow, 0);
  assert.notEqual(next, tail);
  await until(() => next.readTo === 1);
  assert.deepEqual(textsOf(next), ['a']);
  await close();
});

test('after an error, a flow that was trimmed beyond what was read is ended, and others are read on', async () => {
  const { log, pump, append, failNext, close } = await open();
  const [tail, second] = [await pump.tail(flow, 0), await pump.tail(other, 0)];
  failNext(new Error('a broken connection'), () => log.trim(flow, 0, 1));
  await append('c', 'a');
  await until(() => tail.isClosed);
  await append('cc', 'b');
  await until(() => second.readTo === 1);
  assert.equal(second.isClosed, false);
  assert.equal((await pump.tail(flow, 0)).start, 1);
  await close();
});

const broken = {
  'ends before what was read': async () => ({ start: 0, end: 0 }),
  'has a range that nobody knows': () => Promise.reject(new Error('no answer')),
};
for (const [how, answer] of Object.entries(broken))
  test(`after an error, a flow that ${how} is ended`, async () => {
    const { pump, append, failNext, answerOffsets, close } = await open();
    const tail = await pump.tail(flow, 0);
    await append('c', 'a');
    await until(() => tail.readTo === 1);
    answerOffsets(answer);
    failNext(new Error('a broken connection'));
    await append('c', 'b');
    await until(() => tail.isClosed);
    assert.deepEqual([tail.readTo, pump.known(flow, 0)], [1, undefined]);
    await close();
  });

test('a closed log ends all flows', async () => {
  const { log, pump, append, failNext, readers } = await open();
  const tails = [await pump.tail(flow, 0), await pump.tail(other, 1)];
  failNext(new CrawlstreamError('STORE_CLOSED', 'the log is closed'));
  await append('c', 'a');
  await until(() => tails.every(({ isClosed }) => isClosed));
  assert.equal(pump.known(flow, 0), undefined);
  await until(() => readers.every(({ isOpen }) => !isOpen));
  await pump.close();
  await log.close();
});

test('a released flow is read no more, and flows with a longer name are', async () => {
  const { pump, readers, append, close } = await open();
  const tails = [await pump.tail(flow, 0), await pump.tail(flow, 1)];
  const second = await pump.tail(other, 0);
  pump.release(flow);
  assert.deepEqual(
    [...tails, second].map(({ isClosed }) => isClosed),
    [true, true, false],
  );
  assert.deepEqual(readers[0]!.dropped, ['f.c.flow/0', 'f.c.flow/1']);
  assert.deepEqual([pump.known(flow, 0), pump.known(flow, 1), pump.known(other, 0)], [undefined, undefined, second]);
  assert.equal(await pump.tail(other, 0), second);
  await append('cc', 'a');
  await until(() => second.readTo === 1);
  const next = await pump.tail(flow, 0);
  assert.notEqual(next, tails[0]);
  await append('c', 'b');
  await until(() => next.readTo === 1);
  assert.equal(readers.length, 1);
  await close();
});

test('a flow that is released while it is opened has an ended tail, and the next call opens another', async () => {
  const { pump, readers, append, close } = await open();
  const opening = pump.tail(flow, 0);
  pump.release(flow);
  const next = await pump.tail(flow, 0);
  assert.equal((await opening).isClosed, true);
  assert.equal(pump.known(flow, 0), next);
  await append('c', 'a');
  await until(() => next.readTo === 1);
  assert.deepEqual([textsOf(next), readers.length], [['a'], 1]);
  await close();
});

test('a flow that is opened across a close has an ended tail, and no reader', async () => {
  const { log, pump, readers } = await open();
  const opening = pump.tail(flow, 0);
  await Promise.all([opening, pump.close()]);
  assert.deepEqual([(await opening).isClosed, pump.known(flow, 0), readers.length], [true, undefined, 0]);
  const { isClosed } = await pump.tail(flow, 1);
  assert.deepEqual([isClosed, readers.length], [true, 0]);
  await log.close();
});

test('the reader is closed once no flow is left, and a later flow gets another one', async () => {
  const { pump, readers, append, close } = await open();
  await pump.tail(flow, 0);
  pump.release(flow);
  await until(() => !readers[0]!.isOpen);
  const tail = await pump.tail(flow, 0);
  await append('c', 'a');
  await until(() => tail.readTo === 1);
  assert.deepEqual(
    readers.map(({ isOpen }) => isOpen),
    [false, true],
  );
  await close();
});

test('a close ends the tails and the reader, and nothing is read after it', async () => {
  const { pump, readers, append, log } = await open();
  const tail = await pump.tail(flow, 0);
  await until(() => readers[0]!.polls > 0);
  await pump.close();
  assert.deepEqual([tail.isClosed, readers[0]!.isOpen, pump.known(flow, 0)], [true, false, undefined]);
  const { polls } = readers[0]!;
  await append('c', 'a');
  assert.deepEqual([readers[0]!.polls, readers.length, tail.readTo], [polls, 1, 0]);
  await log.close();
});

test('a close during the wait after an error opens no further reader', async () => {
  const { pump, readers, append, failNext, log } = await open();
  await pump.tail(flow, 0);
  failNext(new Error('a broken connection'));
  await append('c', 'a');
  await until(() => !readers[0]!.isOpen);
  await pump.close();
  assert.equal(readers.length, 1);
  await log.close();
});
