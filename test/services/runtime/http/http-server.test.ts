import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpLimits } from '../../../../services/runtime/http/http-limits.ts';
import {
  type AnsweredCall,
  type HttpOptions,
  type HttpServer,
  startHttpServer,
} from '../../../../services/runtime/http/http-server.ts';
import { parseListenAddress } from '../../../../services/runtime/http/listen-address.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { until } from '../../until.ts';

const token = 'a-token-of-some-length';
const open: HttpServer[] = [];
const bugs: unknown[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(options: Partial<HttpOptions> = {}): Promise<{ readonly url: string; readonly probes: Probes }> {
  const probes = new Probes();
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes,
    metrics: async () => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' }),
    onBug: (error) => bugs.push(error),
    ...options,
  });
  open.push(server);
  return { url: `http://${server.address}`, probes };
}

const statuses = (url: string) =>
  Promise.all(['livez', 'startupz', 'readyz'].map(async (name) => (await fetch(`${url}/${name}`)).status));

test('a service is alive at once, started once it was ready, and ready while it waits for nothing', async () => {
  const { url, probes } = await start();
  assert.deepEqual(await statuses(url), [200, 503, 503]);
  let waits: string | null = 'restoring partition 3';
  probes.serve(() => waits);
  assert.deepEqual(await statuses(url), [200, 503, 503]);
  assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'waiting', for: 'restoring partition 3' });
  waits = null;
  assert.deepEqual(await statuses(url), [200, 200, 200]);
  waits = 'restoring partition 4';
  assert.deepEqual(await statuses(url), [200, 200, 503], 'a partition that arrives later must not get it killed');
  probes.suspend('stopping');
  assert.deepEqual(await statuses(url), [200, 200, 503]);
});

test('a service that copies others’ state has started, and is not ready until the copies are complete', async () => {
  const { url, probes } = await start();
  let copying: string | null = 'copying partition 3';
  probes.serve(
    () => null,
    () => null,
    () => copying,
  );
  assert.deepEqual(await statuses(url), [200, 200, 503]);
  assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'waiting', for: 'copying partition 3' });
  copying = null;
  assert.deepEqual(await statuses(url), [200, 200, 200]);
});

test('a request keeps its valid id, or gets a new one', async () => {
  const { url } = await start();
  const named = async (headers: Record<string, string>) =>
    (await fetch(`${url}/livez`, { headers })).headers.get('x-request-id')!;
  for (const id of ['a', 'A-b.c:d_9', 'x'.repeat(64)]) assert.equal(await named({ 'x-request-id': id }), id);
  const given = new Set<string>();
  for (const id of ['x'.repeat(65), 'a b', 'a<b>', 'ok"', '/ok', 'ok,ok'])
    given.add(await named({ 'x-request-id': id }));
  given.add(await named({}));
  assert.equal(given.size, 7, 'each has its own');
  for (const id of given) assert.match(id, /^[0-9a-f]{16}$/);
});

test('metrics are served with the content type of their format', async () => {
  const { url } = await start();
  const answer = await fetch(`${url}/metrics`);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(await answer.text(), 'up 1\n');
});

test('routes that change something are control by default', async () => {
  const { url } = await start({
    token,
    routes: [
      (app) => {
        app.get('/things', () => ['a']);
        app.post('/things', () => 'made');
        app.delete('/things', () => 'gone');
        app.post('/push', { config: { access: 'open' } }, () => 'heard');
      },
    ],
  });
  const status = async (method: string, path: string, headers = {}) =>
    (await fetch(url + path, { method, headers })).status;
  assert.equal(await status('GET', '/things'), 200);
  assert.equal(await status('POST', '/push'), 200);
  assert.equal(await status('POST', '/things'), 401);
  assert.equal(await status('DELETE', '/things'), 401);
  assert.equal(await status('POST', '/things', { authorization: `Bearer ${token}` }), 200);
  const refused = await fetch(`${url}/things`, { method: 'POST' });
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
  assert.deepEqual(await refused.json(), {
    error: 'UNAUTHORIZED',
    message: 'this call needs the header Authorization: Bearer <token>',
  });
});

test('errors are JSON with a code and one line; a bug is logged and not shown to the caller', async () => {
  const { url } = await start({
    routes: [
      (app) => {
        app.get('/bad', () => {
          throw new CrawlstreamError('INVALID_ARGUMENT', 'url "x": write a URL');
        });
        app.get('/late', () => {
          throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
        });
        app.get('/bug', () => {
          throw new TypeError('secret detail');
        });
      },
    ],
  });
  const get = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(url + path, init);
    return [answer.status, await answer.json()];
  };
  assert.deepEqual(await get('/bad'), [400, { error: 'INVALID_ARGUMENT', message: 'url "x": write a URL' }]);
  assert.deepEqual(await get('/none?a=b'), [404, { error: 'NOT_FOUND', message: 'there is no endpoint GET /none' }]);
  const late = await get('/late');
  assert.deepEqual(late, [503, { error: 'STORE_CLOSED', message: 'this process is stopping: retry in a moment' }]);
  const [status, bug] = await get('/bug');
  assert.equal(status, 500);
  assert.doesNotMatch(JSON.stringify(bug), /secret/);
  assert.match(String(bugs.at(-1)), /secret detail/);
});

test('closing lets requests under way end and drops idle connections', async () => {
  let begun = () => {};
  const asked = new Promise<void>((resolve) => (begun = resolve));
  const { url } = await start({
    routes: [
      (app) => {
        app.get('/slow', async () => {
          begun();
          await sleep(200);
          return 'whole';
        });
      },
    ],
  });
  const idle = connect(Number(new URL(url).port), '127.0.0.1');
  await new Promise((resolve) => idle.once('connect', resolve));
  const idleClosed = new Promise((resolve) => idle.once('close', resolve));
  idle.resume();
  const answer = fetch(`${url}/slow`).then((response) => response.text());
  await asked;
  await open.pop()!.close();
  assert.equal(await answer, 'whole');
  await idleClosed;
  await assert.rejects(fetch(`${url}/livez`));
});

test('a port in use is refused by name', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  await assert.rejects(start({ listen: { host: '127.0.0.1', port } }), {
    code: 'INVALID_ARGUMENT',
    message: new RegExp(`^cannot listen on 127.0.0.1:${port} .*EADDRINUSE.*: choose another address or port$`),
  });
});

test('an address without a host means this machine only; an invalid one is refused by name', () => {
  const parse = (text: string) => parseListenAddress('--http', text);
  assert.deepEqual(parse('9464'), { host: '127.0.0.1', port: 9464 });
  assert.deepEqual(parse(':9464'), { host: '127.0.0.1', port: 9464 });
  assert.deepEqual(parse('0.0.0.0:0'), { host: '0.0.0.0', port: 0 });
  assert.deepEqual(parse('[::1]:80'), { host: '::1', port: 80 });
  for (const bad of ['', 'localhost', '1.2.3.4:99999', '::1:80', '[x]:1', '[1.2.3.4]:1', 'http://a:1']) {
    assert.throws(() => parse(bad), { code: 'INVALID_ARGUMENT', message: /^--http ".*": give host:port/ }, bad);
  }
});

test('a foreign page can neither cause an effect nor read by GET or HEAD; a person may follow a link', async () => {
  let effects = 0;
  const { url } = await start({
    routes: [
      (app) => {
        app.get('/effect', { config: { access: 'control' } }, () => ({ effects: ++effects }));
        app.get('/told', () => ({ reported: true }));
      },
    ],
  });
  const status = async (path: string, headers: Record<string, string>, method = 'GET') => {
    // fetch of Node sends headers of its own about the site; what a browser says is said by hand.
    const call = request(`${url}${path}`, { method, headers });
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const method of ['GET', 'HEAD']) {
    for (const site of ['cross-site', 'same-site']) {
      assert.equal(await status('/effect', { 'sec-fetch-site': site, 'sec-fetch-dest': 'image' }, method), 403);
      assert.equal(await status('/effect', { 'sec-fetch-site': site, 'sec-fetch-dest': 'document' }, method), 403);
      assert.equal(await status('/told', { 'sec-fetch-site': site, 'sec-fetch-dest': 'script' }, method), 403);
      assert.equal(await status('/told', { 'sec-fetch-site': site, 'sec-fetch-dest': 'document' }, method), 200);
    }
    assert.equal(await status('/effect', {}, method), 403, 'a browser that does not say');
  }
  assert.equal(effects, 0);
  assert.equal(await status('/effect', { 'x-crawlstream': '1' }), 200);
  assert.equal(await status('/effect', { 'sec-fetch-site': 'same-origin' }), 200);
  assert.equal(effects, 2);
});

test('a parameter given twice is a bad request', async () => {
  const { url } = await start({ routes: [(app) => void app.get('/told', ({ query }) => query)] });
  assert.equal((await fetch(`${url}/told?a=1&b=2`)).status, 200);
  const twice = await fetch(`${url}/told?a=1&a=2`);
  assert.equal(twice.status, 400);
  assert.match(((await twice.json()) as { message: string }).message, /parameter a is given more than once/);
});

test('each kind of error has its status, and one that passes says when to come again', async () => {
  const codes = {
    INVALID_SEED: 400,
    NO_MATCH: 404,
    NOT_RUNNING: 409,
    OWNERSHIP_LOST: 503,
    NOT_READY: 503,
    BUSY: 503,
    PROCESS_ENDED: 503,
    BROKER_UNREACHABLE: 503,
    STORE_FAILED: 500,
    DISK_FULL: 500,
  } as const;
  const { url } = await start({
    routes: [
      (app) =>
        void app.get<{ Params: { code: keyof typeof codes } }>('/fail/:code', ({ params }) => {
          throw new CrawlstreamError(params.code, 'what to do');
        }),
    ],
  });
  const before = bugs.length;
  for (const [code, status] of Object.entries(codes)) {
    const answer = await fetch(`${url}/fail/${code}`);
    assert.equal(answer.status, status, code);
    assert.deepEqual(await answer.json(), { error: code, message: 'what to do' });
    assert.equal(answer.headers.has('retry-after'), status === 503, code);
  }
  assert.equal(bugs.length, before, 'none of them is a bug');
});

test('calls that change something are reported without their query, and reads and frequent calls are not', async () => {
  const calls: AnsweredCall[] = [];
  const { url } = await start({
    onCall: (call) => calls.push(call),
    routes: [
      (app) => {
        app.get('/things', () => ['a']);
        app.post('/things', () => 'made');
        app.post('/beat', { config: { access: 'control', often: true } }, () => 'heard');
        app.post('/push', { config: { access: 'open' } }, () => 'heard');
      },
    ],
  });
  for (const [method, path] of [
    ['GET', '/things'],
    ['HEAD', '/things'],
    ['POST', '/beat'],
    ['POST', '/push'],
    ['POST', '/things?token=secret'],
    ['DELETE', '/things'],
  ] as const)
    await (await fetch(url + path, { method, headers: { 'x-request-id': 'mine' } })).arrayBuffer();
  await until(() => calls.length >= 2);
  assert.deepEqual(
    calls.map(({ ms, ...call }) => ({ ...call, isTimed: Number.isInteger(ms) && ms >= 0 })),
    [
      { id: 'mine', method: 'POST', path: '/things', status: 200, remote: '127.0.0.1', isTimed: true },
      { id: 'mine', method: 'DELETE', path: '/things', status: 404, remote: '127.0.0.1', isTimed: true },
    ],
  );
});

test('the target of a request is rewritten before its route is found, if a service says so', async () => {
  const { url } = await start({
    rewriteUrl: (target) => target.replace(/^\/of\/.*$/, (whole) => `/one?url=${encodeURIComponent(whole.slice(4))}`),
    routes: [(app) => void app.get('/one', ({ query }) => query)],
  });
  assert.deepEqual(await (await fetch(`${url}/of/http://a.test/?b=c`)).json(), { url: 'http://a.test/?b=c' });
  assert.deepEqual(await (await fetch(`${url}/one?url=d`)).json(), { url: 'd' });
});

test('a body that is too large is read to its end, so that the caller reads the refusal', async () => {
  const { url } = await start({ routes: [(app) => void app.post('/things', () => 'made')] });
  const post = (bytes: number) =>
    fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `"${'x'.repeat(bytes - 2)}"`,
    });
  assert.equal((await post(httpLimits.bodyBytesMax)).status, 200);
  const refused = await post(httpLimits.bodyBytesMax + 1);
  assert.deepEqual(
    [refused.status, await refused.json()],
    [413, { error: 'TOO_LARGE', message: `the body is too large: send at most ${httpLimits.bodyBytesMax} bytes` }],
  );
});

test('a caller that does not read a large answer gets no further one until its connection is closed', async () => {
  const { url } = await start({
    routes: [
      (app) => {
        app.get('/large', () => 'x'.repeat(httpLimits.unreadBytesMax));
        app.get('/small', () => 'x');
      },
    ],
  });
  const unread = request(`${url}/large`);
  unread.end();
  const [answer] = (await once(unread, 'response')) as [IncomingMessage];
  const refused = await fetch(`${url}/small`);
  assert.equal(refused.status, 429);
  assert.equal(((await refused.json()) as { error: string }).error, 'TOO_MANY');
  answer.destroy();
  await until(async () => (await fetch(`${url}/small`)).status === 200);
});

test('a server follows the renewals of its certificate until it is closed', async () => {
  const listeners = new Set<unknown>();
  const tls = {
    now: { cert: Buffer.from(certificate), key: Buffer.from(privateKey) },
    watch: (take: unknown) => {
      listeners.add(take);
      return () => void listeners.delete(take);
    },
  };
  await start({ tls });
  assert.equal(listeners.size, 1);
  await open.pop()!.close();
  assert.equal(listeners.size, 0);
});
