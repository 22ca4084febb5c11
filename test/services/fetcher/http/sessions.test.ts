/** Cookies are kept where a rule says so, for the host that set them and no other. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext, test } from 'node:test';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { headerOf } from '../../../../services/fetcher/http/headers.ts';
import { compileRequestRules, type RequestManner } from '../../../../services/fetcher/http/request-rules.ts';
import { requestRulesSchema } from '../../../../services/fetcher/http/request-rules-schema.ts';
import { sessionLimits } from '../../../../services/fetcher/http/session-limits.ts';
import { createSessions } from '../../../../services/fetcher/http/sessions.ts';
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
  const seeds = ['one.site.test', 'two.site.test', 'site.test'].map((host) => new URL(site.url(host, '/')).origin);
  const compiled = compileRequestRules(requestRulesSchema.parse(rules), clock, undefined, seeds);
  const archive = { what: 'all', bodyBytesMax: 1_000, messageBytesMax: 1_000 } as const;
  const client = createHttpClient({ clock, resolver, rules: compiled, archive });
  t.after(() => client.close());
  const get = (host: string, path = '/') =>
    client.request({ url: site.url(host, path), headers: ['user-agent', 'test'] });
  const sentTo = (host: string) => site.hits.filter((hit) => hit.host === host).map(({ headers }) => headers.cookie);
  return { site, get, sentTo, rules: compiled };
}

test('no cookie is kept by default', async (t) => {
  const { get, sentTo } = await open(t, [{ hosts: ['b.test'], session: 'cookies' }], (_, response) =>
    response.setHeader('set-cookie', 'a=1').end('ok'),
  );
  for (let i = 0; i < 2; i++) await get('a.test');
  assert.deepEqual(sentTo('a.test'), [undefined, undefined]);
});

test('a host gets back the cookies that it set, beside those of rules; no other host does, whatever Domain says', async (t) => {
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

test('a redirect to another host or port carries no cookie there', async (t) => {
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

test('a host’s cookies are bounded, and a cookie that it deletes is gone', async (t) => {
  let round = 0;
  const { get, sentTo } = await open(t, [{ hosts: ['*'], session: 'cookies' }], (_, response) => {
    const many = Array.from({ length: 100 }, (_, n) => `c${n}=1; Path=/`);
    response.setHeader('set-cookie', round++ === 0 ? many : ['c0=; Max-Age=0; Path=/']).end('ok');
  });
  for (let i = 0; i < 3; i++) await get('a.test');
  const counts = sentTo('a.test').map((cookie) => cookie?.split('; ').length ?? 0);
  assert.deepEqual(counts, [0, sessionLimits.cookiesPerHostMax, sessionLimits.cookiesPerHostMax - 1]);
});

test('a login applies to the hosts of its rule, and its secrets are references', () => {
  const parse = (rule: object) => requestRulesSchema.safeParse([rule]).error?.issues[0]?.message ?? '';
  const login = (url: string) => ({ session: { login: { url, form: { user: 'me' } } } });
  assert.equal(parse({ hosts: ['a.test'], ...login('https://a.test/login') }), '');
  assert.match(parse({ hosts: ['a.test'], ...login('https://b.test/login') }), /a login works only for its own host/);
  assert.match(parse({ urls: ['https://a.test/x'], session: 'cookies' }), /works only for hosts/);
  assert.match(parse({ hosts: ['a.test'], session: true }), /write session: cookies/);
});

const setting = (...cookies: string[]) => cookies.flatMap((cookie) => ['set-cookie', cookie]);
const answer = (headers: readonly string[], more: Partial<HttpResponse> = {}) =>
  ({ status: 200, failure: null, headers, ...more }) as unknown as HttpResponse;

/** Sessions at a time that is moved by hand. */
function started(loginUrls: readonly string[] = []) {
  const time = { nowMs: Date.UTC(2026, 0, 1) };
  const sessions = createSessions(['*'], loginUrls, () => time.nowMs);
  const set = (url: string, ...cookies: string[]) => sessions.keep(url, answer(setting(...cookies)));
  const cookiesTo = (url: string) => {
    const { headers = [] } = sessions.withCookies(url, undefined) ?? {};
    return headers[headers.indexOf('cookie') + 1] ?? '';
  };
  return { ...{ sessions, time, set, cookiesTo } };
}

describe('a session', () => {
  it('a session keeps cookies for the hosts of its rules', () => {
    const { keeps } = createSessions(['a.test', '*.b.test'], [], () => 0);
    assert.deepEqual(['a.test', 'x.b.test', 'c.test'].map(keeps), [true, true, false]);
  });

  it('a session’s cookies are sent after those of the rule', () => {
    const { sessions, set } = started();
    const manner: RequestManner = {
      ...{ method: 'POST', body: 'x', secrets: ['cookie'], proxies: null },
      headers: ['accept', '*/*', 'cookie', 'own=1', 'x-more', '2'],
    };
    assert.equal(sessions.withCookies('http://a.test/', manner), manner);
    assert.equal(sessions.withCookies('http://a.test/', undefined), undefined);
    set('http://a.test/', 'a=1', 'b=2');
    assert.deepEqual(sessions.withCookies('http://a.test/', manner), {
      ...manner,
      headers: ['accept', '*/*', 'x-more', '2', 'cookie', 'own=1; a=1; b=2'],
    });
    assert.deepEqual(sessions.withCookies('http://a.test/', undefined), {
      ...{ method: 'GET', body: null, headers: ['cookie', 'a=1; b=2'], secrets: [], proxies: null },
    });
  });

  it('a session identifies cookies by name and path and sends longer paths first', () => {
    const { set, cookiesTo } = started();
    set('http://a.test/d/x', 'a=1; Path=/', 'a=2; Path=/d', 'a=3; Path=/e', '=; Path=/', 'a=4; Path=/');
    assert.equal(cookiesTo('http://a.test/d/y'), 'a=2; a=4');
    assert.equal(cookiesTo('http://a.test/'), 'a=4');
  });

  it('a session belongs to a host name and port', () => {
    const { set, cookiesTo } = started();
    set('https://a.test/', 'a=1', 's=1; Secure');
    assert.deepEqual(['https://a.test/', 'http://a.test/', 'http://a.test:81/', 'http://b.a.test/'].map(cookiesTo), [
      'a=1; s=1',
      'a=1',
      '',
      '',
    ]);
  });

  it('a session does not let plain HTTP overwrite a secure cookie', () => {
    const { set, cookiesTo } = started();
    set('https://a.test/', 'a=1', 's=1; Secure');
    set('http://a.test/', 'a=2', 's=2');
    assert.equal(cookiesTo('https://a.test/'), 's=1; a=2');
    set('https://a.test/', 's=3');
    assert.equal(cookiesTo('http://a.test/'), 'a=2; s=3');
  });

  it('a session drops a cookie when it expires, and at once if its expiry is past', () => {
    const { set, cookiesTo, time, sessions } = started();
    set('http://a.test/', 'a=1; Max-Age=2', 'b=1');
    time.nowMs += 1_999;
    assert.equal(cookiesTo('http://a.test/'), 'a=1; b=1');
    time.nowMs += 1;
    assert.equal(cookiesTo('http://a.test/'), 'b=1');
    set('http://a.test/', `b=1; Expires=${new Date(time.nowMs).toUTCString()}`);
    assert.equal(sessions.isOpen('http://a.test/'), false);
    set('http://a.test/', `b=1; Expires=${new Date(time.nowMs + 1_000).toUTCString()}`);
    assert.equal(sessions.isOpen('http://a.test/'), true);
    assert.equal(sessions.isOpen('http://b.test/'), false);
  });

  it('a session keeps a bounded number of cookies per host, and known ones can still change', () => {
    const { set, cookiesTo } = started();
    const names = Array.from({ length: sessionLimits.cookiesPerHostMax + 1 }, (_, n) => `c${n}`);
    set('http://a.test/', ...names.map((name) => `${name}=1`));
    const last = names.at(-2)!;
    assert.equal(cookiesTo('http://a.test/').split('; ').at(-1), `${last}=1`);
    set('http://a.test/', `${last}=2`, 'more=1');
    assert.equal(cookiesTo('http://a.test/').split('; ').at(-1), `${last}=2`);
  });

  it('a session is kept for a bounded number of hosts; those that set cookies last stay', () => {
    const { set, cookiesTo } = started();
    for (let n = 0; n < sessionLimits.hostsMax; n++) set(`http://h${n}.test/`, 'a=1');
    set('http://h0.test/', 'b=1');
    assert.deepEqual(['http://h0.test/', 'http://h1.test/'].map(cookiesTo), ['a=1; b=1', 'a=1']);
    set('http://new.test/', 'a=1');
    assert.deepEqual(['http://h0.test/', 'http://h1.test/', 'http://h2.test/', 'http://new.test/'].map(cookiesTo), [
      'a=1; b=1',
      '',
      'a=1',
      'a=1',
    ]);
  });

  it('a session takes cookies from a response whose body fails, and none without a response', () => {
    const { sessions, cookiesTo } = started();
    const failed = answer(setting('a=1'), { failure: { kind: 'timeout', detail: '' } });
    const shown = sessions.keep('http://a.test/', failed);
    assert.deepEqual([shown.headers.includes('a=1'), shown.failure?.kind], [false, 'timeout']);
    assert.equal(cookiesTo('http://a.test/'), 'a=1');
    const nothing = answer(setting('b=1'), { status: 0, failure: { kind: 'timeout', detail: '' } });
    assert.equal(sessions.keep('http://a.test/', nothing), nothing);
    assert.equal(cookiesTo('http://a.test/'), 'a=1');
  });
});

describe('the record of a response', () => {
  it('the record of a response says that a cookie was set, but not its value', () => {
    const { sessions } = started();
    const plain = answer(['accept', 'set-cookie']);
    assert.equal(sessions.keep('http://a.test/', plain), plain);
    const headers = ['x', 'set-cookie', 'Set-Cookie', 'a=1', 'y', 'z', 'set-cookie', 'b=1'];
    const shown = ['x', 'set-cookie', 'Set-Cookie', '[redacted]', 'y', 'z', 'set-cookie', '[redacted]'];
    const kept = sessions.keep('http://a.test/', answer(headers));
    assert.deepEqual([kept.headers, 'wire' in kept, kept.status], [shown, false, 200]);
    const wire = { rawHeaders: headers.map((text) => Buffer.from(text)) } as unknown as NonNullable<
      HttpResponse['wire']
    >;
    const raw = sessions.keep('http://a.test/', answer(headers, { wire }));
    assert.deepEqual(raw.headers, shown);
    assert.deepEqual(raw.wire!.rawHeaders.map(String), shown);
  });
});

describe('a login', () => {
  const url = 'https://a.test/login?to=x';

  it('a login is due if its site has no session and no attempt was made recently', () => {
    const { sessions, time, set } = started([url]);
    assert.equal(sessions.loginOf('https://b.test'), null);
    const login = sessions.loginOf('https://a.test')!;
    assert.deepEqual({ ...login }, { url, sentAtMs: 0, underWay: null });
    login.sentAtMs = time.nowMs;
    assert.equal(sessions.loginOf('https://a.test'), null);
    login.underWay = Promise.resolve();
    assert.equal(sessions.loginOf('https://a.test'), login, 'which others wait for');
    login.underWay = null;
    time.nowMs += sessionLimits.loginEveryMs - 1;
    assert.equal(sessions.loginOf('https://a.test'), null);
    time.nowMs += 1;
    assert.equal(sessions.loginOf('https://a.test'), login);
    set('https://a.test/', 'a=1');
    assert.equal(sessions.loginOf('https://a.test'), null);
  });

  it('a login is due again if the site says that there is no session, or redirects to the login', () => {
    const isOpenAfter = (status: number, headers: readonly string[] = [], at = 'https://a.test/page') => {
      const { sessions, set } = started([url]);
      set('https://a.test/', 'a=1');
      sessions.keep(at, answer(headers, { status }));
      return sessions.isOpen('https://a.test/');
    };
    const back = ['location', '/login?from=page'];
    assert.deepEqual(
      [200, 299, 300, 302, 399, 400, 401, 403].map((status) => isOpenAfter(status, back)),
      [true, true, false, false, false, true, false, true],
    );
    assert.equal(isOpenAfter(401, [], url), true, 'of the login itself it says nothing');
    assert.equal(isOpenAfter(401, [], 'https://b.test/'), true);
    assert.equal(isOpenAfter(302, ['x', 'y', 'Location', 'https://a.test/login']), false);
    assert.equal(isOpenAfter(302, ['location', 'http://', 'location', '/login']), false);
    for (const elsewhere of ['/', '/login/x', 'http://a.test/login', 'https://b.test/login'])
      assert.equal(isOpenAfter(302, ['location', elsewhere]), true, elsewhere);
    assert.equal(isOpenAfter(302, ['x-location', '/login']), true);
  });
});

test('a redirected URL is requested again only if other cookies would be sent', async (t) => {
  const { site, get, rules } = await open(
    t,
    [{ hosts: ['one.site.test'], session: 'cookies' }],
    (request, response) => {
      if (request.url === '/check') response.setHeader('set-cookie', 'seen=1; Path=/');
      response.writeHead(302, { location: request.url === '/wall' ? '/check' : '/wall' }).end();
    },
  );
  const sessions = rules!.sessions!;
  const [wall, check] = ['/wall', '/check'].map((path) => site.url('one.site.test', path));
  await get('one.site.test', '/wall');
  assert.equal(sessions.redirected(wall!, check!), false, 'nobody asked for it yet');
  await get('one.site.test', '/check');
  assert.equal(sessions.redirected(check!, wall!), true, 'a cookie came since');
  await get('one.site.test', '/wall');
  assert.equal(sessions.redirected(wall!, check!), true, 'the other was asked without it');
  await get('one.site.test', '/check');
  assert.equal(sessions.redirected(check!, wall!), false, 'nothing new: the circle ends');
  assert.equal(sessions.redirected('http://never.test/', wall!), false, 'a host that keeps none');
});
