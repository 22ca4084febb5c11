import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { awaitConsumersGone, holdConsumersLock } from '../../../../services/application/workers/consumers-lock.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const lock = import.meta.resolve('../../../../services/application/workers/consumers-lock.ts');

test('a folder without running consumers is not waited for, and has none afterwards', async () => {
  const folder = join(temporaryFolder(), 'consumers');
  await awaitConsumersGone(folder);
  assert.ok(!existsSync(folder));
});

test('the next process waits for the end of the one that holds the consumers', async () => {
  const folder = join(temporaryFolder(), 'consumers');
  const program = `const { holdConsumersLock } = await import(${JSON.stringify(lock)});
await holdConsumersLock(${JSON.stringify(folder)});
process.stdout.write('held');
setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  let isGone = false;
  const gone = awaitConsumersGone(folder).then(() => (isGone = true));
  const next = gone.then(() => holdConsumersLock(folder));
  // As many looks as it takes to be sure that it looks again.
  for (let looks = 0; looks < 200; looks++) await new Promise(setImmediate);
  assert.equal(isGone, false);
  child.kill('SIGKILL');
  await gone;
  await (await next).close();
});
