import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { storesOnDisk } from '../store/stores-on-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const writer = fileURLToPath(new URL('./kill-writer.ts', import.meta.url));
const partitions = 3;

for (const { name, open } of storesOnDisk) {
  it(`the log keeps every acknowledged record over ten kills at random moments, without a hole, on ${name}`, async (t) => {
    const folder = join(temporaryFolder(), 'log');
    const acked = Array.from({ length: partitions }, () => 0);
    const sizes: number[] = [];
    for (let kill = 0; kill < 10; kill++) {
      const child = spawn(process.execPath, ['--import', 'tsx', writer, folder, String(partitions)], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, CRAWLSTREAM_STORE: name },
      });
      let out = '';
      const exited = new Promise((resolve) => child.once('exit', resolve));
      const started = new Promise<void>((resolve, reject) => {
        child.stdout.on('data', (chunk) => {
          out += chunk;
          resolve();
        });
        child.once('exit', () => reject(new Error('the writer ended by itself')));
      });
      await started;
      await sleep(Math.random() * 250);
      child.kill('SIGKILL');
      await exited;
      // What was printed was acknowledged; a last line cut short does not count.
      for (const line of out.slice(0, out.lastIndexOf('\n')).split('\n')) {
        const [partition, offset] = line.split(' ').map(Number);
        acked[partition as number] = Math.max(acked[partition as number] as number, (offset as number) + 1);
      }

      const store = await open(folder);
      const log = await openEmbeddedLog(store, new SystemClock());
      const ends: number[] = [];
      for (let partition = 0; partition < partitions; partition++) {
        const { start, end } = await log.offsets('t', partition);
        ends.push(end);
        assert.equal(start, 0);
        assert.ok(
          end >= (acked[partition] as number),
          `partition ${partition}: ${acked[partition]} acked, ${end} there`,
        );
        assert.ok(((await log.committed('g', 't', partition)) ?? 0) <= end);
        const reader = log.reader();
        reader.seek('t', partition, 0);
        for (let next = 0; next < end; ) {
          for (const { offset, value } of await reader.poll({ maxBytes: 1 << 20, waitMs: 0 })) {
            assert.equal(offset, next++);
            assert.equal(value.toString('latin1', 0, value.indexOf(' ')), `${partition}:${offset}`);
          }
        }
      }
      assert.equal(new Set(ends).size, 1, 'each append spans all partitions, and is whole or not there');
      sizes.push(ends[0] as number);
      await log.close();
      await store.close();
    }
    t.diagnostic(`records per partition after each kill: ${sizes.join(', ')}`);
    assert.ok((sizes.at(-1) as number) > (sizes[0] as number));
  });
}
