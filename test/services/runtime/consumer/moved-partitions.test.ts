import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../../../services/runtime/avro/schema-registry.ts';
import type { ConsumerOptions } from '../../../../services/runtime/consumer/consumer.ts';
import { groupPositions, ownPositions } from '../../../../services/runtime/consumer/positions.ts';
import type { Position } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { until } from '../../until.ts';
import { bench } from './bench.ts';

type Handle = ConsumerOptions<'pages'>['handle'];

/** Resolves when it is told to. */
function gate() {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe('a consumer whose partitions move', () => {
  it('a consumer hands over a partition, and continues it later where it was left', async () => {
    const { append, start } = await bench();
    await append(0, 'a');
    await append(1, 'x');
    const seen: string[] = [];
    const consumer = start({ handle: (batch) => void seen.push(...batch.map((one) => one.value.title)) });
    await consumer.drain();
    consumer.assign([1]);
    await append(0, 'b');
    await append(1, 'y');
    await consumer.drain();
    assert.deepEqual(seen.slice(2), ['y']);
    consumer.assign([0, 1]);
    await consumer.drain();
    await consumer.stop();
    assert.deepEqual(seen.slice(3), ['b']);
  });

  it('a consumer handles nothing more of a partition that has moved, and saves no position of it', async () => {
    const { append, start, log } = await bench();
    await append(0, 'a', 'b', 'c');
    const seen: string[] = [];
    const first = gate();
    const handle: Handle = async (batch) => {
      seen.push(...batch.map((one) => one.value.title));
      if (seen.length === 1) await first.passed;
    };
    const consumer = start({ handle, batchRecords: 1 });
    await until(() => seen.length === 1);
    consumer.assign([1]);
    first.open();
    await append(1, 'x');
    await consumer.drain();
    assert.deepEqual(seen, ['a', 'x']);
    assert.deepEqual(consumer.positions(), [{ topic: 'c.pages', partition: 1, offset: 1 }]);
    assert.equal(await log.committed('g', 'c.pages', 0), undefined);
    consumer.assign([0, 1]);
    await consumer.drain();
    assert.deepEqual(seen, ['a', 'x', 'a', 'b', 'c']);
    await consumer.stop();
  });

  it('a consumer handles nothing behind an undecodable record once its partition has moved', async () => {
    const { append, start, log } = await bench();
    // A registry that another release writes to as well.
    const codec = await openCodec({ ...createEmbeddedRegistry(createMemoryStore()), isWhole: false }, 'c');
    await append(0, 'a');
    const { value } = (await log.last('c.pages', 0))!;
    await log.append([{ topic: 'c.pages', partition: 0, key: null, value: withSchema(value, 99) }]);
    await append(0, 'b');
    const seen: string[] = [];
    const handle: Handle = (batch) => void seen.push(...batch.map((one) => one.value.title));
    const consumer = start({ handle, codec });
    await until(() => codec.waits.waitsFor !== null);
    consumer.assign([1]);
    await append(1, 'x');
    await consumer.drain();
    assert.deepEqual(seen.toSorted(), ['a', 'x']);
    await consumer.stop();
  });

  it('a consumer saves positions next time if another member’s partition prevented that, and continues', async () => {
    const { append, start, log } = await bench();
    const positions = groupPositions(log, 'g');
    const said: Position[][] = [];
    const save = async (given: readonly Position[]) => {
      said.push([...given]);
      if (said.length === 1) throw new CrawlstreamError('OWNERSHIP_LOST', 'partition 0 is another member’s');
      await positions.save(given);
    };
    const consumer = start({ handle: () => {}, positions: { load: positions.load, save } });
    await append(1, 'x');
    await until(() => said.length === 1);
    await append(0, 'a');
    await consumer.drain();
    assert.equal(await log.committed('g', 'c.pages', 1), 1);
    await consumer.stop();
  });

  it('a consumer does not save the position of a moved partition later', async () => {
    const { append, start } = await bench();
    const said: Position[][] = [];
    const save = async (given: readonly Position[]) => {
      said.push([...given]);
      if (said.length === 1) throw new CrawlstreamError('OWNERSHIP_LOST', 'partition 0 is another member’s');
    };
    const consumer = start({ handle: () => {}, positions: { load: async () => 0, save } });
    await append(0, 'a');
    await until(() => said.length === 1);
    consumer.assign([1]);
    await append(1, 'x');
    await consumer.drain();
    assert.deepEqual(said.slice(1), [[{ topic: 'c.pages', partition: 1, offset: 1 }]]);
    await consumer.stop();
  });

  it('a consumer uses its start position only once: a partition that returns continues', async () => {
    const { append, start } = await bench();
    await append(0, 'a');
    const seen: string[] = [];
    const handle: Handle = (batch) => void seen.push(...batch.map((one) => one.value.title));
    const consumer = start({ handle, from: 'start' });
    await consumer.drain();
    consumer.assign([1]);
    consumer.assign([0, 1]);
    await append(0, 'b');
    await consumer.drain();
    await consumer.stop();
    assert.deepEqual(seen, ['a', 'b']);
  });

  it('a consumer does not start a partition that moved before its position was known', async () => {
    const { append, start } = await bench();
    await append(0, 'a');
    const asked = gate();
    const load = async (_: string, partition: number) => {
      if (partition === 0) await asked.passed;
      return 0;
    };
    const consumer = start({ handle: () => assert.fail('it is not ours'), positions: { load, save: async () => {} } });
    consumer.assign([1]);
    asked.open();
    await consumer.drain();
    assert.deepEqual(consumer.positions(), [{ topic: 'c.pages', partition: 1, offset: 0 }]);
    await consumer.stop();
  });
});

it('a consumer that keeps positions with its state uses those, and commits them to its group', async () => {
  const { log, append } = await bench();
  await append(0, 'a', 'b');
  const own = { load: async () => 1 };
  const positions = ownPositions(own, groupPositions(log, 'g'));
  await positions.save([{ topic: 'c.pages', partition: 0, offset: 2 }]);
  assert.equal(await positions.load('c.pages', 0), 1);
  assert.equal(await log.committed('g', 'c.pages', 0), 2);
});

/** The same record as if another schema had written it (Confluent’s framing: a zero, then the id). */
function withSchema(value: Uint8Array, id: number): Buffer {
  const other = Buffer.from(value);
  other.writeUInt32BE(id, 1);
  return other;
}
