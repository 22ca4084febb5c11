import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../lab/process/command.ts';
import type { CheckReport } from '../../../lab/web/check.ts';
import { getFromLoopback } from '../../../lab/web/naive-crawl.ts';
import { noOpenssl } from '../../services/runtime/http/own-certificate.ts';

const main = fileURLToPath(new URL('../../../lab/web/main.ts', import.meta.url));
const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, ['--import', 'tsx', main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });

const readReport = async (response: Response) => (await response.json()) as CheckReport;

test('the web server prints its address, reports, resets, and ends with its standard input', async () => {
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

for (const [tls, version] of [
  [1, 'h1'],
  [2, 'h2'],
] as const)
  test(`a web over TLS is crawled whole by ${version}, trusted by its certificate`, { skip: noOpenssl }, async () => {
    const web = ['--hosts', '6', '--pages', '10', '--preset', 'messy', '--set', `tls=${tls}`, '--exit-with-stdin'];
    const child = start(...web);
    const data = await mkdtemp(join(tmpdir(), 'crawlstream-tls-web-'));
    try {
      const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
      const { seeds, resolve, certificate, control } = JSON.parse(line);
      const reach = [...resolve.flatMap((one: string) => ['--resolve', one]), '--ca', certificate];
      const crawled = await runCommand(['crawl', ...seeds, ...reach, '--delay', '0', '--data', join(data, 'crawl')]);
      assert.equal(crawled.code, 0, crawled.stderr);
      const report = await readReport(await fetch(`${control}report?delayMs=0`, { method: 'POST' }));
      assert.ok(report.ok && report.fetched > 60, JSON.stringify(report));

      const [host] = new URL(seeds[0]).host.split(':');
      const ca = await readFile(certificate);
      const socket = connect({
        host: '127.0.0.1',
        port: Number(new URL(seeds[0]).port),
        servername: host!,
        ca,
        ALPNProtocols: ['h2', 'http/1.1'],
      });
      await once(socket, 'secureConnect');
      assert.equal(socket.alpnProtocol, tls === 2 ? 'h2' : 'http/1.1');
      socket.destroy();
    } finally {
      child.kill('SIGKILL');
      await rm(data, { recursive: true });
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

test('an invalid option is named in one line, and the exit code is 2', async () => {
  const child = start('--set', 'redirects=much');
  let said = '';
  child.stderr!.on('data', (chunk) => (said += chunk));
  assert.deepEqual(await once(child, 'close'), [2, null]);
  assert.match(said.split('\n')[0]!, /--set redirects must be a number, not "much"/);
});
