/** A crawl that takes pushes, over real sockets: a site, a hub, and the command between them, wherever it keeps its crawl. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { jsonOf, logLines } from './terminal/log-schema.ts';

interface Hit {
  readonly path: string;
  readonly atMs: number;
  readonly etag: string | undefined;
  readonly userAgent: string | undefined;
}

const delayMs = 300;

async function listen(answer: Parameters<typeof createServer>[1]): Promise<{ server: Server; origin: string }> {
  const server = createServer(answer as never).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close().closeAllConnections());
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function freePort(): Promise<number> {
  const { server, origin } = await listen(() => {});
  server.close();
  return Number(new URL(origin).port);
}

/**
 * Runs a crawl until it has taken pushes of every kind, and stops it. `place`: options of the crawl's place. Returns where
 * its site was.
 */
export async function crawlWithPushes(place: readonly string[]): Promise<string> {
  const hits: Hit[] = [];
  const subscribed: Record<string, string>[] = [];
  const hubAgents: (string | undefined)[] = [];
  const hub = await listen(async (request: IncomingMessage, response) => {
    hubAgents.push(request.headers['user-agent']);
    subscribed.push(Object.fromEntries(new URLSearchParams(await text(request))));
    response.writeHead(202).end();
  });
  const site = await listen((request, response) => {
    const path = request.url!;
    hits.push({
      path,
      atMs: Date.now(),
      etag: request.headers['if-none-match'],
      userAgent: request.headers['user-agent'],
    });
    if (path === '/robots.txt') return response.writeHead(404).end();
    if (path === '/feed') {
      const links = `<link rel="hub" href="${hub.origin}/"/><link rel="self" href="${site.origin}/feed"/>`;
      response.writeHead(200, { 'content-type': 'application/atom+xml' });
      return response.end(`<feed xmlns="http://www.w3.org/2005/Atom">${links}</feed>`);
    }
    if (path === '/sm.xml') return response.end(`<urlset><url><loc>${site.origin}/listed</loc></url></urlset>`);
    response.writeHead(200, { 'content-type': 'text/html', etag: '"v1"' });
    return response.end('<a href="/a">a</a> <a href="/b">b</a>');
  });
  const callback = `http://127.0.0.1:${await freePort()}`;
  const rules = join(temporaryFolder(), 'rules.json');
  await writeFile(rules, JSON.stringify([{ hosts: ['127.0.0.1'], identity: { userAgent: 'PressClub/3' } }]));
  const crawl = startCommand([
    ...['crawl', `${site.origin}/`, '--allow-private', '--contact', 'me@example.org', '--delay', `${delayMs}ms`],
    ...['--recrawl', 'fixed', '--recrawl-every', '30d', '--sitemap', '/sm.xml', '--requests', rules, ...place],
    ...['--http', callback.slice('http://'.length), '--callback', callback, '--log', 'json'],
  ]);
  const call = (path: string, init?: RequestInit) => fetch(`${callback}${path}`, init);
  const post = (path: string, body: unknown) =>
    call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
    const untilMs = Date.now() + 60_000;
    while (!(await holds())) {
      assert.ok(Date.now() < untilMs, `${what}\n${crawl.output()}`);
      await sleep(20);
    }
  };
  const of = (path: string) => hits.filter((hit) => hit.path === path);
  try {
    const first = ['/a', '/b', '/listed'];
    await until('all pages were fetched', () => first.every((path) => of(path).length === 1));
    const asked = await post('/subscriptions', { topic: `${site.origin}/feed` });
    assert.equal(asked.status, 202, await asked.text());
    const [{ 'hub.callback': to, 'hub.secret': key, ...wish }] = subscribed as [Record<string, string>];
    assert.deepEqual([wish['hub.mode'], wish['hub.topic']], ['subscribe', `${site.origin}/feed`]);
    // A site that agreed to another name is asked under it for its feed, too, and so is its hub.
    assert.deepEqual([of('/feed')[0]!.userAgent, ...hubAgents], Array(2).fill('PressClub/3 (+me@example.org)'));
    const challenge = `hub.mode=subscribe&hub.topic=${encodeURIComponent(`${site.origin}/feed`)}&hub.lease_seconds=86400`;
    assert.equal(await (await fetch(`${to}?${challenge}&hub.challenge=c123`)).text(), 'c123');
    assert.equal((await fetch(`${to}?${challenge.replace('feed', 'other')}&hub.challenge=c`)).status, 404);

    // A page of its own that the crawl knows, and nothing else is due.
    await sleep(2 * delayMs);
    const content = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${site.origin}/a"/></entry></feed>`;
    const deliver = (signature: string) => {
      const headers = { 'content-type': 'application/atom+xml', 'x-hub-signature': signature };
      return fetch(to!, { method: 'POST', headers, body: content });
    };
    // Whoever forges pushes does not fill the log with them.
    for (let n = 0; n < 30; n++) assert.equal((await deliver(`sha256=${'0'.repeat(64)}`)).status, 202);
    await sleep(3 * delayMs);
    assert.equal(of('/a').length, 1, 'a forged push fetches nothing');
    const before = hits.length;
    assert.equal((await deliver(`sha256=${createHmac('sha256', key!).update(content).digest('hex')}`)).status, 202);
    await until('the pushed page is fetched again', () => of('/a').length === 2);
    // Its host's next slot, or the one after that: the topic itself, which the crawl had not met, goes beside it.
    const next = hits.slice(before, before + 2).map(({ path }) => path);
    assert.ok(next.includes('/a'), `${next}`);
    assert.equal(of('/a')[1]!.etag, '"v1"');

    const submitted = await post('/urls', { urls: [`${site.origin}/b`, `${site.origin}/new`, 'mailto:x@y.z'] });
    assert.equal(submitted.status, 202);
    const { accepted, refused } = (await submitted.json()) as { accepted: number; refused: { url: string }[] };
    assert.deepEqual([accepted, refused.map(({ url }) => url)], [2, ['mailto:x@y.z']]);
    await until('what was submitted is fetched', () => of('/b').length === 2 && of('/new').length === 1);
    // A push for a page that is being fetched says nothing new to the frontier.
    await until('what was submitted is finished', async () => {
      const answer = await call(`/hosts/${new URL(site.origin).host}`);
      return ((await answer.json()) as { leases: object[] }).leases.length === 0;
    });
    const news = { host: new URL(site.origin).host, key: 'k', urlList: [`${site.origin}/b`] };
    assert.equal((await post('/indexnow', news)).status, 202);
    await until('what was announced is fetched', () => of('/b').length === 3);
    assert.equal((await post('/indexnow', { ...news, host: 'other.test' })).status, 400);
    assert.equal((await post('/urls', {})).status, 400);
    for (const [n, hit] of hits.entries()) {
      if (n === 0 || hit.path === '/feed' || hits[n - 1]!.path === '/feed') continue;
      assert.ok(hit.atMs - hits[n - 1]!.atMs >= delayMs / 2, `${hit.path} came too early`);
    }
    const host = (await (await call(`/hosts/${new URL(site.origin).host}`)).json()) as { refresh: { pages: number } };
    assert.ok(host.refresh.pages >= 4, JSON.stringify(host));
    assert.match(await (await call('/metrics')).text(), /crawlstream_frontier_within_goal_ratio\{[^}]*\} 1\n/);
    const { subscriptions } = (await (await call('/subscriptions', { headers: { 'x-crawlstream': '1' } })).json()) as {
      subscriptions: object[];
    };
    assert.deepEqual(
      subscriptions.map((one) => ({ ...one, expiresAtMs: 0 })),
      [{ topic: `${site.origin}/feed`, hub: `${hub.origin}/`, state: 'active', expiresAtMs: 0, pushes: 1, forged: 30 }],
    );
  } finally {
    crawl.child.kill('SIGINT');
  }
  assert.equal((await crawl.ended).code, 130, crawl.output());
  const forged = logLines(jsonOf(crawl.output())).filter(({ msg }) => msg.includes('a delivery for '));
  assert.deepEqual([forged.length, forged.at(-1)!['repeated']], [6, 25], 'five lines, and one of how many more');
  return site.origin;
}
