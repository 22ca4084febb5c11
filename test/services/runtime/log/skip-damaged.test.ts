import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Losses } from '../../../../services/hosting/connect/losses.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { LostRecords } from '../../../../services/runtime/log/embedded-reader.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

const records = 200;

/** A log of one partition that lacks some rows, and can't read others. */
async function damaged(missing: (offset: number) => boolean, unreadable: (offset: number) => boolean) {
  const store = createMemoryStore();
  const clock = new SystemClock();
  const log = await openEmbeddedLog(store, clock);
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  for (let n = 0; n < records; n++)
    await log.append([{ topic: 't', partition: 0, key: null, value: Buffer.from(`${n}`) }]);
  await log.close();
  const ops = [];
  for await (const [key, value] of store.scan({ gte: Buffer.from('Lr'), lt: Buffer.from('Ls') }))
    if (missing(Number(value.toString()))) ops.push({ key, value: null });
  await store.write(ops);
  const broken: StateStore = {
    ...store,
    async *scan(range) {
      for await (const row of store.scan(range)) {
        const isRecord = row[0].subarray(0, 2).toString() === 'Lr';
        if (isRecord && unreadable(Number(row[1].toString())) && range.reverse !== true)
          throw new CrawlstreamError('STORE_FAILED', 'Corruption: block checksum mismatch');
        yield row;
      }
    },
  };
  const lost: LostRecords[] = [];
  const opened = await openEmbeddedLog(broken, clock, { tailBytes: 0, onLost: (one) => void lost.push(one) });
  const reader = opened.reader();
  reader.seek('t', 0, 0);
  const values: number[] = [];
  let last = -1;
  for (const { end } = await opened.offsets('t', 0); last < end - 1; ) {
    const polled = await reader.poll({ maxBytes: 100_000, waitMs: 0 });
    for (const { value } of polled) values.push(Number(value.toString()));
    last = Math.max(last, values.at(-1) ?? -1, ...lost.map(({ to }) => to - 1));
  }
  await opened.close();
  return { values, lost: lost.map(({ from, to }) => [from, to]) };
}

const whole = (lost: (offset: number) => boolean) =>
  Array.from({ length: records }, (_, n) => n).filter((n) => !lost(n));

it('a reader that skips damage reads all other records, in order, and counts the skipped ones', async () => {
  for (const [from, to] of [
    [0, 1],
    [0, 7],
    [17, 18],
    [17, 90],
    [150, 199],
  ] as const) {
    const isLost = (n: number) => n >= from && n < to;
    for (const found of [await damaged(isLost, () => false), await damaged(() => false, isLost)]) {
      assert.deepEqual(found.values, whole(isLost), `${from} to ${to}`);
      assert.deepEqual(found.lost, [[from, to]]);
    }
  }
});

it('several damaged stretches are skipped one by one', async () => {
  const isLost = (n: number) => (n >= 10 && n < 13) || n === 40 || (n >= 100 && n < 140);
  const { values, lost } = await damaged(
    (n) => n === 40,
    (n) => n !== 40 && isLost(n),
  );
  assert.deepEqual(values, whole(isLost));
  assert.equal(
    lost.reduce((sum, [from, to]) => sum + to! - from!, 0),
    44,
  );
});

it('lost records that are read twice are counted once', (t) => {
  const said: string[] = [];
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0);
  const losses = new Losses();
  const partition = { topic: 'c.pages', partition: 0 };
  for (const _ of [1, 2]) losses.onRecords({ partition, from: 3, to: 7 });
  losses.onFile({ file: '/d/log/000004.log', offset: 714, bytesBehind: 20 });
  losses.report();
  assert.match(
    said.join(''),
    /skipped as damaged: 4 records \(4 of c\.pages\/0\)\n.*the 20 bytes of \/d\/log\/000004\.log from byte 714 on/,
  );
});
