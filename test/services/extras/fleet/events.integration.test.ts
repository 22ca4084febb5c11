/**
 * Events of crawls by webhooks and by a browser's EventSource, through a kill -9 of the fleet in the middle: none is lost, none
 * comes out of order, and what comes again has the id that it had.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { startFleet } from './running-fleet.ts';
import { type Post, startReceiver } from './webhooks/receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 'signs what is posted').toString('base64')}`;

interface Report {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly url?: string; readonly text?: string; readonly detail?: string };
}

const eventsOf = ({ body }: Post) => (JSON.parse(body) as { readonly data: { readonly events: Report[] } }).data.events;

/** Each event once, in the order of its first coming. */
function once(all: readonly Report[]): Report[] {
  return [...new Map([...all].reverse().map((one) => [one.id, one] as const)).values()].reverse();
}

/** Every step from the beginning on is there, none twice and none before its turn. */
function assertWhole(all: readonly Report[]): void {
  let [pages, changes] = [0, 0];
  // Which crawl of the name they are of.
  const incarnation = all[0]?.id.split('-')[2];
  for (const { id, type } of all) {
    if (type.startsWith('crawl.')) changes++;
    else pages++;
    assert.equal(id, `${pages}-${changes}-${incarnation}`, all.map((one) => `${one.id} ${one.type}`).join('\n'));
  }
}

test('webhooks and a browser get all events of a crawl in order, through kill -9, with verifiable signatures', async (t) => {
  const python = join(pythonEnvironment('standardwebhooks-1.0.0', ['standardwebhooks==1.0.0']), 'bin/python');
  const small = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 25, domains: 2 });
  const { port, posts } = await startReceiver(
    (path, nth) => {
      if (path === '/never') return null;
      if (path === '/moved') return 302;
      // The second is taken, and its answer lost; the third is refused.
      return nth === 1 ? 0 : nth === 2 ? 503 : 204;
    },
    (path) => (path === '/moved' ? { location: `http://127.0.0.1:${port}/inside` } : {}),
  );
  const data = join(temporaryFolder(), 'fleet');
  const resolve = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--resolve', `hooks.test:${port}:127.0.0.1`];
  const flags = [...resolve, '--host-delay', '200ms'];
  let fleet = await startFleet(data, flags);
  after(() => fleet.running.child.kill('SIGKILL'));
  const policy = { delayMs: 200, delayFactor: 0 };
  const webhook = (path: string) => ({ url: `http://hooks.test:${port}${path}`, secret });

  for (const [wrong, said] of [
    [{ url: `http://127.0.0.1:${port}/inside`, secret }, /webhook\.url: 127\.0\.0\.1 may not be contacted/],
    [{ url: `http://2130706433:${port}/inside`, secret }, /127\.0\.0\.1 may not be contacted/],
    [{ url: `http://[::ffff:127.0.0.1]:${port}/inside`, secret }, /may not be contacted/],
    [{ url: 'http://169.254.169.254/latest/meta-data/', secret }, /may not be contacted/],
    [{ url: 'http://me:mine@hooks.test/', secret }, /user name or password/],
    [{ url: 'file:///etc/passwd', secret }, /scheme file/],
    [{ ...webhook('/good'), secret: 'whsec_c2hvcnQ=' }, /webhook\.secret/],
  ] as const) {
    const { status, body } = await fleet.call('POST', '/v1/crawls', { seeds: small.seeds, policy, webhook: wrong });
    assert.equal(status, 400, JSON.stringify(body));
    assert.match((body as { readonly message: string }).message, said);
    assert.ok(!JSON.stringify(body).includes(secret));
  }

  const call = { seeds: small.seeds, policy, name: 'good', webhook: webhook('/good') };
  const made = await fleet.create(call);
  assert.equal(made.webhook?.url, webhook('/good').url);
  // A name that leads inside is found out where it is looked up, and a redirect is not followed.
  const inside = { url: `http://localhost:${port}/inside`, secret };
  for (const [name, hook] of [
    ['inside', inside],
    ['moved', webhook('/moved')],
    ['never', webhook('/never')],
  ] as const)
    await fleet.create({ seeds: small.seeds.slice(0, 1), policy: { ...policy, pageQuota: 3 }, name, webhook: hook });

  const executablePath = chromiumHere();
  const seen: Report[] = [];
  const browser = executablePath && (await chromium.launch({ executablePath, args: ['--no-sandbox'] }));
  if (browser) {
    after(() => browser.close());
    const page = await browser.newPage();
    await page.exposeFunction('reported', (event: Report) => void seen.push(event));
    await page.goto(`${fleet.base}/v1/openapi.json`);
    await page.evaluate(() => {
      const { EventSource, reported } = globalThis as unknown as {
        readonly EventSource: new (
          url: string,
        ) => { addEventListener(type: string, hear: (event: { data: string; lastEventId: string }) => void): void };
        reported(event: unknown): void;
      };
      const source = new EventSource('/v1/crawls/good/events?content=page');
      for (const type of ['page', 'crawl.created', 'crawl.paused', 'crawl.resumed', 'crawl.ended'])
        source.addEventListener(type, ({ data, lastEventId }) => reported({ ...JSON.parse(data), id: lastEventId }));
    });
  } else t.diagnostic(noBrowser);

  const good = () => posts.filter(({ path }) => path === '/good');
  await until(() => good().length >= 2);
  assert.equal((await fleet.call('POST', '/v1/crawls/good/pause')).status, 200);
  assert.equal((await fleet.call('POST', '/v1/crawls/good/resume')).status, 200);
  await until(() => good().filter(({ status }) => status === 204).length >= 4);
  assert.ok((await fleet.get('good')).end === null, 'the kill comes in the middle');
  fleet.running.child.kill('SIGKILL');
  const { stderr } = await fleet.running.ended;
  assert.ok(!stderr.includes(secret) && !stderr.includes(secret.slice(6)));
  // The browser comes back by itself, where it was.
  fleet = await startFleet(data, [...flags, '--http', new URL(fleet.base).port]);
  await until(() =>
    good().some((post) => post.status === 204 && eventsOf(post).some(({ type }) => type === 'crawl.ended')),
  );

  const all = good().flatMap(eventsOf);
  const reported = once(all);
  assertWhole(reported);
  // A page whose result the kill cut off is fetched again.
  const urls = reported.flatMap(({ data }) => (data.url === undefined ? [] : [data.url]));
  assert.deepEqual([...new Set(urls)].sort(), [...small.plan.expected(small.port).fetch].sort());
  assert.ok(reported.filter(({ type }) => type === 'page').every(({ data }) => (data.text ?? '') !== ''));
  const kinds = reported.map(({ type }) => type).filter((type) => type !== 'page');
  assert.deepEqual(kinds, ['crawl.created', 'crawl.paused', 'crawl.resumed', 'crawl.ended']);
  assert.equal(reported.at(-1)!.data.detail, 'done');

  // What was taken came in order, and what came again was the same under the same id.
  const taken = good()
    .filter(({ status }) => status === 204)
    .map(eventsOf);
  assert.deepEqual(
    once(taken.flat()).map(({ id }) => id),
    reported.map(({ id }) => id),
  );
  const byId = new Map<string, Set<string>>();
  for (const { headers, body } of good()) {
    const id = `${headers['webhook-id']}`;
    byId.set(id, (byId.get(id) ?? new Set()).add(body));
  }
  assert.ok([...byId.values()].every((bodies) => bodies.size === 1));
  t.diagnostic(`${good().length} requests with ${byId.size} ids, ${all.length} events of ${reported.length}`);
  assert.ok(byId.size < good().length, 'some came again');
  // The others: told of, and no way in.
  assert.ok(!posts.some(({ path }) => path === '/inside'));
  const { webhook: refused } = await fleet.get('inside');
  assert.match(refused!.failure!, /localhost is at an address that may not be contacted/);
  assert.ok(refused!.failures > 0 && refused!.delivered === '0-0' && refused!.nextAtMs! > 0);
  assert.match((await fleet.get('moved')).webhook!.failure!, /it answered with status 302/);
  const { webhook: good0 } = await fleet.get('good');
  assert.deepEqual([good0!.delivered, good0!.failure], [reported.at(-1)!.id, null]);
  assert.ok(!JSON.stringify(await fleet.list()).includes(secret));

  if (browser) {
    await until(() => seen.some(({ type }) => type === 'crawl.ended'));
    assertWhole(seen);
    assert.deepEqual(
      seen.map(({ id }) => id),
      reported.map(({ id }) => id),
    );
  }
  const events = (headers: Record<string, string>, query = '') =>
    fetch(`${fleet.base}/v1/crawls/good/events${query}`, { headers });
  assert.equal((await events({ 'last-event-id': reported.at(-1)!.id })).status, 204);
  assert.equal((await events({ 'last-event-id': '../1' })).status, 400);
  const rest = await (await events({}, `?from=${reported.at(-3)!.id}`)).text();
  assert.deepEqual(
    [...rest.matchAll(/^id: (.*)$/gm)].map(([, id]) => id),
    reported.slice(-2).map(({ id }) => id),
  );
  // One that is deleted while its receiver does not answer is gone at once, and its name free.
  assert.equal((await fleet.call('DELETE', '/v1/crawls/moved')).status, 204);
  await fleet.create({ seeds: small.seeds.slice(0, 1), policy: { ...policy, pageQuota: 3 }, name: 'moved' });
  const verify = fileURLToPath(new URL('webhooks/verify.py', import.meta.url));
  const input = JSON.stringify(
    good()
      .slice(-50)
      .map(({ headers, body }) => [
        secret,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`])),
        body,
      ]),
  );
  const verified = JSON.parse(execFileSync(python, [verify], { input, encoding: 'utf8' }));
  assert.deepEqual(verified, { valid: Math.min(50, good().length), changed: 0 });
});
