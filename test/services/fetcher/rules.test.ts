import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestRulesSchema } from '../../../services/fetcher/http/request-rules-schema.ts';
import { extractRulesSchema } from '../../../services/fetcher/pages/extract-rules.ts';
import { startHarness, taskUrls } from './harness.ts';
import { serveSite } from './loopback.ts';
import { serveHttpProxy } from './proxy-servers.ts';

test('a lease uses the proxy and headers of its request rules, and its pages hold the responses to those requests', async (t) => {
  const long = 'the river and the market in this town are of interest '.repeat(4).trim();
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<nav><a href=/b>b</a></nav><h1>Price</h1><p>${long}</p><b class=price>3,50</b><img src=/c.png>`);
  });
  const proxy = await serveHttpProxy(t, { port: site.port });
  const harness = await startHarness(t, {
    config: {
      requests: requestRulesSchema.parse([
        {
          hosts: ['*'],
          proxies: [{ url: `http://127.0.0.1:${proxy.port}`, filters: true }],
          headers: { 'X-Team': 'search' },
        },
      ]),
      outlinks: true,
      extract: extractRulesSchema.parse({
        mainText: true,
        markdown: true,
        language: true,
        links: { images: true },
        fields: [{ name: 'price', selector: '.price', type: 'number' }],
      }),
    },
  });
  const url = site.url('a.test', '/');
  const { outcomes } = await harness.lease({ hostKey: `a.test:${site.port}`, urls: taskUrls(url) });
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['fetched'],
  );
  // robots.txt goes the same way.
  assert.deepEqual(proxy.asked, [`GET ${site.url('a.test', '/robots.txt')}`, `GET ${url}`]);
  assert.deepEqual(
    site.hits.map(({ headers }) => headers['x-team']),
    ['search', 'search'],
  );
  const [page] = await harness.pages();
  assert.deepEqual(
    [page?.mainText, page?.markdown, page?.language, page?.metadata, page?.fields, page?.outlinks],
    [
      `Price\n${long}\n3,50`,
      `# Price\n\n${long}\n\n**3,50**`,
      'en',
      '',
      [{ name: 'price', type: 'number', values: ['3.5'], problem: '' }],
      [site.url('a.test', '/b'), site.url('a.test', '/c.png')],
    ],
  );
});

test('a lease returns without costing an attempt if no proxy lets requests through', async (t) => {
  const proxy = await serveHttpProxy(t, { port: 1, credentials: 'a:b' });
  const requests = requestRulesSchema.parse([{ hosts: ['*'], proxies: [`http://127.0.0.1:${proxy.port}`] }]);
  const said: string[] = [];
  const harness = await startHarness(t, { config: { requests, say: (text) => said.push(text) } });
  const { outcomes } = await harness.lease({ hostKey: 'a.test', urls: taskUrls('http://a.test/', 'http://a.test/b') });
  assert.equal(said.length, 1, said.join('\n'));
  assert.match(
    said[0]!,
    /^proxy http:\/\/127\.0\.0\.1:\d+ answered 407.*: no proxy is left, so its hosts are not fetched/,
  );
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['returned', 'returned'],
  );
});
