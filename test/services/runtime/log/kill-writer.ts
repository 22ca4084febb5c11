/** Appends without end and prints each acknowledged offset, until it is killed. Arguments: folder, partitions. */
import { writeSync } from 'node:fs';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';

const [folder = '', count = '1'] = process.argv.slice(2);
const partitions = Number(count);
// Small buffers and segments, so that kills also meet flushes and new segments.
const store = await openStateStore(folder, { writeBufferBytes: 256 << 10 });
const log = await openEmbeddedLog(store, new SystemClock(), { segmentBytes: 400_000 });
await log.createTopics([{ name: 't', partitions, retention: 'state' }]);
let next = (await log.offsets('t', 0)).end;

/** At once, before the next append: a pipe whose reader lags is full for a moment. */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

async function appendForever() {
  for (;;) {
    const offset = next++;
    const records = Array.from({ length: partitions }, (_, partition) => ({
      topic: 't',
      partition,
      key: Buffer.from(`key ${offset}`),
      value: Buffer.from(`${partition}:${offset} ${'x'.repeat((offset * 37) % 2000)}`),
    }));
    const offsets = await log.append(records);
    offsets.forEach((acked, partition) => {
      print(`${partition} ${acked}\n`);
    });
    if (offset % 10 === 0) await log.commit('g', [{ topic: 't', partition: 0, offset }]);
  }
}
await Promise.all(Array.from({ length: 8 }, appendForever));
