/** The client of the lease API beside a crawl that is not up yet, or that dies: a server of a few lines stands for it. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { type Answer, LeaseClient, type LeasedUrl } from '../../clients/typescript/lease-client.ts';

type Body = { readonly results?: readonly { readonly lease: string; readonly startedMsAgo: number }[] };

const leased = (lease: string) =>
  ({ lease, url: `http://site.example/${lease}`, userAgent: 'a', leaseMs: 60_000 }) as LeasedUrl;
const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('a client of the lease API', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  const unhandled: unknown[] = [];
  const hear = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', hear);
  after(() => {
    process.off('unhandledRejection', hear);
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  /** Answers each call by what `answer` does with it. */
  async function crawl(answer: (path: string, body: Body, response: ServerResponse) => void): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      answer(request.url!, JSON.parse(Buffer.concat(chunks).toString()) as Body, response);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('a client of the lease API whose crawl dies while URLs are out says so once, and leaves no unhandled rejection', async () => {
    let asked = 0;
    const base = await crawl((path, _, response) => {
      if (path === '/v1/leases' && asked++ === 0)
        json(response, 200, { leases: ['1', '2', '3', '4'].map(leased), idle: false });
      // It asks for a fifth meanwhile, and that takes longer to fail.
      else setTimeout(() => response.destroy(), path === '/v1/leases' ? 500 : 0);
    });
    const fetched: string[] = [];
    const working = new LeaseClient(base, { leaseMs: 3_000 }).work(
      async ({ lease }) => {
        fetched.push(lease);
        return { status: 200 };
      },
      { concurrency: 5 },
    );
    await assert.rejects(working, /fetch failed/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(fetched, ['1', '2', '3', '4']);
    assert.deepEqual(unhandled, []);
  });

  it('a client of the lease API retries if the crawl is not up yet, or a connection closes; fetch times stay true', async () => {
    const calls: string[] = [];
    const reported: NonNullable<Body['results']>[number][] = [];
    const base = await crawl((path, { results }, response) => {
      calls.push(path);
      const count = calls.filter((call) => call === path).length;
      if (count === 1) return json(response, 503, { error: 'NOT_READY', message: 'not up yet' });
      if (path === '/v1/results' && count === 2) return response.destroy();
      if (path === '/v1/results') {
        reported.push(...results!);
        return json(response, 200, { results: [] });
      }
      const first = count === 2;
      json(response, 200, { leases: first ? [leased('1')] : [], idle: !first && reported.length > 0 });
    });
    await new LeaseClient(base).work(async () => ({ status: 200, startedMsAgo: 7 }), { concurrency: 1 });
    assert.deepEqual(
      reported.map(({ lease }) => lease),
      ['1'],
    );
    // Two pauses of 250 ms came between the request and the word of it.
    assert.ok(reported[0]!.startedMsAgo >= 7 + 450, `${reported[0]!.startedMsAgo}`);
  });

  it('a client of the lease API reports an answer that the crawl refuses as a bad response, and continues', async () => {
    for (const refusal of ['item', 'call'] as const) {
      let asked = 0;
      const reported: (Answer & { readonly lease: string })[] = [];
      const base = await crawl((path, { results = [] }, response) => {
        if (path === '/v1/leases') {
          const leases = asked++ === 0 ? ['1', '2', '3'].map(leased) : [];
          return json(response, 200, { leases, idle: leases.length === 0 });
        }
        const [one] = results as readonly (Answer & { readonly lease: string })[];
        const isOdd = one!.title === 'odd';
        if (!isOdd) reported.push(one!);
        if (isOdd && refusal === 'call') return json(response, 413, { error: 'TOO_LARGE', message: 'too long' });
        const state = isOdd ? 'invalid' : 'ok';
        return json(response, 200, { results: [{ lease: one!.lease, state, refused: [], why: isOdd ? 'title' : '' }] });
      });
      await new LeaseClient(base, { leaseMs: 3_000 }).work(async ({ lease }) => ({
        status: 200,
        title: lease === '2' ? 'odd' : 'even',
      }));
      assert.deepEqual(reported.map(({ lease, failure }) => [lease, failure]).sort(), [
        ['1', undefined],
        ['2', 'badResponse'],
        ['3', undefined],
      ]);
    }
  });

  it('a client of the lease API recognises a refusal', async () => {
    const base = await crawl((_, __, response) => json(response, 400, { error: 'BAD', message: 'no such thing' }));
    await assert.rejects(
      new LeaseClient(base).work(async () => ({ status: 200 })),
      /no such thing/,
    );
  });

  it('a client of the lease API reports as a failed connection whatever a fetch throws, before its promise, or as a non-error', async () => {
    const reported: unknown[] = [];
    const base = await crawl((path, { results }, response) => {
      if (path === '/v1/results') reported.push(...results!.map(({ lease, ...answer }) => [lease, { ...answer }]));
      if (path === '/v1/results') return json(response, 200, { results: [] });
      const isFirst = reported.length === 0 && asked++ === 0;
      json(response, 200, { leases: isFirst ? ['1', '2'].map(leased) : [], idle: reported.length === 2 });
    });
    let asked = 0;
    await new LeaseClient(base).work(({ lease }) => {
      if (lease === '1') throw new TypeError('that is no URL');
      return Promise.reject(null);
    });
    assert.deepEqual(
      (reported as [string, { failure: string; detail: string }][])
        .map(([lease, { failure, detail }]) => [lease, failure, detail])
        .sort(),
      [
        ['1', 'connectionFailed', 'that is no URL'],
        ['2', 'connectionFailed', 'null'],
      ],
    );
  });
});
