/** A host with several leases and one delay for all of them, as its server sees it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { crawl } from '../../../services/library/index.ts';

const delayMs = 200;
const responseMs = 900;

/** Starts of page requests, ms, and how many were in flight at most, with three leases. */
async function crawlWith(delay: 'lease' | 'host') {
  const starts: number[] = [];
  let [inFlight, most] = [0, 0];
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    starts.push(performance.now());
    inFlight += 1;
    most = Math.max(most, inFlight);
    setTimeout(() => {
      inFlight -= 1;
      const links = Array.from({ length: 18 }, (_, n) => `<a href="/p${n}">${n}</a>`).join('');
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${request.url}</title>${links}`);
    }, responseMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { pages } = await crawl({
      seeds: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/`],
      userAgent: 'tester/1 (+me@example.org)',
      allowPrivate: true,
      policy: { delayMs, delayFactor: 0, parallel: [{ hosts: ['*'], leases: 3, delay }] },
      onPage() {},
    });
    assert.equal(pages, 19);
  } finally {
    server.close();
  }
  const gaps = starts.slice(1).map((at, i) => at - starts[i]!);
  return { most, shortest: Math.min(...gaps) };
}

/** A request reaches the server a moment after its start, sooner or later than the one before it. */
const jitterMs = 50;

test('with a delay for the host, requests of all leases start a delay apart, and slow responses overlap', async () => {
  const { most, shortest } = await crawlWith('host');
  assert.ok(most >= 2 && most <= 3, `${most} in flight`);
  assert.ok(shortest >= delayMs - jitterMs, `${shortest} ms between two starts`);
});

test('with a delay for each lease, starts are a part of the delay apart', async () => {
  const { most, shortest } = await crawlWith('lease');
  assert.equal(most, 3);
  assert.ok(shortest < delayMs - jitterMs, `${shortest} ms between two starts`);
});
