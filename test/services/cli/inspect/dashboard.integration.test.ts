/** The dashboard's routes on a crawl that runs, and `crawlstream dashboard` beside it, after it, and through it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import type { Page } from '../../../../schemas/types.ts';
import type {
  CrawlStatus,
  DuplicateListStatus,
  ErrorsStatus,
  ExplainStatus,
  FailuresStatus,
  HistoryStatus,
  HostListStatus,
  HostMapStatus,
  HostPageStatus,
  RecordStatus,
  SearchStatus,
  SeedsStatus,
} from '../../../../services/extras/dashboard/status.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { dashboardOf } from '../dashboard-address.ts';
import { startSmallWeb } from '../small-web.ts';

async function json<Answer>(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, headers: { 'x-crawlstream': '1', ...init?.headers } });
  const text = await response.text();
  assert.ok(response.ok, `${url}: ${response.status} ${text}`);
  return JSON.parse(text) as Answer;
}

/** The first event of a kind on the page's stream. */
async function eventOf(url: string, event: string): Promise<CrawlStatus> {
  const response = await fetch(`${url}events`);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    const data = new RegExp(`^event: ${event}\ndata: (.*)\n\n`, 'm').exec(text)?.[1];
    if (data !== undefined) return JSON.parse(data) as CrawlStatus;
  }
  throw new Error(`the stream ended without ${event}: ${text.slice(0, 500)}`);
}

test('a running crawl serves its dashboard, blocks a host for the page, and says how it ended; its folder shows it afterwards', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 3, pagesPerHost: 60, domains: 3 });
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand([
    ...small.crawlArguments,
    '--delay',
    '100ms',
    '--data',
    data,
    '--dashboard',
    '127.0.0.1:0',
  ]);
  const url = await dashboardOf(crawl);

  const through = startCommand(['dashboard', '--url', new URL(url).origin, '--http', '0']);

  const page = await fetch(url.replace(/dashboard\/$/, ''));
  assert.equal(page.url, url, 'the root leads to the page');
  const policy = page.headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
  const markup = await page.text();
  assert.doesNotMatch(markup, /<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/, 'nothing inline');
  for (const [, file] of markup.matchAll(/(?:src|href)="(page\/[^"]+)"/g)) {
    assert.equal((await fetch(url + file)).status, 200, file);
  }
  for (const file of [
    'page/nothing.js',
    'page/main.ts',
    '../package.json',
    'page/..%2f..%2f..%2fpackage.json',
    'crawl-view.js',
  ]) {
    assert.equal((await fetch(url + file)).status, 404, file);
  }

  // Its partition may be restoring yet.
  let reported = await eventOf(url, 'told');
  while (reported.partitions.some(({ restored }) => (restored ?? 0) < 1)) reported = await eventOf(url, 'told');
  assert.equal(reported.crawl, 'crawl');
  assert.deepEqual(
    reported.partitions.map(({ owner, restored }) => [owner, restored]),
    [['this process', 1]],
  );
  while ((await json<CrawlStatus>(`${url}data`)).counts['page']! < 6) await sleep(50);
  const { seeds, seedCount, place, startedMs } = (await json<CrawlStatus>(`${url}data`)).about!;
  assert.deepEqual([seeds, seedCount, place], [small.seeds.slice(0, 3), small.seeds.length, `--data ${data}`]);
  assert.ok(Math.abs(startedMs! - Date.now()) < 120_000);
  const blocked = new URL(small.seeds[0]!).host;
  const listed = await json<HostListStatus>(`${url}hosts?search=${blocked.slice(0, 4)}&sort=name&limit=2`);
  assert.deepEqual([listed.hosts[0]?.host, listed.matched, listed.known], [blocked, 1, 3]);
  for (const [query, says] of [
    ['sort=size', /sort "size": give one of queued/],
    ['limit=0', /limit "0": give a number from 1 to 200/],
  ] as const) {
    const refused = await fetch(`${url}hosts?${query}`);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), new RegExp(says.source.replaceAll('"', '\\\\"')));
  }
  const block = url.replace('dashboard/', `hosts/${encodeURIComponent(blocked)}/block`);
  const foreign = await fetch(block, { method: 'POST', headers: { origin: 'http://evil.example' } });
  assert.equal(foreign.status, 403, 'a page elsewhere may not');
  assert.deepEqual(await json(block, { method: 'POST' }), { host: blocked, act: 'block' });
  const hold = async () => (await json<HostListStatus>(`${url}hosts?search=${blocked}`)).hosts[0]?.hold;
  while ((await hold()) !== 'blocked') await sleep(20);
  const steered = async (act: string) => json(url.replace('dashboard/', `crawl/${act}`), { method: 'POST' });
  assert.deepEqual(await steered('pause'), { act: 'pause', changed: true });
  assert.deepEqual(await steered('pause'), { act: 'pause', changed: false });
  while (!(await json<CrawlStatus>(`${url}data`)).paused) await sleep(20);
  const elsewhere = await fetch(url.replace('dashboard/', 'crawl/resume'), {
    method: 'POST',
    headers: { origin: 'http://evil.example' },
  });
  assert.equal(elsewhere.status, 403, 'a page elsewhere may not');
  assert.deepEqual(await steered('resume'), { act: 'resume', changed: true });
  const delay = (amount: unknown) =>
    fetch(block.replace(/block$/, 'delay'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });
  for (const amount of [-1, 1.5, '5', 90_000_000, undefined])
    assert.equal((await delay(amount)).status, 400, `${amount}`);
  assert.deepEqual(await (await delay(120)).json(), { host: blocked, act: 'delay', amount: 120 });
  const page120 = async () => json<HostPageStatus>(`${url}host?host=${encodeURIComponent(blocked)}`);
  while ((await page120()).ownDelayMs !== 120) await sleep(20);
  const { why, queue, hold: held } = await page120();
  assert.deepEqual([why, held], ['an operator blocked it', 'blocked']);
  assert.ok(queue.every((one) => new URL(one.url).host === blocked));
  assert.equal((await fetch(`${url}host?host=never.example`)).status, 400);
  const { lines } = await json<ExplainStatus>(`${url}explain?url=${encodeURIComponent(small.seeds[0]!)}`);
  assert.match(new Map(lines).get('host') ?? '', /an operator blocked it/);
  const beside = await dashboardOf(through);
  for (const question of ['explain', 'record', 'story'])
    await json(`${beside}${question}?url=${encodeURIComponent(small.seeds[0]!)}`);

  const over = eventOf(url, 'over');
  assert.equal((await json<CrawlStatus>(`${beside}data`)).crawl, 'crawl');
  assert.ok((await json<HistoryStatus>(`${beside}history`)).atMs.length > 1);
  assert.deepEqual(
    (await json<HostPageStatus>(`${beside}host?host=${encodeURIComponent(blocked)}`)).hold,
    'blocked',
    'through another service',
  );
  assert.deepEqual(
    await json(beside.replace('dashboard/', `hosts/${encodeURIComponent(blocked)}/release`), { method: 'POST' }),
    { host: blocked, act: 'release' },
  );
  while ((await hold()) !== '') await sleep(20);
  const { code, stderr } = await crawl.ended;
  assert.equal(code, 0, stderr);
  const { phase, counts } = await over;
  assert.deepEqual(
    [phase, counts['page'], counts['deferred']],
    ['done', 180, 0],
    'the blocked host was taken up again',
  );
  const gone = await fetch(`${beside}data`);
  assert.match(await gone.text(), /does not answer: check that the service runs/);
  through.child.kill('SIGTERM');
  assert.equal((await through.ended).code, 0);

  const after = startCommand(['dashboard', '--data', data, '--http', '0']);
  const left = await dashboardOf(after);
  while ((await json<CrawlStatus>(`${left}data`)).phase !== 'done') await sleep(200);
  const history = await json<HistoryStatus>(`${left}history`);
  assert.equal(history.columns.page.at(-1), 180);
  assert.equal((await json<HostListStatus>(`${left}hosts?sort=fetched`)).hosts.length, 3);
  assert.equal((await json<HostPageStatus>(`${left}host?host=${encodeURIComponent(blocked)}`)).pages, 60);
  await json(left.replace('dashboard/', `hosts/${encodeURIComponent(blocked)}/block`), { method: 'POST' });
  after.child.kill('SIGTERM');
  assert.equal((await after.ended).code, 0);
});

test('the record of a URL has facts, text and links, and a purged page has none, on the dashboard and by pages --url', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 12, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawled = await runCommand([...small.crawlArguments, '--delay', '0', '--data', data]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const seed = small.seeds[0]!;
  const page = async () => runCommand(['pages', '--url', seed.replace(/^http:\/\//, ''), '--data', data]);
  const stored = JSON.parse((await page()).stdout) as Page;

  const shows = startCommand(['dashboard', '--data', data, '--http', '0']);
  const url = await dashboardOf(shows);
  const record = () => json<RecordStatus>(`${url}record?url=${encodeURIComponent(seed)}`);
  const { facts, text, textChars, missing, links, linkCount } = await record();
  assert.deepEqual([new Map(facts).get('title'), text, missing], [stored.title, stored.text, '']);
  assert.deepEqual([textChars, links.length > 0, links.length], [text.length, true, linkCount]);
  assert.ok(links.every(({ verdict }) => /^admitted$|^refused by \w+: /.test(verdict)));
  const unknown = await json<RecordStatus>(`${url}record?url=${encodeURIComponent(`${seed}never`)}`);
  assert.deepEqual([unknown.facts, unknown.missing], [[], 'no page of this URL is stored']);

  const purged = await runCommand(['purge', seed, '--data', data]);
  assert.equal(purged.code, 0, purged.stderr);
  const gone = await record();
  assert.deepEqual([gone.facts, gone.text, gone.missing], [[], '', 'an operator purged the page of this URL']);
  assert.deepEqual([gone.links, gone.linkCount], [[], 0]);
  const none = await page();
  assert.notEqual(none.code, 0);
  assert.match(none.stderr, /an operator purged the page of this URL; .* explain .* says why/);
  assert.ok((await json<CrawlStatus>(`${url}data`)).about);
  shows.child.kill('SIGTERM');
  await shows.ended;
  const open = startCommand(['dashboard', '--data', data, '--http', '0', '--http-open', 'reads']);
  const { about } = await json<CrawlStatus>(`${await dashboardOf(open)}data`);
  assert.equal(about, null, 'it is not for anybody who may read');
  open.child.kill('SIGTERM');
  await open.ended;
});

test('seeds are added, a dead letter is sent again and the crawl is stopped, by calls of the dashboard', async (t) => {
  const hits: string[] = [];
  const site = await serveSite(t, ({ url = '' }, response) => {
    hits.push(url);
    if (url === '/robots.txt' || url === '/bad') return response.writeHead(url === '/bad' ? 500 : 404).end();
    response.setHeader('content-type', 'text/html');
    const links = Array.from({ length: 300 }, (_, at) => `<a href="/${at}">${at}</a>`);
    return response.end(url === '/' ? `<a href="/bad">bad</a>${links.join('')}` : 'a page');
  });
  const host = `a.test:${site.port}`;
  const crawl = startCommand([
    ...['crawl', `http://${host}/`, '--resolve', `${host}:127.0.0.1`, '--contact', 'me@example.org', '--delay', '50ms'],
    ...['--retries', 'none', '--no-traps', '--data', join(temporaryFolder(), 'data'), '--dashboard', '127.0.0.1:0'],
  ]);
  const url = await dashboardOf(crawl);
  await eventOf(url, 'told');
  const post = (path: string, body: object) =>
    fetch(url.replace('dashboard/', path), {
      method: 'POST',
      headers: { 'x-crawlstream': '1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const look = () => json<CrawlStatus>(`${url}data`);
  const letters = async () => (await look()).letters?.newest ?? [];
  while ((await letters()).length === 0) await sleep(100);
  assert.equal((await look()).canStop, true);
  assert.equal((await post('crawl/pause', {})).status, 202);

  const seeds = [`http://${host}/seed`, 'http://elsewhere.test/', 'ftp://a.test/', `http://me:secret@${host}/`];
  const { sent, refused } = (await (await post('crawl/seeds', { urls: seeds })).json()) as SeedsStatus;
  assert.deepEqual([sent, refused.map(({ url }) => url)], [seeds.slice(0, 1), seeds.slice(1)]);
  assert.match(refused[0]!.why, /refused by rule scope/);
  for (const body of [{}, { urls: [] }, { urls: 'a.test' }, { urls: [1] }])
    assert.equal((await post('crawl/seeds', body)).status, 400, JSON.stringify(body));
  const { kinds, hosts } = await json<ErrorsStatus>(`${url}errors`);
  assert.deepEqual(
    kinds.map(({ kind, counts }) => [kind, counts.reduce((sum, count) => sum + count, 0)]),
    [['serverError', 1]],
  );
  assert.deepEqual(
    hosts.map((one) => [one.host, one.url, one.count]),
    [[host, `http://${host}/bad`, 1]],
  );
  const ids = [(await letters())[0]!.id];
  assert.deepEqual(await (await post('letters/replay', { ids })).json(), { replayed: ids });
  while (!(await letters())[0]!.replayed) await sleep(100);
  assert.deepEqual(await (await post('letters/replay', { ids })).json(), { replayed: [] }, 'each is sent once');

  assert.equal((await post('crawl/resume', {})).status, 202);
  while (!hits.includes('/seed') || hits.filter((path) => path === '/bad').length < 2) await sleep(100);
  assert.deepEqual(await (await post('crawl/stop', {})).json(), { act: 'stop', changed: true });
  // It may have ended meanwhile.
  await post('crawl/stop', {}).catch(() => null);
  const { signal, stdout, stderr } = await crawl.ended;
  assert.equal(signal, null);
  assert.doesNotMatch(stdout + stderr, /stopped at once/);
  assert.match(stdout + stderr, /crawl --data/, 'it says how to go on');
});

test('pages are searched and duplicates listed while a crawl indexes and dedups, and after it; without their consumers, neither these nor a map are offered', async (t) => {
  const words = (name: string) => Array.from({ length: 60 }, (_, at) => `${name}${at}`).join(' ');
  const site = await serveSite(t, ({ url = '' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    const links = ['a', 'b', ...Array.from({ length: 40 }, (_, at) => String(at))].map(
      (one) => `<a href="/${one}">x</a>`,
    );
    response.setHeader('content-type', 'text/html');
    if (url === '/') return response.end(`<title>Start</title>${words('start')} ${links.join('')}`);
    const [title, text] = /^\/[ab]$/.test(url) ? ['Copy', words('same')] : [url, words(`page${url.slice(1)}x`)];
    return response.end(`<title>Page &lt;b> ${title}</title>${text}`);
  });
  const seed = `http://a.test:${site.port}/`;
  const crawlOf = (data: string, ...more: readonly string[]) => [
    ...['crawl', seed, '--resolve', `a.test:${site.port}:127.0.0.1`, '--contact', 'me@example.org', '--data', data],
    ...['--delay', '100ms', ...more],
  ];
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand(crawlOf(data, '--with', 'index,dedup', '--dashboard', '127.0.0.1:0'));
  const running = await dashboardOf(crawl);
  await eventOf(running, 'told');
  const search = (url: string, words: string) =>
    json<SearchStatus>(`${url}search?words=${encodeURIComponent(words)}`).then(({ hits }) => hits);
  while (!(await json<CrawlStatus>(`${running}data`)).canSearch) await sleep(50);
  while ((await search(running, 'start7')).length === 0) await sleep(50);
  assert.equal((await crawl.ended).code, 0);

  const shows = startCommand(['dashboard', '--data', data, '--http', '0']);
  const url = await dashboardOf(shows);
  const { canSearch, canListDuplicates, duplicates } = await json<CrawlStatus>(`${url}data`);
  assert.deepEqual([canSearch, canListDuplicates, duplicates?.exact], [true, true, 1]);
  const [hit] = await search(url, '"page3x1 page3x2"');
  assert.deepEqual([hit?.url, hit?.title], [`${seed}3`, 'Page <b> /3']);
  assert.match(hit!.snippet, /\[page3x1\] \[page3x2\]|\[page3x1 page3x2\]/);
  const { clusters, listed } = await json<DuplicateListStatus>(`${url}duplicates`);
  assert.deepEqual([clusters, listed.length], [1, 1]);
  assert.deepEqual([listed[0]!.representative, listed[0]!.pages[0]!.url].sort(), [`${seed}a`, `${seed}b`]);
  for (const bad of ['', '-start7', 'x'.repeat(201)])
    assert.equal((await fetch(`${url}search?words=${bad}`, { headers: { 'x-crawlstream': '1' } })).status, 400, bad);
  shows.child.kill('SIGTERM');
  await shows.ended;

  const bare = join(temporaryFolder(), 'data');
  assert.equal((await runCommand(crawlOf(bare, '--max-pages', '2'))).code, 0);
  const plain = startCommand(['dashboard', '--data', bare, '--http', '0']);
  const without = await dashboardOf(plain);
  const status = await json<CrawlStatus>(`${without}data`);
  assert.deepEqual([status.canSearch, status.canListDuplicates, status.canMapHosts], [false, false, false]);
  for (const [path, says] of [
    ['map', /no links are kept on this machine: crawl with --with graph/],
    ['search?words=x', /no page is indexed on this machine: crawl with --with index/],
    ['duplicates', /this crawl has no duplicate pages/],
  ] as const) {
    const refused = await fetch(`${without}${path}`, { headers: { 'x-crawlstream': '1' } });
    assert.deepEqual([refused.status, says.test(await refused.text())], [400, true], path);
  }
  plain.child.kill('SIGTERM');
  await plain.ended;
});

test('a map shows the hosts that link to each other while a crawl keeps links, after it, and through another dashboard', async (t) => {
  const site = await serveSite(t, ({ url = '', headers }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    const to = (host: string, path: string) => `<a href="http://${host}.test:${site.port}/${path}">x</a>`;
    const own = headers.host!.startsWith('a.') ? 'a' : 'b';
    const others = own === 'a' ? to('b', '') + to('b', '1') + to('far', '') : to('a', '');
    response.setHeader('content-type', 'text/html');
    response.end(url === '/' ? others + [1, 2, 3, 4].map((path) => to(own, `${path}`)).join('') : `page ${url}${own}`);
  });
  const [a, b, far] = ['a', 'b', 'far'].map((name) => `${name}.test:${site.port}`) as [string, string, string];
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand([
    ...[
      'crawl',
      `http://${a}/`,
      `http://${b}/`,
      '--resolve',
      `*.test:${site.port}:127.0.0.1`,
      '--contact',
      'me@example.org',
    ],
    ...['--data', data, '--delay', '400ms', '--with', 'graph', '--dashboard', '127.0.0.1:0'],
  ]);
  const running = await dashboardOf(crawl);
  await eventOf(running, 'told');
  while (!(await json<CrawlStatus>(`${running}data`)).canMapHosts) await sleep(50);
  const edgesAt = async (url: string) => {
    const { hosts, edges } = await json<HostMapStatus>(`${url}map`);
    return edges.map(({ from, to, links }) => `${hosts[from]!.host} ${hosts[to]!.host} ${links}`).sort();
  };
  const expected = [`${a} ${b} 2`, `${a} ${far} 1`, `${b} ${a} 1`];
  while ((await edgesAt(running)).length < expected.length) await sleep(50);
  assert.equal(crawl.child.exitCode, null, 'it still runs');
  assert.deepEqual(await edgesAt(running), expected);
  assert.equal((await crawl.ended).code, 0);

  const shows = startCommand(['dashboard', '--data', data, '--http', '0']);
  const url = await dashboardOf(shows);
  const through = startCommand(['dashboard', '--url', new URL(url).origin, '--http', '0']);
  const { canMapHosts } = await json<CrawlStatus>(`${url}data`);
  const map = await json<HostMapStatus>(`${url}map`);
  assert.deepEqual(
    [canMapHosts, map.hosts],
    [
      true,
      [
        { host: a, pages: 5 },
        { host: b, pages: 5 },
        { host: far, pages: 0 },
      ],
    ],
  );
  assert.deepEqual([map.hostsLeftOut, map.edgesLeftOut, map.isEstimate], [0, 0, false]);
  assert.deepEqual(await edgesAt(url), expected);
  assert.deepEqual(await json<HostMapStatus>(`${await dashboardOf(through)}map`), map);
  const exported = await runCommand(['export', 'graph', '--data', data, '--format', 'csv']);
  const lines = exported.stdout.trim().split('\n').slice(1);
  assert.deepEqual(lines.map((line) => line.trim().replaceAll(',', ' ')).sort(), expected, 'as export graph has them');
  for (const one of [shows, through]) {
    one.child.kill('SIGTERM');
    await one.ended;
  }
});

test('URLs that ended without a page are listed by reason on the dashboard of an ended crawl, and through another one', async (t) => {
  const site = await serveSite(t, ({ url = '' }, response) => {
    if (url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private\n');
    response.setHeader('content-type', 'text/html');
    if (url !== '/') return response.writeHead(url === '/broken' ? 500 : 404).end();
    const links = ['private', 'broken', ...Array.from({ length: 120 }, (_, at) => `gone/${at}`)];
    return response.end(links.map((path) => `<a href="/${path}">x</a>`).join(''));
  });
  const seed = `http://a.test:${site.port}/`;
  const data = join(temporaryFolder(), 'data');
  const crawl = await runCommand([
    ...['crawl', seed, '--resolve', `a.test:${site.port}:127.0.0.1`, '--contact', 'me@example.org', '--data', data],
    ...['--delay', '0', '--retries', 'none', '--no-traps'],
  ]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const shows = startCommand(['dashboard', '--data', data, '--http', '0']);
  const url = await dashboardOf(shows);
  const status = await json<CrawlStatus>(`${url}data`);
  const said = { text: '122 URLs ended without a page: 120 failed, 1 dead-lettered, 1 refused by robots.txt' };
  assert.deepEqual(status.troubles.at(-1), { severity: 'note', ...said, part: 'failures' });
  const { reasons, reasonsLeftOut } = await json<FailuresStatus>(`${url}failures`);
  assert.deepEqual(
    reasons.map(({ kind, status, waits, count, urls }) => [kind, status, waits, count, urls.length].join(' ')).sort(),
    ['gone 404 false 120 100', 'robotsDenied 0 false 1 1', 'serverError 500 false 1 1'],
  );
  assert.deepEqual(
    [reasons[0]!.kind, reasons.find(({ status }) => status === 500)?.urls[0]?.url, reasonsLeftOut],
    ['gone', `${seed}broken`, 0],
  );
  const through = startCommand(['dashboard', '--url', new URL(url).origin, '--http', '0']);
  assert.deepEqual(await json<FailuresStatus>(`${await dashboardOf(through)}failures`), { reasons, reasonsLeftOut });
  for (const one of [shows, through]) {
    one.child.kill('SIGTERM');
    await one.ended;
  }
});

test('a watched crawl waits for the release of its last, blocked host, and ends with all pages', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 30, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand([
    ...[...small.crawlArguments, '--delay', '100ms', '--data', data, '--dashboard', '127.0.0.1:0'],
  ]);
  const url = await dashboardOf(crawl);
  await eventOf(url, 'told');
  const look = () => json<CrawlStatus>(`${url}data`);
  while ((await look()).counts['page']! < 3) await sleep(50);
  const host = url.replace('dashboard/', `hosts/${encodeURIComponent(new URL(small.seeds[0]!).host)}`);
  await json(`${host}/block`, { method: 'POST' });
  let status = await look();
  while (status.phase !== 'held') {
    assert.ok(!['done', 'stopped'].includes(status.phase), status.phase);
    await sleep(100);
    status = await look();
  }
  assert.match(status.troubles.map(({ text }) => text).join('\n'), /All that is left is blocked: \d+ URLs deferred/);
  await sleep(2_000);
  assert.equal(crawl.child.exitCode, null, 'it waits');
  assert.match(crawl.output(), /unblock a host on the dashboard, or press Ctrl-C to end the crawl/);
  await json(`${host}/unblock`, { method: 'POST' });
  const { code, stderr } = await crawl.ended;
  assert.equal(code, 0, stderr);
  const { stdout } = await runCommand(['stats', '--data', data, '--json']);
  assert.deepEqual([JSON.parse(stdout).pages, JSON.parse(stdout).deferred], [30, 0]);
});

test('a dashboard of nothing, and two addresses for one server, are refused', async () => {
  const nothing = await runCommand(['dashboard']);
  assert.equal(nothing.code, 2);
  assert.match(
    nothing.stderr,
    /no crawl is given: add its --data folder, its --brokers, or the --url of a running service/,
  );
  const twice = ['crawl', 'http://127.0.0.1:8/', '--http', '9464', '--dashboard', '9465'];
  const two = await runCommand(twice, { cwd: temporaryFolder() });
  assert.equal(two.code, 2);
  assert.match(two.stderr, /share one server: give the address to --http only/);
});
