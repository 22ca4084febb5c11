import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startCommand } from '../../../../lab/process/command.ts';
import { until } from '../../until.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const script = fileURLToPath(new URL('scratch-user.ts', import.meta.url));

for (const [what, how, signal, code] of [
  ['that exits', 'exit', null, 3],
  ['that ends with a fault', 'fault', null, 1],
  ['that SIGTERM ends', 'wait', 'SIGTERM', 143],
  ['that SIGINT ends', 'wait', 'SIGINT', 130],
  ['that SIGHUP ends', 'wait', 'SIGHUP', 129],
  ['that drains on SIGTERM', 'drain', 'SIGTERM', 0],
] as const)
  test(`a process ${what} leaves no scratch folder`, async () => {
    const above = temporaryFolder();
    const running = startCommand([above, how], { script });
    if (signal !== null) {
      await until(() => running.output().includes('crawl-') || running.child.exitCode !== null);
      assert.equal(readdirSync(above).length, 1);
      running.child.kill(signal);
    }
    assert.equal((await running.ended).code, code);
    assert.deepEqual(readdirSync(above), []);
  });
