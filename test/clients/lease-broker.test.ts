/** What a crawler tells its crawl, where the crawl refuses some of it: a server of a few lines stands for the crawl. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { LeaseBroker } from '../../clients/crawlee/lease-broker.ts';
import { type Answer, LeaseClient } from '../../clients/typescript/lease-client.ts';

interface Report extends Answer {
  readonly lease: string;
}

describe('a report of an external crawler', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  after(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  /** `answer`: to each call with results. */
  async function desk(answer: (results: readonly Report[]) => readonly [status: number, body: object]) {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { results } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly results: readonly Report[] };
      const [status, body] = answer(results);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const warned: string[] = [];
    const made = new LeaseBroker(new LeaseClient(`http://127.0.0.1:${port}`), 60_000, 60_000, (text) =>
      warned.push(text),
    );
    return { made, warned };
  }

  it('a report of an external crawler counts even if the crawl refuses one result in it, which becomes a bad response', async () => {
    const taken: Report[] = [];
    const { made, warned } = await desk((results) => {
      if (results.some(({ urls = [] }) => urls.some(({ url }) => url.length > 8_192)))
        return [400, { error: 'INVALID_ARGUMENT', message: 'results: a url is too long' }];
      taken.push(...results);
      return [200, { results: results.map(({ lease }) => ({ lease, state: 'ok', refused: [] })) }];
    });
    const long = { status: 301, urls: [{ url: `http://a.test/${'x'.repeat(8_192)}` }] };
    // The first one is told by itself, since nothing else waits yet.
    const reported = Array.from({ length: 12 }, (_, n) =>
      made.report({ lease: `${n}`, ...(n === 7 ? long : { status: 200 }) }),
    );
    await Promise.all(reported);
    const ofLease = new Map(taken.map((one) => [one.lease, one]));
    assert.equal(ofLease.size, 12);
    for (const [lease, { status, failure, detail }] of ofLease) {
      if (lease !== '7') assert.equal(status, 200);
      else assert.deepEqual([failure, /a url is too long/.test(detail ?? '')], ['badResponse', true]);
    }
    assert.equal(warned.length, 1);
    await made.close();
  });

  it('a report of an external crawler is repeated as a bad response if the crawl calls one of several invalid', async () => {
    const taken: Report[] = [];
    const { made, warned } = await desk((results) => {
      taken.push(...results);
      const states = results.map(({ lease, status = 0 }) => {
        const isInvalid = status > 599;
        return { lease, state: isInvalid ? 'invalid' : 'ok', refused: [], why: isInvalid ? 'status: too big' : '' };
      });
      return [200, { results: states }];
    });
    await Promise.all([200, 200, 999, 200].map((status, n) => made.report({ lease: `${n}`, status })));
    const last = taken.at(-1)!;
    assert.deepEqual([last.lease, last.failure], ['2', 'badResponse']);
    assert.match(last.detail!, /status: too big/);
    assert.equal(warned.length, 1);
    await made.close();
  });

  it('a report of an external crawler is refused at once if the crawl admits nobody', async () => {
    let calls = 0;
    const { made } = await desk(() => {
      calls += 1;
      return [401, { error: 'UNAUTHORIZED', message: 'no' }];
    });
    const reported = Array.from({ length: 5 }, (_, n) => made.report({ lease: `${n}`, status: 200 }));
    for (const one of await Promise.allSettled(reported)) assert.equal(one.status, 'rejected');
    assert.equal(calls, 2);
    await made.close();
  });

  it('a report of an external crawler names the URLs that the crawl does not accept', async () => {
    const refused = [{ index: 0, url: 'ftp://a.test/', why: 'it is neither http nor https' }];
    const { made, warned } = await desk((results) => [
      200,
      { results: results.map(({ lease }) => ({ lease, state: 'ok', refused })) },
    ]);
    await made.report({ lease: '1', status: 301, urls: [{ url: 'ftp://a.test/' }] });
    assert.deepEqual(warned, ['the crawl does not take ftp://a.test/: it is neither http nor https']);
    await made.close();
  });
});
