/** Commands that no other test runs, on a small crawl that is over: each does what it says, and its --json is JSON. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { startSmallWeb } from './small-web.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
let seed = '';
let host = '';
let crawlArguments: readonly string[] = [];

before(async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 5, domains: 1 });
  seed = small.seeds[0]!;
  host = new URL(seed).host;
  crawlArguments = [...small.crawlArguments, '--delay', '0', '--responses'];
  const ended = await runCommand([...crawlArguments, '--data', data]);
  assert.equal(ended.code, 0, ended.stderr);
});

async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const ended = await runCommand([...args, '--json']);
  assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.stderr}`);
  return lastJson(ended);
}

test('index, archive and render catch up on a crawl that ran without them', async () => {
  const indexed = await runCommand(['index', '--data', data]);
  assert.match(indexed.stdout, /^index: [1-9]\d* records read\n$/);
  const { consumer, records } = await json(['archive', '--data', data]);
  assert.deepEqual([consumer, (records as number) > 0], ['archive', true]);
  assert.ok(existsSync(join(data, 'archive')));
  const rendered = await runCommand(['render', '--contact', 'me@example.org', '--data', data]);
  assert.match(rendered.stdout, /^render: \d+ records read\n$/, rendered.stderr);
});

test('operators’ events that no other test sends are accepted, with user and time', async () => {
  const sent = async (args: readonly string[]) => {
    const { sent } = await json([...args, '--data', data, '--by', 'test']);
    const [{ event }] = sent as { event: { kind: string; hostKey: string; by: string } }[] as [never];
    return event as { kind: string; hostKey: string };
  };
  assert.equal((await sent(['parallel', host, '2'])).hostKey, host);
  assert.equal((await sent(['budget', host, '10'])).kind, 'budget');
  assert.equal((await sent(['trap', `${seed}calendar/`])).kind, 'trap');
  assert.equal((await sent(['release', host, '/calendar/'])).kind, 'releaseTrap');
});

test('inject names a sitemap: the policy has it from then on, and its host is due', async () => {
  const url = `${seed}more.xml`;
  const { seeds, sitemaps } = await json(['inject', '--sitemap', url, '--data', data]);
  assert.deepEqual([seeds, sitemaps], [0, [url]]);
  assert.match(
    JSON.stringify(await json(['policy', 'show', '--data', data])),
    /"rules":\[\{"urls":\["[^"]*more\.xml"\]\}\]/,
  );
  const nothing = await runCommand(['inject', '--data', data]);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /nothing to inject: give URLs/);
});

test('simulate runs a crawl under faults, and bench lists its benchmarks', async () => {
  const simulated = await runCommand(['simulate', '--seed', '2', '--json']);
  assert.deepEqual(lastJson(simulated), { seeds: 1, passed: 1, failed: [] });
  const { code, stdout } = await runCommand(['bench']);
  assert.equal(code, 0);
  assert.match(stdout, /NAME is one of .*\bfetch, .*\bfrontier, /);
  const unknown = await runCommand(['bench', 'nothing']);
  assert.equal(unknown.code, 2);
});

test('seek writes an event on control with the new position', async () => {
  const seek = await runCommand(['seek', '--topic', 'discovered', '--to', 'earliest', '--data', data]);
  assert.equal(seek.code, 0, seek.stderr);
});

test('checks of a URL and of a list answer in JSON', async () => {
  assert.match(JSON.stringify(await json(['check', 'url', 'HTTP://A.test:80/b/../c'])), /http:\/\/a\.test\/c/);
  const list = join(folder, 'hosts.txt');
  writeFileSync(list, 'spam.example\n');
  const listed = await json(['check', 'list', list, '--kind', 'hosts', '--url', 'http://spam.example/x']);
  assert.match(JSON.stringify(listed), /spam\.example/);
});

test('a state’s digest equals that of the rebuilt state', async () => {
  const digests = async (place: string) =>
    ((await json(['state', 'digest', '--data', place]))['partitions'] as { digest: string }[]).map((one) => one.digest);
  const [own] = await digests(data);
  const into = join(folder, 'rebuilt');
  const rebuilt = await json(['state', 'rebuild', '--data', data, '--all', '--into', into]);
  assert.ok(JSON.stringify(rebuilt).includes(own!), JSON.stringify(rebuilt));
});

test('urlfrontier serves until it is stopped', async () => {
  const serving = startCommand(['urlfrontier', '--port', '0', '--data', join(folder, 'served'), '--http', '0']);
  while (!/serving crawl/.test(serving.output())) {
    assert.equal(serving.child.exitCode, null, serving.output());
    await sleep(20);
  }
  const address = /listening on (http:\S+)/.exec(serving.output())![1]!;
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
  const reported = await (await fetch(`${address}/metrics`)).text();
  assert.match(reported, /^crawlstream_info\{version="[^"]+",role="urlfrontier",crawl="crawl"\} 1$/m);
  assert.match(reported, /^crawlstream_frontier_urls\{partition="0",place="queued",crawl="crawl"\} 0$/m);
  serving.child.kill('SIGTERM');
  assert.equal((await serving.ended).code, 0);
});

test('the topology is printed as text, for Graphviz, for Mermaid and as JSON', async () => {
  const reported = async (format: string) => (await runCommand(['topology', 'describe', '--format', format])).stdout;
  assert.match(await reported('text'), /^frontier: admits URLs once/);
  assert.match(await reported('mermaid'), /^flowchart LR\n/);
  assert.match(await reported('dot'), /^digraph crawlstream \{[\s\S]*discovered -> processor_frontier;[\s\S]*\}\n$/);
  const { processors } = await json(['topology', 'describe']);
  assert.ok((processors as unknown[]).length > 5);
  assert.match((await runCommand(['topology'])).stdout, /^frontier: /, 'describing is what topology does by itself');
});

test('hosts are listed as the counters have them, and one of them with its queue', async () => {
  const counts = await json(['stats', '--data', data]);
  const listed = await json(['hosts', '--data', data, '--sort', 'fetched', '--search', host.slice(0, 4)]);
  const [first] = listed['hosts'] as { host: string; fetched: number; pages: number; queued: number }[];
  assert.deepEqual([first?.host, first?.pages, listed['known']], [host, counts['pages'], counts['hosts']]);
  const one = await json(['hosts', seed, '--data', data, '--limit', '3']);
  assert.deepEqual([one['host'], one['queue'], one['next']], [host, [], null]);
  const table = await runCommand(['hosts', '--data', data]);
  assert.match(table.stdout, /^host +queued +deferred .*\n\S+:\d+ .*nothing to do\n1 of 1 known\n$/);
  for (const [args, says] of [
    [['--sort', 'size'], /--sort "size": give one of queued/],
    [['nowhere.test'], /does not know host nowhere\.test/],
    [[host, '--search', 'a'], /work only for the list of hosts: remove the host/],
    [['--from', '1:2'], /--from works only with a host: crawlstream hosts example.org --from PLACE/],
  ] as const) {
    const { code, stderr } = await runCommand(['hosts', ...args, '--data', data]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  }
});

test('a URL, then its host, is taken down: no command shows it, and a crawl does not admit it again', async () => {
  const target = `${seed}p/2`;
  const reported = async () => (await runCommand(['pages', '--data', data])).stdout;
  // A number that is in the title of each page.
  const found = async () => (await runCommand(['search', '0', '--data', data, '--json'])).stdout.split('\n').length - 1;
  const before = await found();
  assert.ok(before > 1 && (await reported()).includes(`"${target}"`), await reported());
  const { purged, remains } = await json(['purge', target, '--data', data, '--by', 'test']);
  assert.deepEqual(purged, { hostKey: host, url: target });
  const places = (remains as { in: string; records?: number }[]).filter(({ records }) => records !== undefined);
  assert.ok(places[0]?.in.startsWith('archive/'), 'the WARC file is named');
  assert.ok(!(await reported()).includes(`"${target}"`));
  const whole = await runCommand(['purge', host, '--data', data]);
  assert.match(
    whole.stdout,
    /^host \S+ with all its URLs is purged: recorded on topic control at \d+:\d+ .*\n1 host, .* 5 fetched\n.*records remain/,
  );
  assert.equal(await reported(), '');
  await runCommand(['index', '--data', data]);
  assert.equal(await found(), 0);
  const again = await runCommand([...crawlArguments, '--data', data]);
  assert.equal(again.code, 0, again.stderr);
  assert.match((await runCommand(['hosts', '--data', data])).stdout, /none: purged/);
  assert.equal((await json(['state', 'verify', '--data', data]))['equal'], true);
  assert.equal((await json(['stats', '--data', data]))['queued'], 0);
});

test('completion prints a script for each shell', async () => {
  const { code, stdout } = await runCommand(['completion', 'bash']);
  assert.equal(code, 0);
  assert.match(stdout, /complete -F _crawlstream_complete crawlstream/);
});
