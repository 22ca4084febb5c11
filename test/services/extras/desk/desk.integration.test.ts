/**
 * The desk for webmasters, by its command and over sockets: first what strangers may try, then what an owner gets.
 */
import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import type { Control } from '../../../../schemas/types.ts';
import { withCrawl } from '../../../../services/hosting/connect/open-crawl.ts';
import { controlEvents } from '../../../../services/runtime/crawl/control-log.ts';
import { listening } from '../../cli/listening.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { serveTxt } from './dns-server.ts';
import { Visitor } from './visitor.ts';

const robots = 'User-agent: *\n# <script>alert(1)</script>\nDisallow: /private\n';
const filePath = '/.well-known/crawlstream-desk.txt';

/** Two hosts that were crawled, and a name server. `files`: what each host has at the well-known path. */
async function startWorld(t: TestContext) {
  const files = new Map<string, { readonly status: number; readonly text: string; readonly location?: string }>();
  const site = await serveSite(t, ({ url = '/' }, response, host) => {
    if (url === '/robots.txt') return response.end(robots);
    if (url === filePath) {
      const { status, text, location } = files.get(host) ?? { status: 404, text: '' };
      return response.writeHead(status, location === undefined ? {} : { location }).end(text);
    }
    response.setHeader('content-type', 'text/html').end(`<title>${url}</title><a href="/of-${host}">next</a>`);
  });
  const dns = await serveTxt(t);
  const data = join(temporaryFolder(), 'data');
  const reach = ['--resolve', `*.test:${site.port}:127.0.0.1`];
  const crawl = async (...paths: string[]) => {
    const seeds = ['a.test/', 'b.test/', ...paths].map((path) => `http://${path.replace('/', `:${site.port}/`)}`);
    const ended = await runCommand([
      'crawl',
      ...seeds,
      '--data',
      data,
      ...reach,
      '--delay',
      '50ms',
      '--partitions',
      '2',
    ]);
    assert.equal(ended.code, 0, ended.stderr);
  };
  await crawl();
  const startDesk = async (...more: string[]) => {
    const words = ['--data', data, '--http', '127.0.0.1:0', '--dns', dns.address, ...reach, ...more];
    const running = startCommand(['desk', ...words]);
    t.after(() => running.child.kill('SIGKILL'));
    const address = await listening(running);
    await until(async () => (await fetch(`${address}/readyz`)).status === 200);
    return address;
  };
  return { site, files, dns, data, crawl, startDesk, hostOf: (name: string) => `${name}:${site.port}` };
}

/** Operators' events, of all partitions. */
async function ordersOf(data: string): Promise<Control[]> {
  const found: Control[] = [];
  await withCrawl({ data, crawl: 'crawl' }, async ({ log, codec, topics: { crawl, partitions } }) => {
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await log.offsets(`${crawl}.control`, partition);
      for await (const { event } of controlEvents(log, codec, crawl, partition, start, end))
        if (event.hostKey !== '') found.push(event);
    }
  });
  return found;
}

type World = Awaited<ReturnType<typeof startWorld>>;

test('the webmaster page', async (t) => {
  const world = await startWorld(t);
  const desk = await world.startDesk();
  await t.test('nobody can act for a host, or read about it, without a proof', () => strangers(world, desk));
  await t.test('spellings of one host are one host, and an ambiguous one is none', () => spellings(world, desk));
  await t.test('a proof expires, floods are rejected, and a removed proof must be made again', () => ends(world, desk));
  await t.test('an owner sees our visits, slows and pauses the crawl, and removes the host, with receipts', () =>
    owners(world, desk),
  );
});

async function strangers({ site, files, dns, data, hostOf }: World, desk: string): Promise<void> {
  const [a, b] = [hostOf('a.test'), hostOf('b.test')];
  const owner = new Visitor(desk, '192.0.2.11');
  const stranger = new Visitor(desk, '192.0.2.12');
  const { line } = await owner.asked(a);
  const pause = { order: 'pause' };

  // Without any proof.
  assert.equal((await stranger.prove(a, 'file')).status, 403);
  assert.equal((await stranger.prove(a, 'dns')).status, 403);
  assert.equal((await stranger.order(a, pause)).status, 403);

  // Another's: what the owner has published proves nothing for who reads it there, asks for the same, or says so.
  files.set('a.test', { status: 200, text: `# ours\r\n${line}\r\n` });
  dns.texts.set('_crawlstream-desk.a.test', [line]);
  assert.equal((await owner.prove(a, 'file')).status, 303);
  assert.notEqual((await stranger.asked(a)).line, line);
  assert.equal((await stranger.prove(a, 'file')).status, 403);
  assert.equal((await stranger.prove(a, 'dns')).status, 403);

  // A proof of one host is none of another, nor is its text.
  files.set('b.test', { status: 200, text: line });
  assert.equal((await owner.prove(b, 'file')).status, 403);
  assert.equal((await owner.order(b, pause)).status, 403);
  const ofB = await owner.get(`/host?host=${b}`);
  assert.doesNotMatch(ofB.text, /of-b\.test|Newest requests/);
  assert.match((await owner.get(`/host?host=${a}`)).text, /of-a\.test/);

  // A file that leads elsewhere, and texts at other names. It comes by another address, so as not to be one of too many.
  const also = { 'x-forwarded-for': '198.51.100.9' };
  const mine = await stranger.asked(b);
  const hitsOfA = site.hits.filter(({ path }) => path === '/mine').length;
  files.set('b.test', { status: 302, text: mine.line, location: `http://${a}/mine` });
  const led = await stranger.prove(b, 'file', also);
  assert.equal(led.status, 403);
  assert.match(led.text, /redirects are not followed/);
  assert.equal(site.hits.filter(({ path }) => path === '/mine').length, hitsOfA);
  files.set('b.test', { status: 404, text: mine.line });
  assert.equal((await stranger.prove(b, 'file', also)).status, 403);
  files.set('b.test', { status: 200, text: `<p>you asked for ${mine.line}</p>` });
  assert.equal((await stranger.prove(b, 'file', also)).status, 403);
  for (const name of ['b.test', '_crawlstream-desk.www.b.test', '_crawlstream-desk.test', '_desk.b.test'])
    dns.texts.set(name, [mine.line]);
  assert.equal((await stranger.prove(b, 'dns', also)).status, 403);

  // Pages of elsewhere: with the owner's cookie, without what only the desk's own page knows.
  const { form } = await owner.asked(b);
  const fields = { form, host: a, ...pause };
  for (const [what, sent, headers] of [
    ['no seal', { ...fields, form: '' }, {}],
    ['another visitor’s seal', { ...fields, form: mine.form }, {}],
    ['another origin', fields, { origin: 'https://evil.example' }],
    ['no origin that it says', fields, { origin: 'null' }],
    ['another site', fields, { 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', fields, { 'sec-fetch-site': 'same-site' }],
  ] as const)
    assert.equal((await owner.post('/order', sent, headers)).status, 403, what);
  const json = await fetch(`${desk}/order`, {
    ...{ method: 'POST', body: JSON.stringify(fields) },
    headers: { cookie: owner.cookie, 'content-type': 'application/json' },
  });
  assert.equal(json.status, 415);
  const rebound = await fetch(`${desk}/order`, { method: 'POST', body: new URLSearchParams(fields) });
  assert.equal(rebound.status, 403, 'no cookie');

  // A cookie that was made, or changed.
  const [name, value = ''] = owner.cookie.split('=');
  const [text = '', seal] = value.split('.');
  const visit = JSON.parse(Buffer.from(text, 'base64url').toString()) as { proven: object[] };
  visit.proven.push({ hostKey: b, untilMs: Date.now() + 1e6, how: 'dns' });
  stranger.cookie = `${name}=${Buffer.from(JSON.stringify(visit)).toString('base64url')}.${seal}`;
  assert.equal((await stranger.order(b, pause)).status, 403);

  // An address of this machine is not asked, whoever names it.
  const hits = site.hits.length;
  assert.equal((await stranger.prove(`127.0.0.1:${site.port}`, 'file', also)).status, 403);
  assert.equal(site.hits.length, hits);

  assert.deepEqual(await ordersOf(data), []);
}

async function spellings({ files, data, hostOf, site }: World, desk: string): Promise<void> {
  site.hits.length = 0;
  const owner = new Visitor(desk, '192.0.2.13');
  const a = hostOf('a.test');
  const { line, form } = await owner.asked(a);
  for (const same of [a.toUpperCase(), hostOf('a.test.'), hostOf('Ａ.test'), ` ${a} `])
    assert.equal((await owner.asked(same)).line, line, same);
  for (const other of ['a.test', hostOf('www.a.test'), hostOf('а.test'), hostOf('a.test.b.test'), 'a.test:8080'])
    assert.notEqual((await owner.asked(other)).line, line, other);
  assert.equal((await owner.asked('bücher.test')).line, (await owner.asked('xn--bcher-kva.test:443')).line);
  const foreign = [
    '',
    `evil.test@${a}`,
    `${a}@evil.test`,
    `${a}/`,
    `${a}/x`,
    `http://${a}`,
    `${a}#`,
    `${a}?x`,
    `a\\b.test`,
  ];
  for (const no of [...foreign, 'a%2etest', 'a b.test', 'a.test:99999', '[::1', 'x'.repeat(261)]) {
    assert.equal((await owner.get(`/host?host=${encodeURIComponent(no)}`)).status, 400, no);
    assert.equal((await owner.post('/prove', { form, host: no, how: 'file' })).status, 400, no);
  }
  assert.equal((await owner.get(`/host?host=${a}&host=b.test`)).status, 400);
  const twice = await fetch(`${desk}/prove`, {
    ...{ method: 'POST', body: `form=${form}&host=${a}&host=b.test&how=file` },
    headers: { cookie: owner.cookie, 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(twice.status, 400);

  // What is proven in one spelling is proven in all, and what is ordered so is of that host.
  files.set('a.test', { status: 200, text: line });
  assert.equal((await owner.prove(hostOf('A.TEST.'), 'file')).status, 303);
  assert.equal((await owner.post('/order', { form, host: a.toUpperCase(), order: 'pause' })).status, 200);
  assert.deepEqual(
    (await ordersOf(data)).map(({ kind, hostKey, by }) => [kind, hostKey, by]),
    [['blockHost', a, `webmaster of ${a}`]],
  );
  assert.equal(site.hits.filter(({ path }) => path === filePath).length, 1);
  assert.equal((await owner.post('/order', { form, host: a, order: 'resume' })).status, 200);
}

async function ends({ files, dns, data, startDesk, hostOf }: World, desk: string): Promise<void> {
  const b = hostOf('b.test');
  const before = (await ordersOf(data)).length;
  const short = new Visitor(await startDesk('--proof', '1s'), '192.0.2.14');
  files.set('b.test', { status: 200, text: (await short.asked(b)).line });
  assert.equal((await short.prove(b, 'file')).status, 303);
  const { form } = await short.asked(hostOf('a.test'));
  await sleep(1_100);
  assert.equal((await short.post('/order', { form, host: b, order: 'pause' })).status, 403);
  assert.doesNotMatch((await short.get(`/host?host=${b}`)).text, /Newest requests/);

  const owner = new Visitor(desk, '192.0.2.15');
  dns.texts.set('_crawlstream-desk.b.test', [(await owner.asked(b)).line]);
  assert.equal((await owner.prove(b, 'dns')).status, 303);
  dns.texts.clear();
  assert.equal((await owner.order(b, { order: 'remove' })).status, 400, 'it was not said to be sure');
  assert.equal((await owner.order(b, { order: 'remove', sure: 'yes' })).status, 403, 'the host no longer says so');
  for (let n = 0; n < 5; n++) {
    assert.equal((await owner.order(b, { order: 'pause' })).status, 200);
    assert.equal((await owner.order(b, { order: 'resume' })).status, 200);
  }
  const over = await owner.order(b, { order: 'pause' });
  assert.equal(over.status, 400);
  assert.match(over.text, /10 orders for .* were given in the last hour/);
  assert.equal((await ordersOf(data)).length, before + 10);

  // For one address, and whoever it says it is.
  const flood = new Visitor(desk, '192.0.2.16');
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++)
    statuses.push((await flood.prove('gone.test', 'dns', { 'x-forwarded-for': `192.0.2.${n}, 198.51.100.7` })).status);
  assert.deepEqual(statuses.slice(0, 10), Array(10).fill(403));
  assert.deepEqual(statuses.slice(10), [429, 429]);
  assert.equal((await flood.post('/prove', { form, host: 'x'.repeat(5_000), how: 'dns' })).status, 413);
}

async function owners({ site, dns, data, crawl, hostOf }: World, desk: string): Promise<void> {
  const [a, b] = [hostOf('a.test'), hostOf('b.test')];
  const owner = new Visitor(desk, '192.0.2.17');
  const start = await owner.get('/');
  const policy = start.headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.equal((await owner.get('/desk.css')).status, 200);
  dns.texts.set('_crawlstream-desk.a.test', ['v=spf1 -all', (await owner.asked(a)).line]);
  assert.equal((await owner.prove(a, 'dns')).status, 303);

  const account = (await owner.get(`/host?host=${a}`)).text;
  assert.doesNotMatch(account, /<script/);
  assert.match(account, /# &lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  const hash = /<td>([0-9a-f]{32})<td>crawlstream\//.exec(account)?.[1];
  assert.ok(hash !== undefined, account);
  assert.match(account, new RegExp(`<tr><td>${hash}<td>http://${a.replaceAll('.', '\\.')}/robots\\.txt`));
  for (const [name, isHers] of [
    ['a.test', true],
    ['b.test', false],
  ] as const)
    for (const path of ['/robots.txt', '/', `/of-${name}`])
      assert.equal(account.includes(`http://${hostOf(name)}${path}<`), isHers, `${name}${path}`);

  const fast = await owner.order(a, { order: 'delay', seconds: '0.01' });
  assert.equal(fast.status, 400);
  assert.match(fast.text, /enter at least/);
  for (const seconds of ['-1', 'NaN', '1e9', '99999999', '0x10'])
    assert.equal((await owner.order(a, { order: 'delay', seconds })).status, 400, seconds);
  const slowed = await owner.order(a, { order: 'delay', seconds: '1.2' });
  assert.equal(slowed.status, 200);
  const receipt = /<pre id="receipt">([\w.-]+)<\/pre>/.exec(slowed.text)![1]!;
  const [head = '', body = '', signature = ''] = receipt.split('.');
  const { jwk } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly jwk: JsonWebKey };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const isSigned = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  assert.ok(isSigned(`${head}.${body}`));
  const said = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  assert.ok(!isSigned(`${head}.${Buffer.from(JSON.stringify({ ...said, host: b })).toString('base64url')}`));
  const { receipt: form, host, order, delayMs, by } = said;
  assert.deepEqual([form, host, order, delayMs, by], ['crawlstream-desk-1', a, 'delay', 1_200, `webmaster of ${a}`]);

  const pagesOf = (name: string) =>
    site.hits.filter((hit) => hit.host === name && ![filePath, '/robots.txt'].includes(hit.path));
  assert.equal((await owner.order(a, { order: 'pause' })).status, 200);
  site.hits.length = 0;
  await crawl('a.test/1', 'a.test/2', 'a.test/3', 'b.test/1');
  assert.deepEqual([pagesOf('a.test').length, pagesOf('b.test').length], [0, 1]);

  assert.equal((await owner.order(a, { order: 'resume' })).status, 200);
  await crawl('b.test/2');
  const waited = pagesOf('a.test');
  assert.equal(waited.length, 3);
  for (let n = 1; n < waited.length; n++)
    assert.ok(waited[n]!.startMs - waited[n - 1]!.endMs >= 1_190, 'the wait that was asked for');

  // An operator's word is not undone here.
  const operator = async (...words: string[]) => {
    const ended = await runCommand([...words, '--data', data, '--by', 'operator']);
    assert.equal(ended.code, 0, ended.stderr);
  };
  await operator('block', a);
  assert.match((await owner.order(a, { order: 'resume' })).text, /only the operator can unblock it/);
  await operator('unblock', a);
  await operator('delay', a, '5s');
  assert.match((await owner.order(a, { order: 'delay', seconds: '2' })).text, /already waits 5 s between requests/);

  assert.equal((await owner.order(a, { order: 'remove', sure: 'yes' })).status, 200);
  const { form: seal } = await owner.asked(b);
  assert.equal((await owner.post('/order', { form: seal, host: a, order: 'resume' })).status, 400);
  site.hits.length = 0;
  await crawl('a.test/4', 'b.test/3');
  assert.deepEqual([pagesOf('a.test').length, pagesOf('b.test').length], [0, 1]);
  const audit = await runCommand(['audit', '--data', data, '--json']);
  assert.deepEqual((lastJson(audit) as { readonly details: unknown }).details, []);
}
