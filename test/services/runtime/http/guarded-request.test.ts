/** Requests to URLs that others chose: where they must not go, and what is read of the answers. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import {
  createGuardedRequest,
  type GuardedOptions,
  refusalOfUrl,
} from '../../../../services/runtime/http/guarded-request.ts';

const none = () => false;

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  after(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

const guarded = (more: Partial<GuardedOptions> = {}) =>
  createGuardedRequest({ isBlocked: none, timeoutMs: 5_000, bytesMax: 1_000, ...more });

test('a URL is refused for its scheme, its port or its literal address', () => {
  const blocked = (address: string): boolean => address === '127.0.0.1' || address === '::1';
  const of = (url: string, isBlocked = blocked) => refusalOfUrl(new URL(url), isBlocked);
  assert.equal(of('ftp://a.test/'), 'scheme ftp is not supported');
  assert.equal(of('file:///etc/passwd'), 'scheme file is not supported');
  assert.equal(of('http://a.test:25/'), 'port 25 is not for the web');
  assert.equal(of('https://a.test:6667/'), 'port 6667 is not for the web');
  assert.equal(of('http://127.0.0.1/'), '127.0.0.1 may not be contacted');
  assert.equal(of('http://0x7f.1:8080/'), '127.0.0.1 may not be contacted');
  assert.equal(of('http://[::1]/'), '::1 may not be contacted');
  for (const url of ['http://a.test/', 'https://a.test:8443/', 'http://127.0.0.2/', 'http://[::2]/'])
    assert.equal(of(url), null, url);
  assert.equal(
    of('http://a.test/', () => true),
    null,
    'a name is checked once it is looked up',
  );
});

test('a request that is refused does not reach the network', async () => {
  let asked = 0;
  const port = await serve((_, response) => {
    asked += 1;
    response.end();
  });
  const request = guarded({ isBlocked: (address) => address === '127.0.0.1' });
  await assert.rejects(request(`http://127.0.0.1:${port}/`, {}), /127\.0\.0\.1 may not be contacted/);
  await assert.rejects(request('gopher://a.test/', {}), /scheme gopher is not supported/);
  await assert.rejects(guarded({ isBlocked: () => true })(`http://localhost:${port}/`, {}), {
    message: 'localhost is at an address that may not be contacted',
  });
  assert.equal(asked, 0);
});

test('an address that the operator gave a name is not checked, and gets the connection', async () => {
  const hosts: (string | undefined)[] = [];
  const port = await serve((request, response) => {
    hosts.push(request.headers.host);
    response.end('there');
  });
  const asked: unknown[] = [];
  const overrides = (...given: [string, number]) => {
    asked.push(given);
    return given[0] === 'hub.test' ? '127.0.0.1' : undefined;
  };
  const request = guarded({ isBlocked: () => true, overrides });
  assert.equal((await request(`http://hub.test:${port}/`, {})).text, 'there');
  assert.deepEqual(hosts, [`hub.test:${port}`]);
  await assert.rejects(request(`http://localhost:${port}/`, {}), /may not be contacted/);
  await assert.rejects(request('http://127.0.0.1/', {}), /127\.0\.0\.1 may not be contacted/);
  await assert.rejects(request('http://localhost/', {}), /may not be contacted/);
  await assert.rejects(request('https://localhost/', {}), /may not be contacted/);
  assert.deepEqual(asked, [
    ['hub.test', port],
    ['localhost', port],
    ['localhost', 80],
    ['localhost', 443],
  ]);
});

test('a request without a body is a GET, one with a body a POST of its length', async () => {
  const seen: unknown[] = [];
  const port = await serve(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { method, url, headers } = request;
    seen.push([method, url, headers['x-own'], headers['content-length'], Buffer.concat(parts).toString()]);
    response.writeHead(202, { 'x-answer': 'yes' }).end('größe');
  });
  const request = guarded();
  const answer = await request(`http://127.0.0.1:${port}/a?b`, { 'x-own': '1' });
  assert.deepEqual([answer.status, answer.headers['x-answer'], answer.text], [202, 'yes', 'größe']);
  await request(`http://localhost:${port}/`, {}, 'größe');
  await request(`http://127.0.0.1:${port}/`, {}, '');
  assert.deepEqual(seen, [
    ['GET', '/a?b', '1', undefined, ''],
    ['POST', '/', undefined, '7', 'größe'],
    ['POST', '/', undefined, '0', ''],
  ]);
});

test('a redirect is the answer, and is not followed', async () => {
  let asked = 0;
  const port = await serve((_, response) => {
    asked += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const { status, headers } = await guarded()(`http://127.0.0.1:${port}/`, {});
  assert.deepEqual([status, headers.location, asked], [302, '/elsewhere', 1]);
});

test('an answer is read up to the bound, to the byte, and no further', async () => {
  const port = await serve((request, response) => {
    const bytes = Number(request.url!.slice(1));
    for (let n = 0; n < bytes; n += 10) response.write('0123456789'.slice(0, bytes - n));
    response.end();
  });
  const request = guarded({ bytesMax: 25 });
  for (const [bytes, read] of [
    [0, 0],
    [24, 24],
    [25, 25],
    [26, 25],
    [100_000, 25],
  ] as const) {
    const { text } = await request(`http://127.0.0.1:${port}/${bytes}`, {});
    assert.equal(text, '0123456789'.repeat(3).slice(0, read), `${bytes}`);
  }
  const endless = await serve((_, response) => void response.write('x'.repeat(30)));
  assert.equal((await request(`http://127.0.0.1:${endless}/`, {})).text.length, 25);
});

test('an exchange that takes too long fails, before an answer and within one', async () => {
  const silent = await serve(() => {});
  const slow = await serve((_, response) => void response.write('a'));
  const request = guarded({ timeoutMs: 50 });
  for (const port of [silent, slow])
    await assert.rejects(request(`http://127.0.0.1:${port}/`, {}), (error: Error) => /abort|timeout/i.test(`${error}`));
});
