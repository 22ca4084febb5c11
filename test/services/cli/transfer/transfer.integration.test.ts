/** `crawlstream dump`, `load` and `repartition`: a crawl that was killed goes on in another number of partitions. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { printedPages, startSmallWeb } from '../small-web.ts';

const web = await startSmallWeb({
  ...{ preset: 'full', hosts: 16, pagesPerHost: 12, seed: 5, crawlDelayMs: 60, slowMs: 40 },
});
const crawl = (data: string, ...more: string[]) => [
  ...web.crawlArguments,
  ...['--delay', '30ms', '--retries', '0.1s,0.2s', '--data', data, '--json', ...more],
];
const linesOf = async (file: string) =>
  gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const requested = () => [...web.web.requests()].map(({ host, path }) => `http://${web.plan.hosts[host]}${path}`);

describe('a crawl moved to another number of partitions', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const [four, sixteen, dump] = [join(folder, 'four'), join(folder, 'sixteen'), join(folder, 'crawl.jsonl.gz')];

  it('a crawl moved to another number of partitions is dumped as it stood when it was killed', async () => {
    const running = startCommand(crawl(four, '--partitions', '4'));
    while ([...web.web.requests()].length < 80) await new Promise((resolve) => setTimeout(resolve, 20));
    running.child.kill('SIGKILL');
    await running.ended;
    const totals = lastJson(await runCommand(['dump', dump, '--data', four, '--json']));
    const lines = await linesOf(dump);
    const urls = lines.filter(({ url }) => url !== undefined);
    assert.equal(urls.length, totals['admitted']);
    assert.ok(urls.some(({ status }) => status === 'queued'));
    assert.ok(urls.some(({ status }) => status === 'page'));
    assert.equal(lines.at(-1)?.['lines'], lines.length - 1);
  });

  it('a crawl loaded into sixteen partitions continues with the same URLs: fetched ones are not requested again', async () => {
    const loaded = lastJson(await runCommand(['load', dump, '--data', sixteen, '--partitions', '16', '--json']));
    const before = requested().length;
    const ended = await runCommand(crawl(sixteen));
    assert.equal(ended.code, 0, ended.stderr);
    assert.ok((lastJson(ended)['admitted'] as number) >= (loaded['admitted'] as number));
    const report = web.check({ delayMs: 30, abortToleranceMs: 25 });
    assert.deepEqual([report.missing.count, report.shortGaps.count, report.robotsViolations.count], [0, 0, 0]);
    const fetched = (await linesOf(dump)).filter(({ status }) => status === 'page').map(({ url }) => url as string);
    const again = new Set(requested().slice(before));
    assert.ok(again.size > 0);
    assert.deepEqual(
      fetched.filter((url) => again.has(url.replace(`:${web.port}/`, '/'))),
      [],
    );
    const verified = lastJson(await runCommand(['state', 'verify', '--data', sixteen, '--json']));
    assert.equal(verified['equal'], true, JSON.stringify(verified));
    assert.equal((verified['partitions'] as unknown[]).length, 16);
  });

  it('a crawl dumped from sixteen partitions has every URL of four, and fits into three with one command', async () => {
    const three = join(folder, 'three');
    const into = ['repartition', '--partitions', '3', '--data', sixteen, '--into', three];
    const done = await runCommand(into);
    assert.match(done.stdout, /^\d+ URLs of \d+ hosts, 0 of them waiting in /, done.stderr);
    assert.ok(!existsSync(`${three}.dump.jsonl.gz`));
    const [a, b] = [join(folder, 'a.gz'), join(folder, 'b.gz')];
    for (const [file, data] of [
      [a, sixteen],
      [b, three],
    ] as const)
      await runCommand(['dump', file, '--data', data]);
    const urls = async (file: string) =>
      (await linesOf(file))
        .filter(({ url }) => url !== undefined)
        .map((line) => JSON.stringify(line))
        .sort();
    assert.deepEqual(await urls(b), await urls(a));
    web.web.reset();
    const ended = await runCommand(crawl(three));
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(requested(), [], 'nothing is left to fetch');
  });

  it('a crawl does not start before it is fully loaded', async () => {
    const half = join(folder, 'half');
    const cut = join(folder, 'cut.jsonl.gz');
    await writeFile(cut, await readFile(dump));
    await truncate(cut, (await readFile(dump)).length >> 1);
    const load = await runCommand(['load', cut, '--data', half, '--partitions', '2']);
    assert.notEqual(load.code, 0);
    assert.match(load.stderr, /cut\.jsonl\.gz can't be read: unexpected end of file/);
    const refused = await runCommand(crawl(half));
    assert.match(refused.stderr, /partition \d has an incompletely loaded dump/);
    assert.equal((await runCommand(['load', dump, '--data', half])).code, 0);
    assert.equal((await runCommand(crawl(half, '--max-pages', '1'))).code, 0);
  });

  it('a crawl knows the URLs of another crawler’s list, and never requests them', async () => {
    const listed = join(folder, 'listed');
    web.web.reset();
    const pages = (await printedPages(sixteen)).filter((url) => !web.seeds.includes(url));
    const known = pages.slice(0, 20);
    const list = join(folder, 'seen.txt');
    await writeFile(list, `${known.join('\n')}\nno url\n`);
    const loaded = await runCommand(['load', '--seen', list, '--data', listed]);
    assert.match(loaded.stdout, /^20 URLs read, 20 of them new$/m);
    assert.match(loaded.stderr, /1 line without a URL, the first: line 21: no url/);
    const ended = await runCommand(crawl(listed));
    assert.equal(ended.code, 0, ended.stderr);
    const asked = new Set(requested());
    assert.deepEqual(
      known.filter((url) => asked.has(url.replace(`:${web.port}/`, '/'))),
      [],
    );
    assert.ok(asked.size > 20);
    const reported = await runCommand(['explain', known[0]!, '--data', listed]);
    assert.match(reported.stdout, /imported as already known/);
  });
});
