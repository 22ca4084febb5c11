import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openReadOnlyLog } from '../../../../services/runtime/log/read-only.ts';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';
import { storesOnDisk } from '../store/stores-on-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const coded = (code: ErrorCode) => (error: unknown) => error instanceof CrawlstreamError && error.code === code;
const clock = new SystemClock();

for (const { name, open } of storesOnDisk) {
  describe(`read-only log on ${name}`, () => {
    it('a read-only log reads everything in order, without a hole, beside the writing process', async () => {
      const folder = join(temporaryFolder(), 'log');
      const writer = fileURLToPath(new URL('./kill-writer.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', writer, folder, '2'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, CRAWLSTREAM_STORE: name },
      });
      let acked = -1;
      try {
        await new Promise<void>((resolve) => {
          child.stdout.on('data', (chunk: Buffer) => {
            const lines = chunk
              .toString()
              .split('\n')
              .filter((line) => line.startsWith('0 '));
            for (const line of lines.slice(0, -1)) acked = Math.max(acked, Number(line.slice(2)));
            if (acked > 50) resolve();
          });
        });
        await assert.rejects(open(folder), coded('DATA_FOLDER_LOCKED'));
        const log = await openReadOnlyLog(folder, clock);
        assert.deepEqual(log.topics(), [{ name: 't', partitions: 2, retention: 'state' }]);
        const reader = log.reader();
        reader.seek('t', 0, 0);
        reader.seek('t', 1, 0);
        const next = [0, 0];
        const endMs = Date.now() + 2500;
        while (Date.now() < endMs) {
          for (const { partition, offset, value } of await reader.poll({ maxBytes: 300_000, waitMs: 1000 })) {
            assert.equal(offset, next[partition]);
            next[partition] = offset + 1;
            assert.equal(value.toString('latin1', 0, value.indexOf(' ')), `${partition}:${offset}`);
          }
        }
        const ackedBefore = acked;
        await log.refresh();
        assert.ok((await log.offsets('t', 0)).end > ackedBefore, 'what was acknowledged before a refresh is seen');
        assert.ok((next[0] as number) > 100);
        assert.ok((await log.last('t', 1))?.offset);
        await log.close();
        assert.equal(child.exitCode, null, 'the writer took no notice');
      } finally {
        child.kill('SIGKILL');
        await new Promise((resolve) => child.once('exit', resolve));
      }
    });

    it('a read-only log refuses to write, and reports a missing store', async () => {
      const folder = temporaryFolder();
      const store = await open(join(folder, 'a'));
      await store.close();
      const readOnly = await open(join(folder, 'a'), { readOnly: true });
      await assert.rejects(readOnly.write([{ key: Buffer.from('k'), value: null }]), coded('UNSUPPORTED'));
      await readOnly.close();
      mkdirSync(join(folder, 'empty'));
      await assert.rejects(openReadOnlyLog(join(folder, 'empty'), clock), coded('STORE_FAILED'));
      await assert.rejects(openReadOnlyLog(join(folder, 'none'), clock), coded('STORE_FAILED'));
    });
  });
}
