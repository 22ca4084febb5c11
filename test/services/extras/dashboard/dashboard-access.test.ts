/** Who sees a dashboard that listens beyond this machine, by raw requests. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterEach, test } from 'node:test';
import type { CrawlView } from '../../../../services/extras/dashboard/crawl-view.ts';
import { createDashboard } from '../../../../services/extras/dashboard/dashboard-routes.ts';
import { dashboardLimits } from '../../../../services/extras/dashboard/limits.ts';
import { remoteView } from '../../../../services/extras/dashboard/remote-view.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import type { Opening } from '../../../../services/runtime/http/access.ts';
import { type HttpServer, startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { invalid } from '../../../../topology/errors.ts';
import { shownCrawl } from '../../../browser/shown-crawl.ts';

const token = 'a-token-of-some-length';
const servers: HttpServer[] = [];
const calls: ClientRequest[] = [];

afterEach(async () => {
  for (const call of calls.splice(0)) call.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(
  access: { readonly token?: string; readonly opened?: Opening },
  { view }: { readonly view: CrawlView } = shownCrawl('live'),
): Promise<number> {
  const dashboard = createDashboard(new SystemClock(), () => view);
  const server = await startHttpServer({
    listen: { host: '0.0.0.0', port: 0 },
    ...access,
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: 'up 1\n' }),
    routes: [dashboard.routes],
    onBug: (error) => assert.fail(error as Error),
  });
  servers.push(server);
  return Number(server.address.split(':').pop());
}

async function ask(port: number, path: string, headers: Record<string, string> = {}, localAddress = '127.0.0.1') {
  const call = request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false });
  calls.push(call);
  call.end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  if (path !== '/dashboard/events') answer.resume();
  return answer;
}

const reads = ['/metrics', '/dashboard/data', '/dashboard/history', '/dashboard/hosts', '/dashboard/events'];
const public_ = ['/livez', '/dashboard/', '/dashboard/page/main.js'];

async function statuses(port: number, headers: Record<string, string> = {}): Promise<(number | undefined)[]> {
  const all = [];
  for (const path of [...public_, ...reads]) all.push((await ask(port, path, headers)).statusCode);
  return all;
}

test('beyond this machine, a crawl is shown with the token, and its login page to anybody', async () => {
  const open = [200, 200, 200];
  const guarded = await serve({ token });
  assert.deepEqual(await statuses(guarded), [...open, 401, 401, 401, 401, 401]);
  assert.deepEqual(await statuses(guarded, { authorization: `Bearer ${token}` }), [...open, 200, 200, 200, 200, 200]);
  const silent = await serve({});
  assert.deepEqual(await statuses(silent), [...open, 403, 403, 403, 403, 403]);
  const scraped = await serve({ token, opened: 'metrics' });
  assert.deepEqual(await statuses(scraped), [...open, 200, 401, 401, 401, 401]);
  const opened = await serve({ opened: 'reads' });
  assert.deepEqual(await statuses(opened), [...open, 200, 200, 200, 200, 200]);
  // A page whose name was made to lead here, by its browser: that sends no other Host.
  assert.deepEqual(await statuses(opened, { host: 'evil.example' }), [...open, 200, 403, 403, 403, 403]);
});

test('the right to operate a crawl is that of the calls: by the token, or refused if none could be given', async () => {
  const rights = async (port: number, headers = {}) => (await ask(port, '/dashboard/rights', headers)).statusCode;
  const guarded = await serve({ token, opened: 'reads' });
  assert.equal(await rights(guarded), 401);
  assert.equal(await rights(guarded, { authorization: `Bearer ${token}` }), 200);
  assert.equal(await rights(await serve({ opened: 'reads' })), 403);
  // A dashboard of another service has no more rights than that service gives it.
  const beside = async (given: string | undefined) =>
    rights(await serve({ token }, { view: remoteView({ url: `http://127.0.0.1:${guarded}`, token: given }) }), {
      authorization: `Bearer ${token}`,
    });
  assert.deepEqual([await beside(undefined), await beside(token)], [403, 200]);
});

test('a question about a URL is given up when its caller leaves, and the next one is answered', async () => {
  for (const question of ['explain', 'story', 'record'] as const) {
    const { view } = shownCrawl('live');
    const [begun, left] = [new EventEmitter(), new EventEmitter()];
    const [hasBegun, hasLeft] = [once(begun, 'begun'), once(left, 'left')];
    let isFirst = true;
    const answer = (url: string, signal?: AbortSignal) => {
      if (!isFirst) return view[question](url, signal);
      isFirst = false;
      begun.emit('begun');
      return new Promise<never>((_, reject) =>
        signal!.addEventListener('abort', () => {
          left.emit('left');
          reject(invalid('the caller left'));
        }),
      );
    };
    const port = await serve({ token }, { view: { ...view, [question]: answer } });
    const path = `/dashboard/${question}?url=http://a.test/`;
    const headers = { authorization: `Bearer ${token}` };
    const call = request({ host: '127.0.0.1', port, path, headers, agent: false }).on('error', () => {});
    call.end();
    await hasBegun;
    call.destroy();
    await hasLeft;
    assert.equal((await ask(port, path, headers)).statusCode, 200, question);
  }
});

test('one address takes a bounded number of viewers’ places, and others can still watch', async () => {
  const port = await serve({ opened: 'reads' });
  const { viewersOfClientMax } = dashboardLimits;
  for (let n = 0; n < viewersOfClientMax; n++) assert.equal((await ask(port, '/dashboard/events')).statusCode, 200);
  const refused = await ask(port, '/dashboard/events');
  assert.equal(refused.statusCode, 429);
  let body = '';
  for await (const chunk of refused) body += chunk;
  assert.match(body, /16 pages of 127\.0\.0\.1 already show this crawl, .*: close one/);
  assert.equal((await ask(port, '/dashboard/events', {}, '127.0.0.2')).statusCode, 200);
});
