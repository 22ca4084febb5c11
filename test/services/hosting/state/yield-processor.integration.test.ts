import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { yieldProcessor } from '../../../../services/hosting/state/yield-processor.ts';

test('a process beside a crawl yields the processor, and a missing one does no harm', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'inherit'] });
  yieldProcessor(child);
  assert.equal(getPriority(child.pid!), Math.min(19, getPriority() + 10));
  child.stdin.end();
  await once(child, 'exit');
  yieldProcessor(child);
  yieldProcessor({ pid: undefined });
});
