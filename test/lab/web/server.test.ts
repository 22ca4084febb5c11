import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkCrawl } from '../../../lab/web/check.ts';
import { hostileKinds } from '../../../lab/web/hosts.ts';
import { crawlNaively, getFromLoopback } from '../../../lab/web/naive-crawl.ts';
import { planWeb } from '../../../lab/web/plan.ts';
import { type RunningWeb, startWeb, type WebServerOptions } from '../../../lab/web/server.ts';

type Changes = Parameters<typeof planWeb>[0];

async function withWeb(
  changes: Changes,
  use: (web: RunningWeb, plan: ReturnType<typeof planWeb>) => Promise<void>,
  options: WebServerOptions = {},
): Promise<void> {
  const plan = planWeb(changes);
  const web = await startWeb(plan, options);
  try {
    await use(web, plan);
  } finally {
    await web.close();
  }
}

test('a naive crawl over sockets fetches what is expected, once each, and the checker agrees', () =>
  withWeb(
    { preset: 'full', hosts: 16, pagesPerHost: 20, domains: 2, slowMs: 5, calendarMonths: 3 },
    async (web, plan) => {
      const found = await crawlNaively(plan, web.port, getFromLoopback);
      assert.deepEqual([...found.fetched].sort(), [...plan.expected(web.port).fetch].sort());
      const report = checkCrawl(plan, web.requests(), { delayMs: 0, crawlDelays: false, dropped: web.dropped });
      assert.ok(report.ok, JSON.stringify(report));
      assert.equal(checkCrawl(plan, web.requests(), { delayMs: 1000 }).ok, false);
    },
  ));

test('a valid validator is answered 304, another 200', () =>
  withWeb({ hosts: 1, pagesPerHost: 40, validators: 1 }, async (web, plan) => {
    const forms = new Set<string>();
    for (let page = 0; page < 40; page += 1) {
      const url = new URL(page === 0 ? '/' : `/p/${page}`, plan.seeds(web.port)[0]);
      const { status, headers } = await getFromLoopback(url);
      if (status !== 200) continue; // a page of another form
      const { etag, 'last-modified': lastModified } = headers;
      forms.add(`${etag !== undefined} ${lastModified !== undefined}`);
      const again = (asked: Record<string, string>) => getFromLoopback(url, asked).then((reply) => reply.status);
      if (etag !== undefined) {
        assert.equal(await again({ 'if-none-match': etag }), 304);
        assert.equal(await again({ 'if-none-match': `"other", ${etag}` }), 304);
        assert.equal(await again({ 'if-none-match': '"other"' }), 200);
      }
      if (lastModified !== undefined) {
        assert.equal(await again({ 'if-modified-since': lastModified }), 304);
        assert.equal(await again({ 'if-modified-since': 'Wed, 01 Jan 2020 00:00:00 GMT' }), 200);
      }
    }
    assert.equal(forms.size, 3);
  }));

test('a flaky URL fails once, and once more after a reset', () =>
  withWeb({ hosts: 1, pagesPerHost: 5, flaky: 0.2 }, async (web, plan) => {
    const url = new URL('/flaky/0', plan.seeds(web.port)[0]);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await getFromLoopback(url)).status);
    web.reset();
    assert.equal(web.requests().length, 0);
    statuses.push((await getFromLoopback(url)).status);
    assert.deepEqual(statuses, [500, 200, 200, 500]);
  }));

test('connections that break off are recorded as aborted, and the server goes on', () =>
  withWeb({ hosts: 2, pagesPerHost: 10, domains: 1, slow: 1, slowMs: 150 }, async (web, plan) => {
    const ask = `GET /p/1 HTTP/1.1\r\nHost: ${plan.hosts[0]}:${web.port}\r\n\r\n`;
    for (const how of ['destroy', 'resetAndDestroy'] as const) {
      const socket = connect(web.port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise<void>((resolve) => socket.write(ask, () => resolve()));
      await sleep(30);
      socket[how]();
    }
    const junk = connect(web.port, '127.0.0.1');
    junk.on('error', () => {});
    junk.end('no such thing as HTTP\r\n\r\n');
    await sleep(50);
    const records = web.requests();
    assert.deepEqual(
      records.map(({ aborted, status }) => ({ aborted, status })),
      [
        { aborted: true, status: 0 },
        { aborted: true, status: 0 },
      ],
    );
    for (const record of records) assert.ok(record.endMs - record.startMs < 150);
    assert.equal((await getFromLoopback(new URL(plan.seeds(web.port)[0]!))).status, 200);
  }));

test('a slow page takes its time, and its record says so', () =>
  withWeb({ hosts: 1, pagesPerHost: 1, slow: 1, slowMs: 60 }, async (web, plan) => {
    await getFromLoopback(new URL(plan.seeds(web.port)[0]!));
    const [record] = web.requests();
    assert.ok(record!.endMs - record!.startMs >= 59);
  }));

test('requests beyond the bound are counted as dropped', () =>
  withWeb(
    { hosts: 1, pagesPerHost: 2 },
    async (web, plan) => {
      for (let n = 0; n < 3; n++) await getFromLoopback(new URL(plan.seeds(web.port)[0]!));
      assert.equal(web.requests().length, 2);
      assert.equal(web.dropped, 1);
    },
    { recordsMax: 2 },
  ));

test('a log file holds a line per finished request once the web has closed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'web-'));
  const logFile = join(folder, 'requests.jsonl');
  try {
    await withWeb(
      { hosts: 1, pagesPerHost: 2 },
      async (web, plan) => {
        await getFromLoopback(new URL('/robots.txt', plan.seeds(web.port)[0]));
        await getFromLoopback(new URL('/p/9', plan.seeds(web.port)[0]));
      },
      { logFile },
    );
    const lines = (await readFile(logFile, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ host, path, status }) => [host, path, status]),
      [
        [0, '/robots.txt', 200],
        [0, '/p/9', 404],
      ],
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an unknown host gets an error that says so', () =>
  withWeb({ hosts: 1, pagesPerHost: 1 }, async (web) => {
    assert.equal((await getFromLoopback(new URL(`http://elsewhere.test:${web.port}/`))).status, 421);
    assert.equal(web.requests()[0]?.path, `//elsewhere.test:${web.port}/`);
  }));

test(
  'each host can have its own address',
  { skip: process.platform !== 'linux' && 'needs 127.0.0.0/8 on loopback' },
  () =>
    withWeb({ hosts: 3, pagesPerHost: 2, naming: 'addresses' }, async (web, plan) => {
      for (const [host, address] of plan.hosts.entries()) {
        assert.equal((await fetch(`http://${address}:${web.port}/p/1`)).status, 200);
        assert.equal(web.requests().at(-1)?.host, host);
      }
    }),
);

test('each kind of hostile host keeps to its own connection, and its robots.txt is normal', () =>
  withWeb({ hosts: 1 + hostileKinds.length, pagesPerHost: 3, domains: 1, hostileShare: 1 }, async (web, plan) => {
    const seen = new Set<string>();
    for (const host of plan.hosts.keys()) {
      const { hostile } = plan.traits(host);
      if (hostile === undefined) continue;
      seen.add(hostile);
      assert.equal((await getFromLoopback(new URL(plan.url(host, '/robots.txt', web.port)))).status, 200);
      const socket = connect(web.port, '127.0.0.1');
      let bytes = 0;
      const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        // That it says anything is all that is asked here; a drip or a bomb has no end.
        if (bytes > 2_000_000 || hostile !== 'silence') socket.destroy();
      });
      socket.write(`GET /p/1 HTTP/1.1\r\nHost: ${plan.hosts[host]}\r\n\r\n`);
      const timer = setTimeout(() => socket.destroy(), hostile === 'silence' ? 200 : 20_000);
      await over;
      clearTimeout(timer);
      assert.equal(bytes === 0, hostile === 'silence', hostile);
      assert.equal(web.requests().at(-1)?.host, host);
    }
    assert.equal(seen.size, hostileKinds.length);
    assert.equal((await getFromLoopback(new URL(plan.seeds(web.port)[0]!))).status, 200);
  }));
