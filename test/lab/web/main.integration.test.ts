import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CheckReport } from '../../../lab/web/check.ts';
import { getFromLoopback } from '../../../lab/web/naive-crawl.ts';

const main = fileURLToPath(new URL('../../../lab/web/main.ts', import.meta.url));
const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, ['--import', 'tsx', main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });

const readReport = async (response: Response) => (await response.json()) as CheckReport;

test('the server says where it listens, reports, resets, and ends with its standard input', async () => {
  const child = start('--hosts', '4', '--pages', '3', '--preset', 'plain', '--set', 'domains=2', '--exit-with-stdin');
  try {
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const ready = JSON.parse(line);
    assert.equal(ready.seeds.length, 2);
    assert.deepEqual(ready.resolve, [`*.test:${ready.port}:127.0.0.1`]);
    assert.equal((await getFromLoopback(new URL(ready.seeds[0]))).status, 200);
    const control = (what: string) => fetch(ready.control + what, { method: 'POST' });

    const report = await readReport(await control('report?delayMs=250'));
    assert.deepEqual([report.requests, report.expected, report.fetched], [1, 12, 1]);
    assert.equal(report.robotsViolations.count, 1);
    assert.equal((await control('report?delayMs=soon')).status, 400);
    const records = (await (await control('requests')).text()).trim().split('\n');
    assert.equal(JSON.parse(records[0]!).path, '/');
    await control('reset');
    assert.equal((await readReport(await control('report'))).requests, 0);

    const ended = once(child, 'exit');
    child.stdin!.end();
    assert.deepEqual(await ended, [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('the server ends on SIGTERM, even with connections open', async () => {
  const child = start('--hosts', '1', '--pages', '1');
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  await fetch(`${JSON.parse(line).control}report`, { method: 'POST' });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('a bad option is named in one line, and the exit code is 2', async () => {
  const child = start('--set', 'redirects=much');
  let said = '';
  child.stderr!.on('data', (chunk) => (said += chunk));
  assert.deepEqual(await once(child, 'close'), [2, null]);
  assert.match(said.split('\n')[0]!, /--set redirects must be a number, not "much"/);
});
