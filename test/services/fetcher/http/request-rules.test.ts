import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../../../services/fetcher/http/client.ts';
import { compileRequestRules } from '../../../../services/fetcher/http/request-rules.ts';
import { requestRulesSchema } from '../../../../services/fetcher/http/request-rules-schema.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { serveSite, unusedPort } from '../loopback.ts';
import { serveHttpProxy, serveSocks5 } from '../proxy-servers.ts';
import { certificate, privateKey } from './tls-fixture.ts';

process.env['CRAWLSTREAM_TEST_SECRET'] = 'open sesame';
const secret = { env: 'CRAWLSTREAM_TEST_SECRET' };

/** `rules` as a user writes them. `names`: what this machine can look up. */
function open(
  t: TestContext,
  rules: unknown,
  names: readonly string[] = ['*:127.0.0.1'],
  blocked = true,
  seedOrigins: readonly string[] = [],
) {
  const clock = new SystemClock();
  const resolver = createResolver({
    clock,
    lookup: async (name) => (name === 'inside.test' ? { addresses: ['10.0.0.1'], ttlMs: 1_000 } : fail(name)),
    overrides: compileOverrides(names.map(parseResolveOverride)),
    isBlocked: () => blocked,
  });
  const client = createHttpClient({
    clock,
    resolver,
    ca: certificate,
    rules: compileRequestRules(requestRulesSchema.parse(rules), clock, undefined, seedOrigins),
  });
  t.after(() => client.close());
  return (url: string) => client.request({ url, headers: ['user-agent', 'test', 'accept', 'text/html'] });
}

function fail(name: string): never {
  throw new Error(`no such name: ${name}`);
}

async function serveTls(t: TestContext): Promise<number> {
  const server = createTlsServer({ key: privateKey, cert: certificate }, (_, response) => response.end('secure'));
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('headers, cookies and credentials go only to the hosts that the rule names', async (t) => {
  const site = await serveSite(t, (_, response) => response.end('ok'));
  const hosts = ['one.shop.test', 'two.shop.test', 'api.test', 'shop.test'];
  const seeds = hosts.map((host) => site.url(host, ''));
  const rules = [
    { hosts: ['*.shop.test'], headers: { Accept: 'text/plain', 'X-Of': 'shop' }, cookies: { a: '1', b: secret } },
    { hosts: ['one.shop.test'], auth: { basic: { user: 'me', password: secret } } },
    { hosts: ['api.test'], auth: { bearer: secret } },
  ];
  const get = open(t, rules, undefined, undefined, seeds);
  for (const host of hosts) await get(site.url(host, '/'));
  const seen = site.hits.map(({ headers }) => [headers.accept, headers['x-of'], headers.cookie, headers.authorization]);
  const basic = `Basic ${Buffer.from('me:open sesame').toString('base64')}`;
  assert.deepEqual(seen, [
    ['text/plain', 'shop', 'a=1; b=open sesame', basic],
    ['text/plain', 'shop', 'a=1; b=open sesame', undefined],
    ['text/html', undefined, undefined, 'Bearer open sesame'],
    ['text/html', undefined, undefined, undefined],
  ]);
});

test('a rule can request a single URL with another method and a body', async (t) => {
  const bodies: string[] = [];
  const site = await serveSite(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(`${request.method} ${request.headers['content-type']} ${body}`);
    response.end('found');
  });
  const url = site.url('a.test', '/search');
  const get = open(t, [{ urls: [url], method: 'POST', body: 'q=1', contentType: 'application/x-www-form-urlencoded' }]);
  assert.equal((await get(url)).body.toString(), 'found');
  await get(site.url('a.test', '/other'));
  assert.deepEqual(bodies, ['POST application/x-www-form-urlencoded q=1', 'GET undefined ']);
});

test('an HTTP proxy that filters gets whole URLs for http and tunnels for https', async (t) => {
  const site = await serveSite(t, (_, response) => response.end('plain'));
  const tlsPort = await serveTls(t);
  const forHttp = await serveHttpProxy(t, { port: site.port, credentials: 'me:open sesame' });
  const forHttps = await serveHttpProxy(t, { port: tlsPort });
  const via = (port: number, more = {}) => [{ url: `http://127.0.0.1:${port}`, filters: true, ...more }];
  // Names that only the proxy can look up.
  const get = open(
    t,
    [
      { hosts: ['far.test'], proxies: via(forHttp.port, { user: 'me', password: secret }) },
      { hosts: ['secure.test'], proxies: via(forHttps.port) },
    ],
    [],
  );
  const plain = await get(`http://far.test:${site.port}/a?b`);
  assert.deepEqual([plain.failure, plain.body.toString(), plain.address], [null, 'plain', '']);
  assert.equal(site.hits[0]?.headers['proxy-authorization'], undefined);
  assert.equal((await get(`https://secure.test:${tlsPort}/`)).body.toString(), 'secure');
  assert.deepEqual(forHttp.asked, [`GET http://far.test:${site.port}/a?b`]);
  assert.deepEqual(forHttps.asked, [`CONNECT secure.test:${tlsPort}`]);
});

test('a socks5 proxy gets the address that was looked up and checked here; socks5h gets the name', async (t) => {
  const tlsPort = await serveTls(t);
  const socks = await serveSocks5(t, { port: tlsPort, credentials: 'me:open sesame' });
  const through = (scheme: string) => [
    {
      hosts: ['*'],
      proxies: [
        { url: `${scheme}://127.0.0.1:${socks.port}`, user: 'me', password: secret, filters: scheme !== 'socks5' },
      ],
    },
  ];
  const here = await open(t, through('socks5'))(`https://secure.test:${tlsPort}/`);
  assert.deepEqual([here.body.toString(), here.address], ['secure', '127.0.0.1']);
  const there = await open(t, through('socks5h'), [])(`https://secure.test:${tlsPort}/`);
  assert.deepEqual([there.body.toString(), there.address], ['secure', '']);
  const unknown = await open(t, through('socks5'), [])(`https://secure.test:${tlsPort}/`);
  assert.equal(unknown.failure?.kind, 'dnsFailed');
  assert.deepEqual(socks.asked, [`SOCKS 127.0.0.1:${tlsPort}`, `SOCKS secure.test:${tlsPort}`]);
});

test('a proxy that does not filter gets addresses that were checked here, never names', async (t) => {
  const site = await serveSite(t, (_, response) => response.end('plain'));
  const tlsPort = await serveTls(t);
  const [plain, secure] = [await serveHttpProxy(t, { port: site.port }), await serveHttpProxy(t, { port: tlsPort })];
  const rules = [
    { hosts: ['a.test'], proxies: [`http://127.0.0.1:${plain.port}`] },
    { hosts: ['secure.test'], proxies: [`http://127.0.0.1:${secure.port}`] },
  ];
  // The proxy's own answer for the name could be a private one; the address is the one that was checked.
  const get = open(t, rules, ['*:192.0.2.7']);
  assert.equal((await get('http://a.test/')).body.toString(), 'plain');
  assert.equal((await get(`https://secure.test:${tlsPort}/`)).body.toString(), 'secure');
  assert.deepEqual([plain.asked, secure.asked], [['CONNECT 192.0.2.7:80'], [`CONNECT 192.0.2.7:${tlsPort}`]]);
  const unknown = await open(t, rules, [])('http://a.test/');
  assert.equal(unknown.failure?.kind, 'dnsFailed', 'what cannot be checked is not asked for');
  for (const scheme of ['socks5h', 'socks4a']) {
    const { error } = requestRulesSchema.safeParse([{ hosts: ['*'], proxies: [`${scheme}://127.0.0.1:1080`] }]);
    assert.match(JSON.stringify(error?.issues), /filters: true/);
  }
});

test('a proxy does not bypass the address guard', async (t) => {
  const proxy = await serveHttpProxy(t, { port: 1 });
  const get = open(t, [{ hosts: ['*'], proxies: [`http://127.0.0.1:${proxy.port}`] }], []);
  for (const host of ['inside.test', '127.0.0.1', '[::1]', '169.254.169.254']) {
    assert.equal((await get(`http://${host}/`)).failure?.kind, 'blockedAddress', host);
  }
  assert.deepEqual(proxy.asked, []);
});

test('proxies rotate by request or stay with a host; a failed one is skipped without costing an attempt', async (t) => {
  const site = await serveSite(t, (_, response) => response.end('ok'));
  const proxies = [await serveHttpProxy(t, { port: site.port }), await serveHttpProxy(t, { port: site.port })];
  const urls = proxies.map(({ port }) => ({ url: `http://127.0.0.1:${port}`, filters: true }));
  const each = open(t, [{ hosts: ['*'], proxies: urls, rotate: 'request' }]);
  for (let i = 0; i < 4; i++) await each(site.url('a.test', `/${i}`));
  assert.deepEqual(
    proxies.map(({ asked }) => asked.length),
    [2, 2],
  );

  const kept = open(t, [{ hosts: ['*'], proxies: urls }]);
  for (let i = 0; i < 4; i++) await kept(site.url('b.test', `/${i}`));
  assert.deepEqual(proxies.map(({ asked }) => asked.length).sort(), [2, 6]);

  await proxies[0]!.close();
  const dead = `http://127.0.0.1:${await unusedPort()}`;
  const left = open(t, [{ hosts: ['*'], proxies: [dead, urls[0]!, urls[1]!], rotate: 'request' }]);
  for (let i = 0; i < 3; i++) assert.equal((await left(site.url('c.test', '/'))).status, 200);
  await proxies[1]!.close();
  const none = await open(t, [{ hosts: ['*'], proxies: [dead, urls[0]!] }])(site.url('c.test', '/'));
  assert.equal(none.failure?.kind, 'proxyFailed');
});

test('a failure of the proxy is distinguished from a failure of the host', async (t) => {
  const locked = await serveHttpProxy(t, { port: 1, credentials: 'a:b' });
  const unable = await serveHttpProxy(t, { port: 1, refusal: 502 });
  const socks = await serveSocks5(t, { port: 1, refusal: 4 });
  const lockedSocks = await serveSocks5(t, { port: 1, credentials: 'a:b' });
  const failure = async (proxy: string, url: string) =>
    (await open(t, [{ hosts: ['*'], proxies: [proxy] }])(url)).failure?.kind;
  assert.equal(await failure(`http://127.0.0.1:${locked.port}`, 'http://a.test/'), 'proxyFailed');
  assert.equal(await failure(`http://127.0.0.1:${locked.port}`, 'https://a.test/'), 'proxyFailed');
  assert.equal(await failure(`http://127.0.0.1:${unable.port}`, 'https://a.test/'), 'connectionFailed');
  assert.equal(await failure(`socks5://127.0.0.1:${socks.port}`, 'http://a.test/'), 'connectionFailed');
  assert.equal(await failure(`socks5://127.0.0.1:${lockedSocks.port}`, 'http://a.test/'), 'proxyFailed');
});

for (const [what, rule, message] of [
  ['a rule for nobody', {}, /hosts or urls/],
  ['a User-Agent', { hosts: ['a'], headers: { 'User-Agent': 'x' } }, /cannot be set here/],
  ['a line break in a header', { hosts: ['a'], headers: { x: 'a\r\nb: c' } }, /not a header value/],
  ['a literal password', { hosts: ['a'], auth: { bearer: 'xyz' } }, /as a reference/],
  ['a password in a proxy URL', { hosts: ['a'], proxies: ['http://u:p@h:1'] }, /password beside it/],
  ['a method for a whole host', { hosts: ['a'], method: 'POST' }, /single URLs/],
  ['a body for a GET', { urls: ['http://a/'], body: 'x' }, /needs method/],
  ['an unknown field', { hosts: ['a'], header: {} }, /header/],
] as const) {
  test(`${what} in a rule is refused`, () => {
    const result = requestRulesSchema.safeParse([rule]);
    assert.match(JSON.stringify(result.error?.issues), message);
  });
}

test('a missing secret is an error that names the secret', () => {
  const rules = requestRulesSchema.parse([{ hosts: ['a'], auth: { bearer: { env: 'CRAWLSTREAM_NOT_SET' } } }]);
  assert.throws(
    () => compileRequestRules(rules, new SystemClock()),
    /requests\[0\]\.auth\.bearer: .*CRAWLSTREAM_NOT_SET/,
  );
});

const compiled = (rules: unknown, say?: (text: string) => void) =>
  compileRequestRules(requestRulesSchema.parse(rules), new SystemClock(), say, ['http://a.test', 'http://b.test']);
const mannerOf = (rules: unknown, url = 'http://a.test/') => compiled(rules).mannerOf(url, new URL(url).hostname);

test('a request without a matching rule is unchanged', () => {
  assert.equal(mannerOf([]), undefined);
  assert.equal(mannerOf([{ hosts: ['b.test'], headers: { x: 'y' } }]), undefined);
  assert.equal(mannerOf([{ urls: ['http://a.test/1'], method: 'PUT' }]), undefined);
  assert.deepEqual(mannerOf([{ hosts: ['a.test'] }]), {
    method: 'GET',
    body: null,
    headers: [],
    secrets: [],
    proxies: null,
  });
});

test('matching rules apply in order, and later ones override earlier ones', () => {
  process.env['TEST_RULE_SECRET'] = 'se;cret';
  const secret = { env: 'TEST_RULE_SECRET' };
  const rules = [
    { hosts: ['*'], headers: { X: '1', Y: '1' }, redact: ['X', 'Z'], cookies: { a: 'b', c: secret } },
    { urls: ['http://a.test'], method: 'POST', contentType: 'text/plain', body: 'x' },
    { hosts: ['a.test'], headers: { y: '2' }, redact: ['body', 'x'], auth: { bearer: secret } },
    { urls: ['http://b.test/'], method: 'PUT' },
  ];
  const headers = ['x', '1', 'y', '2', 'cookie', 'a=b; c=se;cret'];
  assert.deepEqual(mannerOf(rules), {
    ...{ method: 'POST', body: 'x', secrets: ['x', 'z', 'body'], proxies: null },
    headers: [...headers, 'content-type', 'text/plain', 'authorization', 'Bearer se;cret'],
  });
  assert.deepEqual(mannerOf(rules, 'http://a.test/other'), {
    ...{ method: 'GET', body: null, secrets: ['x', 'z', 'body'], proxies: null },
    headers: [...headers, 'authorization', 'Bearer se;cret'],
  });
  const put = mannerOf(rules, 'http://b.test/')!;
  assert.deepEqual([put.method, put.body, put.headers[3]], ['PUT', null, '1'], 'a method without a body');
  const basic = mannerOf([{ hosts: ['*'], auth: { basic: { user: 'me', password: secret } } }])!;
  assert.deepEqual(basic.headers, ['authorization', `Basic ${Buffer.from('me:se;cret').toString('base64')}`]);
});

test('credentials go to https origins of the named host, to seed origins and to named origins', () => {
  const credentialed = { auth: { bearer: { env: 'CRAWLSTREAM_TEST_SECRET' } }, cookies: { c: 'd' }, redact: ['x-key'] };
  const headers = { 'X-Key': 'k', 'X-Plain': 'p' };
  const rules = [
    { hosts: ['*.shop.test', 'http://staging.test:8080', 'https://[::1]:8443/'], ...credentialed, headers },
  ];
  const names = (url: string) =>
    compileRequestRules(requestRulesSchema.parse(rules), new SystemClock(), undefined, ['http://seed.shop.test:81'])
      .mannerOf(url, new URL(url).hostname)
      ?.headers.filter((_, at) => at % 2 === 0);
  const all = ['x-key', 'x-plain', 'cookie', 'authorization'];
  const wanted: Readonly<Record<string, readonly string[] | undefined>> = {
    'https://www.shop.test/': all,
    'https://www.shop.test:8443/': ['x-plain'],
    'http://www.shop.test/': ['x-plain'],
    'http://seed.shop.test:81/page': all,
    'http://seed.shop.test:82/page': ['x-plain'],
    'https://seed.shop.test/': all,
    'http://staging.test:8080/a': all,
    'http://staging.test:8081/a': undefined,
    'https://staging.test/': undefined,
    'https://[::1]:8443/': all,
    'https://[::1]/': undefined,
  };
  for (const [url, sent] of Object.entries(wanted)) assert.deepEqual(names(url), sent, url);
});

test('a rule for one URL applies to its normal form, however the rule spells it', () => {
  const { mannerOf } = compiled([{ urls: ['HTTP://A.test:80/%7Euser/../x?b=2&a=1#top'], method: 'POST', body: 'q' }]);
  const asked = compileNormalizer()('http://a.test/~user/../x?b=2&a=1')!;
  assert.equal(mannerOf(asked, 'a.test')?.method, 'POST', asked);
});

test('a host’s request settings are the same for each request; a single URL has its own', () => {
  const { mannerOf } = compiled([{ hosts: ['*.test'] }, { urls: ['http://a.test/1'], method: 'PUT' }]);
  assert.equal(mannerOf('http://a.test/', 'a.test'), mannerOf('http://a.test/2', 'a.test'));
  assert.equal(mannerOf('http://a.test/1', 'a.test')?.method, 'PUT');
  assert.equal(mannerOf('http://a.test/', 'a.test')?.method, 'GET');
  for (let n = 0; n < 10_001; n++) mannerOf('', `h${n}.test`);
  assert.equal(mannerOf('http://a.test/', 'a.test')?.method, 'GET');
});

test('a login is recorded without its form values', () => {
  process.env['TEST_RULE_SECRET'] = 's&t';
  const login = { url: 'https://a.test/login', form: { user: 'me', word: { env: 'TEST_RULE_SECRET' } } };
  const { mannerOf, sessions } = compiled([
    { hosts: ['a.test'], session: { login } },
    { hosts: ['b.test'], session: 'cookies' },
  ]);
  assert.deepEqual(mannerOf('https://a.test/login', 'a.test'), {
    ...{ method: 'POST', body: 'user=me&word=s%26t', secrets: ['body'], proxies: null },
    headers: ['content-type', 'application/x-www-form-urlencoded'],
  });
  assert.equal(mannerOf('https://a.test/', 'a.test')?.method, 'GET');
  assert.deepEqual(
    ['a.test', 'b.test', 'c.test'].map((name) => sessions?.keeps(name)),
    [true, true, false],
  );
  assert.equal(sessions?.loginOf('https://a.test')?.url, 'https://a.test/login');
  assert.equal(compiled([{ hosts: ['a.test'] }]).sessions, null);
});

test('a proxy is read from its URL', () => {
  process.env['TEST_RULE_SECRET'] = 'pw';
  const proxyOf = (proxy: unknown) => {
    const { proxies } = mannerOf([{ hosts: ['*'], proxies: [proxy] }])!;
    return proxies!.next('a.test');
  };
  const plain = { user: '', password: '', resolves: false };
  for (const [proxy, expected] of [
    ['http://p.test', { kind: 'http', hostname: 'p.test', port: 80, label: 'http://p.test:80' }],
    ['https://p.test', { kind: 'https', hostname: 'p.test', port: 443, label: 'https://p.test:443' }],
    ['http://p.test:3128', { kind: 'http', hostname: 'p.test', port: 3_128, label: 'http://p.test:3128' }],
    ['socks5://[::1]:1080', { kind: 'socks5', hostname: '::1', port: 1_080, label: 'socks5://[::1]:1080' }],
    [
      { url: 'http://p.test', filters: true },
      { kind: 'http', hostname: 'p.test', port: 80, resolves: true, label: 'http://p.test:80' },
    ],
    [
      { url: 'socks5://p.test:1', filters: true },
      { kind: 'socks5', hostname: 'p.test', port: 1, label: 'socks5://p.test:1' },
    ],
    [
      { url: 'socks5h://p.test:1', filters: true },
      { kind: 'socks5', hostname: 'p.test', port: 1, resolves: true, label: 'socks5h://p.test:1' },
    ],
    [
      { url: 'socks4a://p.test:1', filters: true },
      { kind: 'socks4', hostname: 'p.test', port: 1, resolves: true, label: 'socks4a://p.test:1' },
    ],
    [
      { url: 'http://p.test', user: 'me', password: { env: 'TEST_RULE_SECRET' } },
      { kind: 'http', hostname: 'p.test', port: 80, user: 'me', password: 'pw', label: 'http://p.test:80' },
    ],
  ] as const)
    assert.deepEqual(proxyOf(proxy), { ...plain, ...expected });
});

for (const [field, rule] of [
  ['requests[1].auth.basic.password', { auth: { basic: { user: 'a', password: { env: 'CRAWLSTREAM_NOT_SET' } } } }],
  ['requests[1].cookies.sid', { cookies: { sid: { env: 'CRAWLSTREAM_NOT_SET' } } }],
  [
    'requests[1].proxies[1].password',
    { proxies: ['http://p', { url: 'http://p', password: { env: 'CRAWLSTREAM_NOT_SET' } }] },
  ],
  [
    'requests[1].session.login.form.word',
    { session: { login: { url: 'http://a/', form: { word: { env: 'CRAWLSTREAM_NOT_SET' } } } } },
  ],
] as const)
  test(`a missing secret is an error that names ${field}`, () => {
    assert.throws(
      () => compiled([{ hosts: ['b'] }, { hosts: ['a'], ...rule }]),
      (error: Error) => error.message.includes(field) && error.message.includes('CRAWLSTREAM_NOT_SET'),
    );
  });
