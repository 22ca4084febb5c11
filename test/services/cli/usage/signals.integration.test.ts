/** What sites say of using their pages: in each page's record, in exports, in an index and an archive, and in what is told. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { type SignalUse, signalUses } from '../../../../lab/web/signals.ts';
import { searchFolder } from '../../../../services/extras/index/sqlite-index.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { crawlSignals, type ExportedPage, exportedPages, signalWeb } from './signal-web.ts';

/** As the schema says that records are to be read. */
function verdict({ usage = [] }: ExportedPage, use: SignalUse): string {
  const said = usage.filter((one) => one.use === use && one.fromMs <= Date.now()).map(({ preference }) => preference);
  return said.includes('deny') ? 'deny' : said.includes('allow') ? 'allow' : 'unknown';
}

test('each page of a web with all kinds of usage signals has the right verdict; exports, index and archive obey it', async (t) => {
  const web = await signalWeb(t, 35, 120);
  const { data, ended } = await crawlSignals(web, '--with', 'index,archive');
  assert.equal(ended.code, 0, ended.stderr);
  const pages = new Map((await exportedPages(data)).map((page) => [page.url, page]));
  assert.equal(pages.size, web.pages.size + web.seeds.length);
  const wrong = [...web.pages].flatMap(([url, { truth }]) =>
    signalUses.flatMap((use) => {
      const got = verdict(pages.get(url)!, use);
      return got === truth[use] ? [] : [`${url} ${use}: ${got}, and not ${truth[use]}`];
    }),
  );
  assert.deepEqual(wrong, []);
  for (const page of pages.values())
    for (const { hash, source, said } of page.usage ?? []) assert.match(hash, /^[0-9a-f]{32}$/, `${source} ${said}`);

  for (const use of signalUses) {
    const usable = new Set((await exportedPages(data, '--uses', use)).map(({ url }) => url));
    const right = [...web.pages].filter(([, { truth }]) => truth[use] !== 'deny').map(([url]) => url);
    assert.deepEqual([...usable].sort(), [...right, ...openSeeds(web.seeds, use)].sort(), use);
  }

  const found = searchFolder(join(data, 'index'), 'pagewords', { limit: web.pages.size });
  const hits = new Map(found.map(({ url, snippet }) => [url, snippet]));
  for (const [url, { truth, nosnippet }] of web.pages) {
    assert.equal(hits.has(url), truth.search !== 'deny', url);
    if (hits.has(url)) assert.equal(hits.get(url)! === '', nosnippet, url);
  }

  const folder = join(data, 'archive');
  const warcs = readdirSync(folder, { recursive: true }).filter((file) => `${file}`.endsWith('.warc.gz'));
  const archived = warcs.map((file) => gunzipSync(readFileSync(join(folder, `${file}`))).toString('latin1')).join('');
  for (const [url, { truth }] of web.pages)
    assert.equal(archived.includes(`WARC-Target-URI: ${url}\r\n`), truth.archive !== 'deny', url);
});

/** The start page of the second and third site is under their lines about everything. */
function openSeeds(seeds: readonly string[], use: SignalUse): string[] {
  return seeds.filter((_, site) => !((site === 1 && use === 'ai-input') || (site === 2 && use === 'search')));
}

test('a crawl for one use publishes no page barred from it, and skips what robots.txt bars if asked to', async (t) => {
  const web = await signalWeb(t, 7, 60);
  const usable = [...web.pages].filter(([, { truthWithTdm: truth }]) => truth['ai-train'] !== 'deny');
  const right = usable.map(([url]) => url);
  const byFile = [...web.pages].filter(([, { truth, truthWithTdm }]) => truth['ai-train'] !== truthWithTdm['ai-train']);
  assert.ok(byFile.length > 3, 'tdmrep.json decides of some');
  const withheld = await crawlSignals(web, '--uses', 'ai-train');
  assert.equal(withheld.ended.code, 0, withheld.ended.stderr);
  const published = (await exportedPages(withheld.data)).map(({ url }) => url);
  assert.deepEqual(published.sort(), [...right, ...web.seeds].sort());
  assert.ok(
    [...web.pages.keys()].every((url) => web.asked.has(url)),
    'all were fetched',
  );

  web.asked.clear();
  const skipped = await crawlSignals(web, '--uses', 'ai-train', '--uses-barred', 'skip');
  assert.equal(skipped.ended.code, 0, skipped.ended.stderr);
  const some = (await exportedPages(skipped.data)).map(({ url }) => url);
  assert.deepEqual(some.sort(), [...right, ...web.seeds].sort());
  const barred = [...web.pages].filter(([url]) => /\/(barred|both)\//.test(url) && url.startsWith(web.seeds[1]!));
  assert.ok(barred.length > 5);
  for (const [url] of barred) assert.equal(web.asked.has(url), false, url);
  for (const url of right) assert.ok(web.asked.has(url), url);
  for (const [url, { truthWithTdm }] of byFile)
    assert.equal(web.asked.has(url), truthWithTdm['ai-train'] !== 'deny', url);
  for (const seed of web.seeds) assert.ok(web.asked.has(`${seed}.well-known/tdmrep.json`));
  const audit = await runCommand(['audit', '--data', skipped.data]);
  assert.equal(audit.code, 0, audit.stdout);

  const [url] = barred[0]!;
  const reported = await runCommand(['explain', url, '--data', skipped.data]);
  assert.match(reported.stdout, /no page +robots\.txt bars ai-train: Content-Usage: \/(barred|both)\/ train-ai=n/);
  const marked = await crawlSignals(web, '--uses', 'ai-train', '--uses-barred', 'mark');
  assert.equal((await exportedPages(marked.data)).length, web.pages.size + web.seeds.length);
});

const robots = `User-agent: *
Content-Signal: search=yes, ai-train=no
License: https://a.test/terms
`;

test('explain, check robots and check page show the verdict for each use, and the statement against it', async (t) => {
  const { port } = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.end(robots);
    response.setHeader('content-type', 'text/html').setHeader('content-usage', 'train-ai=y, search=n');
    return response.end('<meta name=robots content="unavailable_after: 2200-01-01, noarchive">hello');
  });
  const web = { seeds: [`http://127.0.0.1:${port}/`], pages: new Map(), asked: new Set<string>() };
  const [seed] = web.seeds;
  const { data } = await crawlSignals(web, '--uses', 'ai-input');
  const says = [
    /search barred by header content-usage \(train-ai=y, search=n\); also barred by meta robots \(.*\) from 2200-01-01T00:00:00\.000Z; also allowed by robots\.txt \(Content-Signal: search=yes, ai-train=no\)/,
    /ai-train barred by robots\.txt \(Content-Signal: .*\); also allowed by header content-usage/,
    /archive barred by meta robots/,
    /licence: robots\.txt \(https:\/\/a\.test\/terms\)/,
  ];
  const explained = await runCommand(['explain', seed!, '--data', data]);
  const reach = ['--contact', 'me@example.org', '--allow-private'];
  const page = await runCommand(['check', 'page', seed!, ...reach]);
  for (const pattern of says) {
    assert.match(explained.stdout, pattern);
    assert.match(page.stdout, pattern);
  }
  const site = await runCommand(['check', 'robots', seed!, ...reach]);
  assert.match(site.stdout, /uses +search allowed by robots\.txt/);
  const asJson = lastJson(await runCommand(['check', 'robots', seed!, '--json', ...reach])) as {
    readonly uses: readonly { readonly use: string; readonly preference: string }[];
  };
  assert.deepEqual(
    asJson.uses.map(({ use, preference }) => `${use} ${preference}`),
    ['search allow', 'ai-train deny', 'licence terms'],
  );
});

test('unknown uses are refused, with the known ones', async () => {
  const ended = await runCommand(['crawl', 'http://127.0.0.1:1/', '--uses', 'training']);
  assert.equal(ended.code, 2);
  assert.match(ended.stderr, /--uses "training": give one of search, ai-input, ai-train, archive/);
  const exported = await runCommand(['export', 'urls', '--data', 'nowhere', '--uses', 'search']);
  assert.match(exported.stderr, /--uses "search": it works only for pages/);
});

test('the price of a 402 is reported, and nothing is paid', async (t) => {
  const { port } = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    if (request.url === '/paid') return response.writeHead(402, { 'crawler-price': 'USD 0.01' }).end('pay');
    return response.setHeader('content-type', 'text/html').end('<a href="/paid">x</a>');
  });
  const web = { seeds: [`http://127.0.0.1:${port}/`], pages: new Map(), asked: new Set<string>() };
  const { data, ended } = await crawlSignals(web);
  assert.equal(ended.code, 0, ended.stderr);
  const timeline = await runCommand(['story', `${web.seeds[0]}paid`, '--data', data]);
  assert.match(timeline.stdout, /402.*price USD 0\.01/);
});
