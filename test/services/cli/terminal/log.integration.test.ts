import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { listening } from '../listening.ts';
import { startSmallWeb } from '../small-web.ts';

interface Line {
  readonly level: string;
  readonly time: string;
  readonly service: string;
  readonly msg: string;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly 'url.full'?: string;
}

function linesOf(stderr: string): Line[] {
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test('with --log json all that is said is JSON lines, with the traces of traced URLs', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 3, domains: 2 });
  const { hostname, host } = new URL(small.seeds[0]!);
  const args = [...small.crawlArguments, '--delay', '0', '--trace-hosts', hostname, '--log', 'json', '--http', '0'];
  const ended = await runCommand([...args, '--data', join(temporaryFolder(), 'data')]);
  assert.equal(ended.code, 0, ended.stderr);
  const lines = linesOf(ended.stderr);
  for (const { level, time, service } of lines) {
    assert.ok(['info', 'warn', 'error'].includes(level));
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
    assert.equal(service, 'crawlstream-crawl');
  }
  assert.ok(lines.some(({ msg }) => msg.startsWith('listening on http://')));
  const fetched = lines.filter(({ msg }) => msg === 'fetch');
  const resolved = lines.filter(({ msg }) => msg === 'resolve');
  assert.equal(fetched.length, 3);
  assert.equal(resolved.length, 3);
  for (const line of fetched) {
    assert.equal(new URL(line['url.full']!).host, host);
    assert.match(line.trace_id!, /^[0-9a-f]{32}$/);
    assert.match(line.span_id!, /^[0-9a-f]{16}$/);
    assert.ok(resolved.some(({ trace_id }) => trace_id === line.trace_id));
  }
});

test('an error is one line too, with its code; other formats are refused', async () => {
  const data = ['--data', join(temporaryFolder(), 'nothing')];
  const ended = await runCommand(['dedup', ...data, '--log', 'json']);
  assert.equal(ended.code, 2);
  const [line, ...more] = linesOf(ended.stderr);
  assert.deepEqual(more, []);
  assert.equal(line?.level, 'error');
  assert.match(ended.stderr, /"code":"INVALID_ARGUMENT"/);
  const refused = await runCommand(['dedup', ...data, '--log', 'yaml']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^crawlstream: --log "yaml": give one of text, json, auto$/m);
});

test('auto, which the image asks for, is JSON where no terminal shows it', async () => {
  const data = ['--data', join(temporaryFolder(), 'nothing')];
  const ended = await runCommand(['dedup', ...data], { env: { CRAWLSTREAM_LOG: 'auto' } });
  assert.equal(linesOf(ended.stderr)[0]?.level, 'error');
});

/** Several times what an attempt to reach brokers takes. */
const attemptsMs = 25_000;

test('a service that stays says when, and once that it has no broker, however often it tries; commands do not', async () => {
  const service = startCommand(['frontier', '--brokers', '127.0.0.1:1', '--http', '0']);
  await listening(service);
  while (!/starting again/.test(service.output())) await sleep(50);
  await sleep(attemptsMs);
  service.child.kill('SIGTERM');
  await service.ended;
  for (const line of service.output().trimEnd().split(/\n+/))
    assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S/, line);
  for (const once of [/does not answer/g, /starting again/g]) assert.equal(service.output().match(once)?.length, 1);
  const command = await runCommand(['stats', '--data', join(temporaryFolder(), 'nothing')]);
  assert.match(command.stderr, /^crawlstream: /);
});
