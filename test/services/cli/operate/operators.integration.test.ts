/** Operators' commands against a crawl that runs in another process, and against its folder after it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type SmallWeb, startSmallWeb } from '../small-web.ts';

function requestsTo(web: SmallWeb, host: string): number {
  return web.web.requests().filter((request) => web.plan.hosts[request.host] === host).length;
}

test('a host is blocked and released, and another limited, while the crawl runs', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 60, domains: 4, linksPerPage: 30 });
  const data = join(temporaryFolder(), 'data');
  const [blocked, limited] = web.seeds.map((seed) => new URL(seed));
  const crawl = startCommand([...web.crawlArguments, '--data', data, '--delay', '200ms', '--json']);
  while (requestsTo(web, blocked!.hostname) < 3) {
    assert.equal(crawl.child.exitCode, null, `ended too early: ${crawl.output()}`);
    await sleep(50);
  }
  const block = await runCommand(['block', blocked!.origin, '--data', data, '--by', 'test', '--json']);
  assert.equal(block.code, 0, block.stderr);
  const [sent] = lastJson(block)['sent'] as { event: Record<string, unknown>; offset: number }[];
  assert.deepEqual(
    [sent?.event['kind'], sent?.event['hostKey'], sent?.event['by']],
    ['blockHost', blocked!.host, 'test'],
  );
  assert.ok((sent?.event['atMs'] as number) > 0);
  const limit = await runCommand(['limit', limited!.origin, '5', '--data', data]);
  assert.equal(limit.code, 0, limit.stderr);
  const { code, stdout, stderr } = await crawl.ended;
  assert.equal(code, 0, stderr);
  const ended = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, number>;
  assert.equal(ended['end'], 'done');
  assert.ok(ended['deferred']! > 0, 'the rest of both hosts waits');
  // Nobody holds the folder now: the command takes its request itself.
  const release = await runCommand(['unblock', blocked!.origin, '--data', data]);
  assert.equal(release.code, 0, release.stderr);
  const unlimited = await runCommand(['limit', limited!.origin, 'default', '--data', data]);
  assert.equal(unlimited.code, 0, unlimited.stderr);
  const again = await runCommand([...web.crawlArguments, '--data', data, '--delay', '0', '--json']);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(lastJson(again)['deferred'], 0);
  assert.equal(lastJson(again)['pages'], web.plan.expected(web.port).fetch.size);
});

test('a waiting URL is raised and another lowered: one goes before the others of its host, one behind, and each is fetched once', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 60, domains: 1, linksPerPage: 40 });
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand([...web.crawlArguments, '--data', data, '--delay', '2000ms', '--json'], {
    patienceMs: 240_000,
  });
  const pages = () => web.web.requests().filter(({ path }) => path !== '/robots.txt');
  while (pages().length < 2) {
    assert.equal(crawl.child.exitCode, null, `ended too early: ${crawl.output()}`);
    await sleep(20);
  }
  // No lease takes what is looked at.
  assert.equal((await runCommand(['pause', '--data', data])).code, 0);
  const explain = async (url: string) => lastJson(await runCommand(['explain', url, '--data', data, '--json']));
  const fetched = new URL(pages()[0]!.path, web.seeds[0]!).href;
  let raised = '';
  let lowered = '';
  let ahead = 0;
  for (const url of [...web.plan.expected(web.port).fetch].reverse()) {
    const queue = (await explain(url))['queue'] as { in: string; ahead: number } | null;
    if (queue?.in !== 'frontQueue' || queue.ahead < 10) continue;
    if (lowered === '') {
      lowered = url;
      continue;
    }
    [raised, ahead] = [url, queue.ahead];
    break;
  }
  assert.notEqual(raised, '', 'two pages wait behind ten others');
  const { code, stdout, stderr } = await runCommand(['raise', raised, '--data', data, '--by', 'test', '--json']);
  assert.equal(code, 0, stderr);
  assert.equal((JSON.parse(stdout) as { was: string }).was, 'waiting');
  const later = await runCommand(['lower', lowered, '--data', data, '--by', 'test', '--json']);
  assert.equal(later.code, 0, later.stderr);
  assert.equal((JSON.parse(later.stdout) as { frontQueue: number }).frontQueue, 7);
  assert.equal((await runCommand(['resume', '--data', data])).code, 0);
  assert.equal((await runCommand(['delay', new URL(raised).origin, '10ms', '--data', data])).code, 0);
  const ended = await crawl.ended;
  assert.equal(ended.code, 0, ended.stderr);
  const refused = await runCommand(['lower', fetched, '--data', data]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /it is finished, so it is in no front queue: nothing was done/);
  const paths = pages().map(({ path }) => path);
  const { pathname, search } = new URL(raised);
  assert.deepEqual(paths.filter((path) => path === pathname + search).length, 1);
  assert.equal(lastJson(ended)['pages'], web.plan.expected(web.port).fetch.size);
  const explained = await explain(raised);
  assert.equal((explained['raised'] as unknown[]).length, 1, `it waited behind ${ahead}`);
  assert.equal((explained['leases'] as unknown[]).length, 1);
  const behind = new URL(lowered);
  // What is found later may wait behind it.
  const place = paths.indexOf(behind.pathname + behind.search);
  assert.ok(place > 10 + paths.indexOf(pathname + search), paths.join(' '));
  const moved = (await explain(lowered))['lowered'] as { frontQueue: number }[];
  assert.deepEqual(
    moved.map(({ frontQueue }) => frontQueue),
    [7],
  );
  assert.match(
    (await runCommand(['story', lowered, '--data', data])).stdout,
    /lowered: moved to the end of front queue 7/,
  );
});

test('an error of an operator’s command is one line, with the remedy', async () => {
  const cases: readonly (readonly [args: string[], says: RegExp])[] = [
    [['block', 'a.test'], /--data is missing/],
    [['delay', 'a.test', 'soon', '--data', 'x'], /give a number and ms, s, m, h or d/],
    [['requeue', '--data', 'x'], /--host, --prefix or --outcome/],
    [['requeue', '--outcome', 'lost', '--data', 'x'], /--outcome "lost": give one of/],
    [['block', 'ftp://a.test', '--data', 'x'], /scheme/],
  ];
  for (const [args, says] of cases) {
    const { code, stderr } = await runCommand(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, says);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  }
});
