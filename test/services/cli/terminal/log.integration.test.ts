import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { listening } from '../listening.ts';
import { startSmallWeb } from '../small-web.ts';
import { jsonOf, logLines } from './log-schema.ts';

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

test('with --log json all output is JSON lines, with the traces of traced URLs', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 3, domains: 2 });
  const { hostname, host } = new URL(small.seeds[0]!);
  const args = [...small.crawlArguments, '--delay', '0', '--trace-hosts', hostname, '--log', 'json', '--http', '0'];
  const ended = await runCommand([...args, '--data', join(temporaryFolder(), 'data')]);
  assert.equal(ended.code, 0, ended.stderr);
  const lines = linesOf(ended.stderr);
  logLines(ended.stderr);
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

test('an error is one line too, with its code; unknown formats are refused', async () => {
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

test('auto, the default of the image, is JSON without a terminal', async () => {
  const data = ['--data', join(temporaryFolder(), 'nothing')];
  const ended = await runCommand(['dedup', ...data], { env: { CRAWLSTREAM_LOG: 'auto' } });
  assert.equal(linesOf(ended.stderr)[0]?.level, 'error');
});

test('levels are set by component; an operator’s HTTP request is a line with the caller’s request id', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 40, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const levels = ['--log', 'json', '--log-level', 'error,http=info'];
  const args = [...small.crawlArguments, '--delay', '200ms', '--data', data, '--dashboard', '127.0.0.1:0', ...levels];
  const crawl = startCommand(args);
  const at = /^http:\/\/[\w.:]+/.exec(await listening(crawl))![0];
  const { host } = new URL(small.seeds[0]!);
  const post = (path: string, id?: string) =>
    fetch(`${at}${path}`, { method: 'POST', headers: { ...(id !== undefined && { 'x-request-id': id }) } });
  const block = `/hosts/${encodeURIComponent(host)}/block`;
  let blocked = await post(`${block}?secret=1`, 'ticket-4711');
  for (; blocked.status === 503; blocked = await post(`${block}?secret=1`, 'ticket-4711')) await sleep(50);
  assert.equal(blocked.status, 202, await blocked.text());
  assert.equal(blocked.headers.get('x-request-id'), 'ticket-4711');
  const strange = await post('/crawl/pause', 'a id\tof words');
  const given = strange.headers.get('x-request-id')!;
  assert.match(given, /^[0-9a-f]{16}$/, 'an id that a header may not have is replaced');
  await fetch(`${at}/readyz`);
  crawl.child.kill('SIGINT');
  await crawl.ended;
  const lines = logLines(jsonOf(crawl.output()));
  assert.deepEqual([...new Set(lines.map(({ component }) => component))], ['http']);
  const asked = lines.filter(({ request_id }) => request_id === 'ticket-4711').at(-1)!;
  const { msg, method, path, status, remote } = asked;
  assert.deepEqual(
    { msg, method, path, status, remote },
    {
      ...{ msg: `POST ${block}: 202`, method: 'POST', path: block, status: 202, remote: '127.0.0.1' },
    },
  );
  assert.ok(lines.some(({ request_id, path }) => request_id === given && path === '/crawl/pause'));
  assert.ok(!crawl.output().includes('/readyz'), 'reads are no actions');
  const reported = await runCommand(['story', small.seeds[0]!, '--data', data]);
  assert.match(reported.stdout, /dashboard from 127\.0\.0\.1, request ticket-4711/);
  const refused = await runCommand(['crawl', 'https://example.org', '--log-level', 'warn,https=info']);
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /--log-level "warn,https=info": "https=info" is not a component: use one of process, brokers/,
  );
});

/** Several times what an attempt to reach brokers takes. */
const attemptsMs = 25_000;

test('a service logs when it starts, and once that it has no broker, however often it retries; commands do not', async () => {
  const service = startCommand(['frontier', '--brokers', '127.0.0.1:1', '--http', '0']);
  await listening(service);
  while (!/; retrying/.test(service.output())) await sleep(50);
  await sleep(attemptsMs);
  service.child.kill('SIGTERM');
  await service.ended;
  for (const line of service.output().trimEnd().split(/\n+/))
    assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S/, line);
  for (const once of [/does not answer/g, /; retrying/g]) assert.equal(service.output().match(once)?.length, 1);
  const command = await runCommand(['stats', '--data', join(temporaryFolder(), 'nothing')]);
  assert.match(command.stderr, /^crawlstream: /);
});
