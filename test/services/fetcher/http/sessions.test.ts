/** Cookies are kept where a rule says so, for the host that set them and no other. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../../../services/fetcher/http/client.ts';
import { headerOf } from '../../../../services/fetcher/http/headers.ts';
import { compileRequestRules } from '../../../../services/fetcher/http/request-rules.ts';
import { requestRulesSchema } from '../../../../services/fetcher/http/request-rules-schema.ts';
import { sessionLimits } from '../../../../services/fetcher/http/session-limits.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { type Answer, serveSite } from '../loopback.ts';

async function open(t: TestContext, rules: unknown, answer: Answer) {
  const site = await serveSite(t, answer);
  const clock = new SystemClock();
  const resolver = createResolver({
    clock,
    lookup: () => Promise.reject(new Error('nobody looks names up here')),
    overrides: compileOverrides(['*:127.0.0.1'].map(parseResolveOverride)),
    isBlocked: () => true,
  });
  const compiled = compileRequestRules(requestRulesSchema.parse(rules), clock);
  const archive = { what: 'all', bodyBytesMax: 1_000, messageBytesMax: 1_000 } as const;
  const client = createHttpClient({ clock, resolver, rules: compiled, archive });
  t.after(() => client.close());
  const get = (host: string, path = '/') =>
    client.request({ url: site.url(host, path), headers: ['user-agent', 'test'] });
  const sentTo = (host: string) => site.hits.filter((hit) => hit.host === host).map(({ headers }) => headers.cookie);
  return { site, get, sentTo, rules: compiled };
}

test('by default, nothing is kept', async (t) => {
  const { get, sentTo } = await open(t, [{ hosts: ['b.test'], session: 'cookies' }], (_, response) =>
    response.setHeader('set-cookie', 'a=1').end('ok'),
  );
  for (let i = 0; i < 2; i++) await get('a.test');
  assert.deepEqual(sentTo('a.test'), [undefined, undefined]);
});

test('a host gets back what it has set, beside the cookies of rules; another host does not, whatever Domain says', async (t) => {
  const rules = [{ hosts: ['*.site.test', 'site.test'], session: 'cookies', cookies: { own: 'x' } }];
  const { get, sentTo } = await open(t, rules, (_, response) =>
    response
      .setHeader('set-cookie', ['a=1', 'wide=2; Domain=site.test', 'evil=3; Domain=other.test', 'tld=4; Domain=test'])
      .end('ok'),
  );
  await get('one.site.test');
  await get('one.site.test', '/later');
  await get('two.site.test');
  await get('site.test');
  assert.deepEqual(sentTo('one.site.test'), ['own=x', 'own=x; a=1; wide=2']);
  assert.deepEqual(sentTo('two.site.test'), ['own=x']);
  assert.deepEqual(sentTo('site.test'), ['own=x']);
});

test('a redirect to another host carries no cookie there, nor does another port of the name', async (t) => {
  const { get, site, sentTo } = await open(t, [{ hosts: ['*'], session: 'cookies' }], (request, response, host) => {
    if (host === 'a.test') response.setHeader('set-cookie', 'a=1').writeHead(302, { location: 'http://b.test/' });
    response.end(request.url);
  });
  const answer = await get('a.test');
  await get('b.test');
  await get('a.test', '/again');
  assert.deepEqual(sentTo('b.test'), [undefined]);
  assert.deepEqual(sentTo('a.test'), [undefined, 'a=1']);
  assert.equal(headerOf(answer.headers, 'set-cookie'), '[redacted]');
  assert.ok(answer.wire?.rawHeaders.every((bytes) => !bytes.toString().includes('a=1')));
  assert.equal(site.hits.length, 3);
});

test('a host that sets cookies without end is held to a bound, and one that takes a cookie back has it no more', async (t) => {
  let round = 0;
  const { get, sentTo } = await open(t, [{ hosts: ['*'], session: 'cookies' }], (_, response) => {
    const many = Array.from({ length: 100 }, (_, n) => `c${n}=1; Path=/`);
    response.setHeader('set-cookie', round++ === 0 ? many : ['c0=; Max-Age=0; Path=/']).end('ok');
  });
  for (let i = 0; i < 3; i++) await get('a.test');
  const counts = sentTo('a.test').map((cookie) => cookie?.split('; ').length ?? 0);
  assert.deepEqual(counts, [0, sessionLimits.cookiesPerHostMax, sessionLimits.cookiesPerHostMax - 1]);
});

test('a login is for the hosts of its rule, and its secrets are references', () => {
  const parse = (rule: object) => requestRulesSchema.safeParse([rule]).error?.issues[0]?.message ?? '';
  const login = (url: string) => ({ session: { login: { url, form: { user: 'me' } } } });
  assert.equal(parse({ hosts: ['a.test'], ...login('https://a.test/login') }), '');
  assert.match(parse({ hosts: ['a.test'], ...login('https://b.test/login') }), /a login is for its own host alone/);
  assert.match(parse({ urls: ['https://a.test/x'], session: 'cookies' }), /is for hosts/);
  assert.match(parse({ hosts: ['a.test'], session: true }), /write session: cookies/);
});
