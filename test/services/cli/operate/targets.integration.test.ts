/** Commands about a host or a URL say what they matched; what matches nothing is a failure that names what is near. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

const data = join(temporaryFolder(), 'data');
let seed = '';
let crawlArguments: readonly string[] = [];

before(async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 5, domains: 1 });
  seed = small.seeds[0]!;
  crawlArguments = [...small.crawlArguments, '--delay', '0', '--data', data];
  const ended = await runCommand(crawlArguments);
  assert.equal(ended.code, 0, ended.stderr);
});

const report = (...words: string[]) => runCommand([...words, '--data', data]);

test('a host unknown to the crawl is refused, with the nearest name, and nothing is sent', async () => {
  const { host, hostname } = new URL(seed);
  for (const words of [
    ['purge', hostname],
    ['block', hostname],
    ['limit', hostname, '5'],
    ['delay', hostname, '30s'],
  ]) {
    const { code, stdout, stderr } = await report(...words);
    assert.equal(code, 1, words.join(' '));
    assert.equal(stdout, '');
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.match(stderr, new RegExp(`no URL of host ${hostname}: nothing was done; did you mean ${host}\\?`));
  }
  const misspelt = await report('block', host.replace(/^.(.)/, '$1'));
  assert.equal(misspelt.code, 1);
  assert.ok(misspelt.stderr.includes(`did you mean ${host}?`), misspelt.stderr);
  const far = await report('block', 'nowhere.example');
  assert.match(far.stderr, /crawlstream hosts lists its hosts \(--force/);
  const forced = await report('block', 'nowhere.example', '--force');
  assert.equal(forced.code, 0, forced.stderr);
});

test('a URL that was never admitted is refused, and its admitted spelling is named', async () => {
  const { code, stderr } = await report('purge', `${seed}p/2/`);
  assert.equal(code, 1, stderr);
  assert.ok(stderr.includes(`did you mean ${seed}p/2?`), stderr);
});

test('matches are reported, durations have units, and a purged URL is explained as purged', async () => {
  const { host } = new URL(seed);
  const delayed = await report('delay', host, '30s', '--json');
  const { matched, sent } = lastJson(delayed) as {
    matched: { fetched: number };
    sent: { event: { amount: number } }[];
  };
  assert.equal(matched.fetched, 5);
  assert.equal(sent[0]?.event.amount, 30_000);
  assert.match((await report('delay', host, 'soon')).stderr, /<duration> "soon": give a number and ms, s, m, h or d/);
  const url = `${seed}p/2`;
  const purged = await report('purge', url, '--by', 'me');
  assert.equal(purged.code, 0, purged.stderr);
  assert.match(purged.stdout, /^1 URL: done, page$/m);
  const explained = await report('explain', url);
  assert.match(explained.stdout, /^purged +\S+Z by me: its data is deleted, and links to it are rejected$/m);
  const whole = await report('purge', host);
  assert.match(whole.stdout, new RegExp(`^1 host, ${host}: 0 URLs queued, 0 deferred, 5 fetched`, 'm'));
  assert.match((await report('explain', seed)).stdout, /^purged +\S+Z by \S+, with its whole host/m);
});

test('a requeue or replay without matches reports its search, sends nothing and fails', async () => {
  const { host } = new URL(seed);
  const before = lastJson(await report('stats', '--json'));
  for (const [words, says] of [
    [['requeue', '--host', 'nowhere.example'], /no finished URL of host nowhere\.example: nothing was done/],
    [
      ['requeue', '--prefix', `${seed}none/`, '--outcome', 'failed'],
      /that begins with \S+none\/, that ended as failed/,
    ],
    [['dlq', 'replay', '--host', host], /no dead letter of host \S+: nothing was done; there are no dead letters/],
    [['dlq', 'replay', '--reason', 'retriesExhausted'], /no dead letter for retriesExhausted: nothing was done/],
  ] as const) {
    const { code, stdout, stderr } = await report(...words);
    assert.equal(code, 1, `${words.join(' ')}\n${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, says);
  }
  assert.deepEqual(lastJson(await report('stats', '--json')), before);
  const some = await report('requeue', '--host', host, '--json');
  assert.equal(some.code, 0, some.stderr);
  assert.equal(lastJson(some)['requeued'], 5);
});
