/** What a crawler tells its crawl, where the crawl refuses some of it: a server of a few lines stands for the crawl. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { LeaseDesk } from '../../clients/crawlee/lease-desk.ts';
import { type Answer, LeaseClient, LeaseError } from '../../clients/typescript/lease-client.ts';

interface Told extends Answer {
  readonly lease: string;
}

describe('what a crawler tells', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  after(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  /** `answer`: to each call with results. */
  async function desk(answer: (results: readonly Told[]) => readonly [status: number, body: object]) {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { results } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly results: readonly Told[] };
      const [status, body] = answer(results);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const warned: string[] = [];
    const made = new LeaseDesk(new LeaseClient(`http://127.0.0.1:${port}`), 60_000, 60_000, (text) =>
      warned.push(text),
    );
    return { made, warned };
  }

  it('counts though the crawl refuses something that is told along with it, as a URL that is too long', async () => {
    const taken: string[] = [];
    const { made } = await desk((results) => {
      if (results.some(({ urls = [] }) => urls.some(({ url }) => url.length > 8_192)))
        return [400, { error: 'INVALID_ARGUMENT', message: 'results: a url is too long' }];
      taken.push(...results.map(({ lease }) => lease));
      return [200, { results: results.map(({ lease }) => ({ lease, state: 'ok', refused: [] })) }];
    });
    const long = { status: 301, urls: [{ url: `http://a.test/${'x'.repeat(8_192)}` }] };
    // The first one is told by itself, since nothing else waits yet.
    const told = Array.from({ length: 12 }, (_, n) =>
      made.tell({ lease: `${n}`, ...(n === 7 ? long : { status: 200 }) }),
    );
    const outcomes = await Promise.allSettled(told);
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      outcomes.map((_, n) => n !== 7),
    );
    assert.deepEqual(taken.sort(), ['0', '1', '10', '11', '2', '3', '4', '5', '6', '8', '9']);
    const { reason } = outcomes[7] as PromiseRejectedResult;
    assert.ok(reason instanceof LeaseError && reason.status === 400);
    await made.close();
  });

  it('is refused at once where the crawl lets nobody in', async () => {
    let calls = 0;
    const { made } = await desk(() => {
      calls += 1;
      return [401, { error: 'UNAUTHORIZED', message: 'no' }];
    });
    const told = Array.from({ length: 5 }, (_, n) => made.tell({ lease: `${n}`, status: 200 }));
    for (const one of await Promise.allSettled(told)) assert.equal(one.status, 'rejected');
    assert.equal(calls, 2);
    await made.close();
  });

  it('says which of the URLs that came along the crawl does not take', async () => {
    const refused = [{ index: 0, url: 'ftp://a.test/', why: 'it is neither http nor https' }];
    const { made, warned } = await desk((results) => [
      200,
      { results: results.map(({ lease }) => ({ lease, state: 'ok', refused })) },
    ]);
    await made.tell({ lease: '1', status: 301, urls: [{ url: 'ftp://a.test/' }] });
    assert.deepEqual(warned, ['the crawl does not take ftp://a.test/: it is neither http nor https']);
    await made.close();
  });
});
