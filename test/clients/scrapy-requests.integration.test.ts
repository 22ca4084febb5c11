/** Requests of every kind, and a crawl that is killed under its spider. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { calledIn, runSpider, scrapyPython } from './scrapy-run.ts';

scrapyPython();
const spiderOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A crawl whose clients say what is crawled; `http`: where it listens. */
async function serve(data: string, http: string, retries: string) {
  const flags = ['--delay', '30ms', '--retries', retries, '--address-delay', '0', '--allow-private', '--data', data];
  const crawl = startCommand(['crawl', '--clients', 'only', '--http', http, '--contact', 'me@example.org', ...flags]);
  const base = await listening(crawl);
  await untilReady(base);
  return { crawl, base };
}

async function startSite() {
  const asked: string[] = [];
  const site = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', method = '', headers } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = url.replace(/\?.*/, '');
    asked.push(`${method} ${url}`);
    const end = (status: number, text = '', more = {}) =>
      response.writeHead(status, { 'content-type': 'text/html', ...more }).end(text);
    if (path === '/form') end(200, `${method} ${body}`);
    else if (path === '/broken' || path === '/wanted') end(503, '', { 'retry-after': '0' });
    else if (path === '/missing') end(404);
    else if (path === '/twice') end(200, `${asked.filter((one) => one.endsWith('/twice')).length}`);
    else if (path === '/here') end(302, '', { location: '/there' });
    else if (path === '/headers')
      end(200, JSON.stringify([headers['x-own'], headers.cookie, headers['user-agent']]), {
        'content-type': 'application/json',
      });
    else end(200, '<p>text</p>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  after(() => site.close());
  return { asked, base: `http://127.0.0.1:${(site.address() as AddressInfo).port}` };
}

test('forms, errbacks, retries, headers, lambdas, redirects and dont_filter mean the same as in Scrapy', async () => {
  const folder = temporaryFolder();
  const called = join(folder, 'called');
  const site = await startSite();
  const { crawl, base } = await serve(join(folder, 'data'), '0', '0.1,0.1');
  const env = { SITE: `${site.base}/`, CALLED: called };
  const settings = { CRAWLSTREAM_URL: base, CRAWLSTREAM_RETRIES: '2' };
  const run = runSpider(spiderOf('requests-spider.py'), env, settings);
  assert.equal(await run.ended, 0, run.output());
  crawl.child.kill('SIGINT');
  await crawl.ended;
  const lines = readFileSync(called, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, unknown]);
  assert.deepEqual(
    lines.map((line) => JSON.stringify(line)).sort(),
    [
      ['failed', ['broken', 503]],
      ['failed', ['missing', 404]],
      ['form', 'POST q=one'],
      ['form', 'POST q=two'],
      ['headers', ['ü', 'c=d', lines.find(([what]) => what === 'headers')?.[1]?.[2 as never]]],
      ['lambda', 200],
      ['there', ['there', true]],
      ['twice', '1'],
      ['twice', '2'],
      ['wanted', 503],
    ]
      .map((line) => JSON.stringify(line))
      .sort(),
    run.output(),
  );
  const count = (one: string) => site.asked.filter((request) => request === one).length;
  assert.deepEqual([count('GET /broken'), count('GET /wanted'), count('GET /robots.txt')], [3, 1, 1]);
  assert.deepEqual(
    site.asked.filter((request) => request.includes('crawlstream-request')),
    [],
  );
  assert.match(run.output(), /'crawlstream\/local': 1/);
});

test('a crawl that is killed under its spider continues with the same command, and so does the spider', async () => {
  const folder = temporaryFolder();
  const [data, called] = [join(folder, 'data'), join(folder, 'called')];
  const small = await startSmallWeb({ preset: 'plain', naming: 'addresses', hosts: 5, pagesPerHost: 14, seed: 3 });
  let { crawl, base } = await serve(data, '0', '0.1,0.1');
  const env = { SEEDS: JSON.stringify(small.seeds), CALLED: called };
  const run = runSpider(spiderOf('crawl-spider.py'), env, { CRAWLSTREAM_URL: base });
  for (const callbacks of [5, 25]) {
    while (calledIn(called).length < callbacks) {
      assert.equal(run.child.exitCode, null, run.output());
      await sleep(10);
    }
    crawl.child.kill('SIGKILL');
    await crawl.ended;
    ({ crawl, base } = await serve(data, new URL(base).host, '0.1,0.1'));
  }
  assert.equal(await run.ended, 0, run.output());
  crawl.child.kill('SIGINT');
  await crawl.ended;
  const { missing, shortGaps, unexpected } = small.check({ delayMs: 30, sitemaps: false, abortToleranceMs: 25 });
  for (const { count, details } of [missing, shortGaps, unexpected]) assert.equal(count, 0, details.join('; '));
  assert.deepEqual([...new Set(calledIn(called).map(({ url }) => url))].sort(), await printedPages(data));
});
