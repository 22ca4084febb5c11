/** Overlays of a policy at a crawl of the synthetic web: what each decides, who says so, and a change while it runs. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type SmallWeb, startSmallWeb } from '../small-web.ts';

const overlays = `
overlays:
  - name: slow
    match: { hosts: [h000.site0.test] }
    set: { delayMs: 150, delayFactor: 0 }
  - name: shallow
    match: { domains: [site1.test] }
    set: { maxDepth: 0, filters: { exclude: [never] } }
  - name: deep
    match: { surts: ['(test,site1,h003,)/'] }
    set: { maxDepth: 1 }
  - name: no threes
    match: { patterns: ['/p/[0-9]*3$'] }
    set: { inScope: false }
`;

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Requests to a host other than for robots.txt, in order. */
function requestsTo({ web, plan }: SmallWeb, name: string) {
  const all = [...web.requests()].filter(({ host }) => plan.hosts[host] === name);
  return all.sort((a, b) => a.startMs - b.startMs);
}

function pathsOf(web: SmallWeb, name: string): string[] {
  return requestsTo(web, name).flatMap(({ path }) => (path === '/robots.txt' ? [] : [path]));
}

test('overlays by host, domain, SURT and pattern apply, the last one wins, and explain and audit name them', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 12, domains: 2, linksPerPage: 8 });
  const folder = temporaryFolder();
  const file = join(folder, 'overlays.yaml');
  await writeFile(file, overlays);
  const data = ['--data', join(folder, 'data')];
  await run(...web.crawlArguments, ...data, '--delay', '0', '--overlays', file);

  const slow = requestsTo(web, 'h000.site0.test');
  assert.ok(slow.length > 3, 'it was crawled');
  for (const [at, { startMs }] of slow.entries())
    if (at > 0) assert.ok(startMs - slow[at - 1]!.endMs >= 149.5, `gap ${startMs - slow[at - 1]!.endMs} ms`);
  assert.deepEqual(pathsOf(web, 'h001.site1.test'), ['/'], 'the seed alone, at depth 0');
  const refused = [...web.web.requests()].filter(({ path }) => /^\/p\/[0-9]*3$/.test(path));
  assert.deepEqual(refused, []);

  const port = web.port;
  const reported = await run('explain', `http://h003.site1.test:${port}/`, ...data);
  assert.match(reported, /overlays +shallow: decides filters\.exclude\n +deep: decides maxDepth\n/);
  const json = JSON.parse(await run('explain', `http://h001.site1.test:${port}/p/7`, ...data, '--json'));
  assert.deepEqual(json.overlays, [{ name: 'shallow', fields: ['maxDepth', 'filters.exclude'] }]);
  const denied = await run('explain', `http://h000.site0.test:${port}/p/3`, ...data);
  assert.match(denied, /refused by scope: overlay no threes/);
  assert.match(
    await run('explain', `http://h000.site0.test:${port}/`, ...data),
    /150 ms after the last contact: the delay of overlay slow/,
  );
  assert.match(await run('audit', ...data), /violations +0\n/);
});

test('overlays set in mid-crawl apply from then on, and end when they are set to none', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 40, domains: 1, linksPerPage: 8 });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const crawl = startCommand([...web.crawlArguments, ...data, '--delay', '100ms', '--json']);
  while (web.web.requests().length < 12) {
    assert.equal(crawl.child.exitCode, null, `ended too early: ${crawl.output()}`);
    await sleep(20);
  }
  const file = join(folder, 'set.json');
  const overlay = { name: 'no more', match: { domains: ['site0.test'] }, set: { inScope: false } };
  await writeFile(file, JSON.stringify({ overlays: [overlay] }));
  const said = await run('policy', 'set', file, ...data);
  assert.match(said, /overlays none → \[\{"name":"no more"/);
  const ended = await crawl.ended;
  assert.equal(ended.code, 0, ended.stderr);
  const result = lastJson(ended);
  assert.ok((result['outOfScope'] as number) > 0, 'links were refused from then on');
  await writeFile(file, JSON.stringify({ overlays: [] }));
  await run('policy', 'set', file, ...data);
  const verdict = JSON.parse(await run('explain', web.seeds[0]!, ...data, '--json'));
  assert.deepEqual([verdict.overlays, verdict.filter.admitted], [[], true]);
});

test('an invalid file of overlays is refused before anything is created, and check filter names the deciding one', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'overlays.json');
  const overlay = { name: 'docs', match: { surts: ['(org,example,)/docs/'] }, set: { delayMs: 5 } };
  await writeFile(file, JSON.stringify([overlay]));
  const data = join(folder, 'data');
  const { code, stderr } = await runCommand([
    'crawl',
    'example.org',
    '--contact',
    'a@b.org',
    '--data',
    data,
    '--overlays',
    file,
  ]);
  assert.equal(code, 2, stderr);
  assert.match(
    stderr,
    /overlays\[0\]\.set\.delayMs: this setting applies to whole hosts, but match\.surts\[0\] matches only part of a host; move it/,
  );
  await writeFile(file, JSON.stringify([{ ...overlay, set: { frontQueue: 6, maxDepth: 2 } }]));
  const check = (...args: string[]) =>
    run('check', 'filter', 'https://example.org/docs/a', '--overlays', file, ...args);
  assert.match(await check(), /front queue +6\noverlays +docs: decides frontQueue, maxDepth\n/);
  assert.match(await check('--depth', '3'), /rule +depth\n/);
});
