/** Endpoints of extras and plugins on a real server. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CrawlRoute, ServedCrawl } from '../../../../services/application/extension/crawl-part.ts';
import { partRoutes } from '../../../../services/hosting/roles/part-routes.ts';
import { type Routes, startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';

const crawl = { crawl: 'news', part: (name: string) => `data/${name}` } as ServedCrawl;

/** `now`: the crawl that is up. */
async function serve(t: TestContext, routes: readonly CrawlRoute[], now: () => ServedCrawl | undefined = () => crawl) {
  const before: Routes = (app) => {
    for (const path of ['/hosts', '/hosts/:key', '/dashboard/*']) app.get(path, () => ({}));
  };
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    routes: [before, partRoutes(routes, now)],
    onBug: (error) => assert.fail(`${error}`),
  });
  t.after(() => server.close());
  return async (method: string, path: string, init: RequestInit = {}, seen = (_: Headers) => {}) => {
    const response = await fetch(`http://${server.address}${path}`, { method, ...init });
    seen(response.headers);
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
}

const titles: CrawlRoute = {
  method: 'GET',
  path: '/titles/:host',
  handle: ({ params, query }, { crawl: name, part }) => ({ body: { ...params, ...query, name, file: part('titles') } }),
};

test('an endpoint gets the parts of its call and the crawl, and answers with an object as JSON', async (t) => {
  const call = await serve(t, [titles]);
  const { status, text } = await call('GET', '/titles/a.test?limit=3');
  const body = { host: 'a.test', limit: '3', name: 'news', file: 'data/titles' };
  assert.deepEqual([status, JSON.parse(text)], [200, body]);
});

test('an endpoint chooses status and media type', async (t) => {
  const drawn: CrawlRoute = {
    method: 'POST',
    path: '/drawn',
    handle: ({ body }) => ({ status: 202, type: 'image/svg+xml', body: `<svg>${body}</svg>` }),
  };
  const call = await serve(t, [drawn]);
  const headers = { 'content-type': 'text/plain' };
  assert.deepEqual(await call('POST', '/drawn', { body: 'one', headers }), {
    ...{ status: 202, type: 'image/svg+xml', text: '<svg>one</svg>' },
  });
});

test('an endpoint that takes bytes gets them whatever their media type', async (t) => {
  const size: CrawlRoute = {
    method: 'POST',
    path: '/size',
    takes: 'bytes',
    handle: ({ body }) => ({ body: `${(body as Buffer).length}` }),
  };
  const call = await serve(t, [size]);
  for (const type of ['application/json', 'image/png'])
    assert.equal((await call('POST', '/size', { body: 'not JSON', headers: { 'content-type': type } })).text, '8');
});

test('a call that comes before the crawl is up is refused with NOT_READY', async (t) => {
  let up: ServedCrawl | undefined;
  const call = await serve(t, [titles], () => up);
  const { status, text } = await call('GET', '/titles/a.test');
  assert.deepEqual([status, JSON.parse(text).error], [503, 'NOT_READY']);
  up = crawl;
  assert.equal((await call('GET', '/titles/a.test')).status, 200);
});

test('a GET with control access is refused to a caller that a web page may have sent', async (t) => {
  const call = await serve(t, [{ ...titles, access: 'control' }]);
  assert.equal((await call('GET', '/titles/a.test')).status, 403);
  assert.equal((await call('GET', '/titles/a.test', { headers: { 'x-crawlstream': '1' } })).status, 200);
});

test('an endpoint that the process has already, or that comes twice, is refused before the process listens', async (t) => {
  const taken: CrawlRoute = { method: 'GET', path: '/hosts', handle: () => ({ body: '' }) };
  const refused = { code: 'INVALID_ARGUMENT', message: /endpoint GET \/hosts: .* choose another path/ };
  await assert.rejects(serve(t, [taken]), refused);
  await assert.rejects(serve(t, [titles, { ...titles, takes: 'bytes' }]), { code: 'INVALID_ARGUMENT' });
});

test('an endpoint that would answer calls of one with parameters is refused, and a path below it is not', async (t) => {
  const at = (path: string): CrawlRoute => ({ method: 'GET', path, handle: () => ({ body: 'mine' }) });
  for (const path of ['/hosts/a.test', '/hosts/:host', '/hosts/a-:b', '/dashboard/main.js', '/metrics'])
    await assert.rejects(serve(t, [at(path)]), { code: 'INVALID_ARGUMENT', message: /choose another path/ }, path);
  const hub = { ...at('/hub/:id'), takes: 'bytes' } as const;
  for (const path of ['/hub/mine', '/hub/:name'])
    await assert.rejects(serve(t, [hub, at(path)]), /choose another path/);
  const call = await serve(t, [at('/hosts/:key/sizes')]);
  assert.equal((await call('GET', '/hosts/a.test/sizes')).text, 'mine');
  assert.equal((await call('GET', '/hosts/a.test')).text, '{}');
});

test('a path that no endpoint can have is refused with its name', async (t) => {
  const wrong: CrawlRoute = { method: 'POST', path: '/*/sizes', takes: 'bytes', handle: () => ({ body: '' }) };
  const message = /^endpoint POST \/\*\/sizes: .*; choose another path$/;
  await assert.rejects(serve(t, [wrong]), { code: 'INVALID_ARGUMENT', message });
});

test('HTML of an endpoint runs no script, and no other answer is taken for HTML', async (t) => {
  const page: CrawlRoute = { method: 'GET', path: '/page', handle: () => ({ type: 'text/html', body: '<script>' }) };
  const call = await serve(t, [page]);
  await call('GET', '/page', {}, (headers) => {
    assert.match(`${headers.get('content-security-policy')}`, /^default-src 'none';.* form-action 'none';.* sandbox$/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });
});
