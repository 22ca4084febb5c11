/** Thirty hosts answer bodies that are dear to parse: a host of small pages beside them goes on, since the workers are shared by time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startCommand } from '../../../../lab/process/command.ts';
import { costlyBody } from '../../../hostile/costly-answers.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const dearHosts = 30;
/** Pages before the dear hosts are found, and after that. */
const [alone, beside] = [60, 140];
const pages = alone + beside;
/** Pages that are not measured, while the crawl starts. */
const first = 10;

test('a host of small pages goes on beside thirty hosts with pages that are dear to parse', {
  timeout: 240_000,
}, async (t) => {
  const atMs: number[] = [];
  let dear = 0;
  const site = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    const type = { 'content-type': 'text/html' };
    if (!request.headers.host!.startsWith('honest')) {
      dear += 1;
      return void response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(costlyBody(dear));
    }
    atMs.push(Date.now());
    const next = Number(request.url!.slice(1)) + 1;
    const links = Array.from({ length: dearHosts }, (_, n) => `<a href="http://www.dear${n}.test:${port}/">x</a>`);
    response.writeHead(200, type);
    response.end(`<title>${next}</title>${next === alone ? links.join('') : ''}<a href="/${next}">next</a>`);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  after(() => {
    site.close();
    site.closeAllConnections();
  });
  const { port } = site.address() as AddressInfo;
  const running = startCommand([
    ...['crawl', `http://honest.test:${port}/0`, '--scope', 'all', '--delay', '100ms', '--contact', 'me@example.org'],
    ...['--resolve', `*.test:${port}:127.0.0.1`, '--data', join(temporaryFolder(), 'crawl')],
  ]);
  after(() => running.child.kill('SIGKILL'));
  await until(() => atMs.length >= pages, 120_000);
  const rateOf = (from: number, to: number) => (1_000 * (to - from)) / (atMs[to - 1]! - atMs[from - 1]!);
  const rates = [rateOf(first, alone), rateOf(alone, pages)] as const;
  t.diagnostic(`${rates[0].toFixed(2)} pages a second alone, ${rates[1].toFixed(2)} beside ${dear} dear pages`);
  assert.ok(dear >= dearHosts, `${dear} dear pages`);
  // In one queue with the others, first come first served, it had a fiftieth. Workers also compete for the cores.
  assert.ok(rates[1] >= 0.1 * rates[0], `${rates[1].toFixed(2)} of ${rates[0].toFixed(2)} pages a second`);
  running.child.kill('SIGINT');
  assert.equal((await running.ended).code, 130);
});
