/** Code from outside in a fetcher, against real sockets: each hook, and what becomes of its faults. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NamedHooks } from '../../../services/fetcher/hooks/fetch-hooks.ts';
import { controlEvent } from '../../../services/runtime/crawl/control-log.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { startHarness, taskUrls } from './harness.ts';
import { type Answer, serveSite } from './loopback.ts';

const page: Answer = (request, response) => {
  if (request.url === '/robots.txt') return response.writeHead(404).end();
  if (request.url === '/book') return response.setHeader('content-type', 'application/epub+zip').end('A BOOK');
  response.setHeader('content-type', 'text/html');
  return response.end('<title>as it was sent</title><a href="/good">g</a><a href="/ads/1">a</a><a href="/ads/2">b</a>');
};

async function leased(t: Parameters<typeof serveSite>[0], hooks: readonly NamedHooks[], ...paths: string[]) {
  const site = await serveSite(t, page);
  const harness = await startHarness(t, { config: { hooks } });
  const output = await harness.lease({ urls: taskUrls(...paths.map((path) => site.url('a.test', path))) });
  const found = (await harness.links()).map((url) => new URL(url).pathname);
  const pages = await harness.pages();
  return { ...output, found, pages, site, harness };
}

test('a URL filter stops links from being published and URLs from being fetched, and both are recorded under its name', async (t) => {
  const { outcomes, found, site } = await leased(
    t,
    [{ name: 'no-ads', urlFilter: ({ url }) => !url.includes('/ads/') }],
    '/',
    '/ads/9',
  );
  assert.deepEqual(found, ['/good']);
  assert.deepEqual(
    outcomes.map(({ kind, detail }) => [kind, detail]),
    [
      ['fetched', `plugin no-ads left out 2 links: ${site.url('a.test', '/ads/1')} ${site.url('a.test', '/ads/2')}`],
      ['refused', 'plugin no-ads does not want it'],
    ],
  );
  assert.ok(!site.hits.some(({ path }) => path.startsWith('/ads/')));
});

test('plugins get a policy before the next request after it', async (t) => {
  const site = await serveSite(t, page);
  const versions: number[] = [];
  const seen: number[][] = [];
  const request = async () => {
    seen.push([...versions]);
    if (versions.length > 0) return;
    const payload = JSON.stringify({ ...defaultPolicy(), version: 2, delayMs: 0 });
    const event = controlEvent({ kind: 'policy', version: 2, payload, atMs: Date.now(), by: 'test' });
    const value = harness.codec.encode('control', event);
    await harness.log.append([{ topic: 't.control', partition: 0, key: null, value }]);
    while (versions.length === 0) await sleep(5);
  };
  const harness = await startHarness(t, {
    config: { hooks: [{ name: 'own', request }], onPolicy: ({ version }) => void versions.push(version) },
  });
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2')) });
  assert.deepEqual(seen, [[], [2]]);
});

test('links keep the spelling that a plugin gives them', async (t) => {
  const normalize = (url: string) => (url.includes('/ads/') ? null : `${url}?from=plugin`);
  const { found, harness } = await leased(t, [{ name: 'speller', normalize }], '/');
  assert.deepEqual(found, ['/good']);
  assert.deepEqual(await harness.links().then(([url]) => new URL(url!).search), '?from=plugin');
});

test('a request hook adds or replaces headers, or skips the request with a reason', async (t) => {
  const { outcomes, site } = await leased(
    t,
    [
      {
        name: 'asker',
        request: ({ url }) =>
          url.endsWith('/skip') ? { skip: 'it is night' } : { headers: { Accept: 'text/plain', 'X-Mine': 'yes' } },
      },
    ],
    '/',
    '/skip',
  );
  assert.deepEqual(
    outcomes.map(({ kind, detail }) => [kind, detail]),
    [
      ['fetched', ''],
      ['refused', 'plugin asker: it is night'],
    ],
  );
  const { headers } = site.hits.find(({ path }) => path === '/')!;
  assert.deepEqual([headers['accept'], headers['x-mine']], ['text/plain', 'yes']);
  assert.match(headers['user-agent'] ?? '', /^crawlstream\//);
});

test('the page is read from the response that a response hook returns', async (t) => {
  const { pages, outcomes } = await leased(
    t,
    [
      {
        name: 'rewriter',
        response: ({ body }) => ({
          body: Buffer.from(Buffer.from(body).toString().replace('as it was sent', 'mended')),
        }),
      },
    ],
    '/',
  );
  assert.deepEqual(
    pages.map(({ title }) => title),
    ['mended'],
  );
  assert.equal(outcomes[0]!.links, 3);
});

test('a parse hook reads a media type that the crawler does not: text, links and fields', async (t) => {
  const { pages, found } = await leased(
    t,
    [
      {
        name: 'epub',
        parse: {
          'application/epub+zip': async ({ body, mediaType }) => ({
            title: mediaType,
            text: Buffer.from(body).toString().toLowerCase(),
            links: ['/chapter', 'mailto:a@b.test'],
            fields: { author: ['Ann', 'Ben'] },
          }),
        },
      },
    ],
    '/book',
  );
  const [{ title, text, fields }] = pages as [(typeof pages)[number]];
  assert.deepEqual([title, text, found], ['application/epub+zip', 'a book', ['/chapter']]);
  assert.deepEqual(
    fields.map(({ name, values }) => [name, values]),
    [['author', ['Ann', 'Ben']]],
  );
});

test('page hooks change a page one after the other, or drop it', async (t) => {
  const { pages, outcomes } = await leased(
    t,
    [
      { name: 'first', page: (one) => (one.url.endsWith('/drop') ? null : { ...one, title: `${one.title}, seen` }) },
      { name: 'second', page: async (one) => ({ ...one, title: `${one.title} twice`, url: 'http://elsewhere.test/' }) },
    ],
    '/',
    '/drop',
  );
  assert.deepEqual(
    pages.map(({ title, url }) => [title, new URL(url).hostname]),
    [['as it was sent, seen twice', 'a.test']],
  );
  assert.deepEqual(
    outcomes.map(({ kind, detail }) => [kind, detail]),
    [
      ['fetched', ''],
      ['fetched', 'not published: plugin first drops it'],
    ],
  );
});

test('an error in a plugin is the outcome of that URL, with the plugin’s name, and is counted; other URLs go on', async (t) => {
  const hooks: NamedHooks[] = [
    {
      name: 'faulty',
      request: ({ url }) => {
        if (url.endsWith('/a')) throw new Error('no idea');
        if (url.endsWith('/b')) return { headers: { 'x-mine': 'two\r\nlines' } };
      },
      page: (one) => {
        if (one.url.endsWith('/c')) throw new Error('a page too far');
      },
    },
  ];
  const { outcomes, pages, harness } = await leased(t, hooks, '/a', '/b', '/c', '/d');
  assert.deepEqual(
    outcomes.map(({ kind, detail }) => [kind, detail]),
    [
      ['parseFailed', 'plugin faulty, request: no idea'],
      ['parseFailed', 'plugin faulty, request: header x-mine must have a string value without line breaks'],
      ['parseFailed', 'plugin faulty, page: a page too far'],
      ['fetched', ''],
    ],
  );
  assert.equal(pages.length, 1);
  const uses = harness.fetcher.stats().hooks.map(({ hook, calls, faults }) => [hook, calls, faults]);
  assert.deepEqual(uses, [
    ['request', 4, 2],
    ['page', 2, 1],
  ]);
});
