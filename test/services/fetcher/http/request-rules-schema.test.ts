/** Which request rules are taken, and where the others are told to be wrong. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestRulesSchema } from '../../../../services/fetcher/http/request-rules-schema.ts';

const hosts = ['a.test'];
const urls = ['https://a.test/x'];

/** Where a rule is wrong, `headers.Host`; empty: nowhere. */
function wrongIn(rule: object): string {
  const { error } = requestRulesSchema.safeParse([rule]);
  return error === undefined ? '' : error.issues[0]!.path.slice(1).join('.') || 'rule';
}
const isTaken = (rule: object) => wrongIn(rule) === '';

describe('a request rule', () => {
  it('a request rule applies to hosts or to URLs', () => {
    assert.deepEqual([{ hosts }, { urls }, { hosts, urls }, {}, { hosts: [] }, { urls: [] }].map(isTaken), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    assert.equal(isTaken({ urls: ['ftp://a.test/'] }), false);
    assert.equal(isTaken({ hosts, more: 1 }), false);
    for (const pattern of ['*', '*.a.test', 'a']) assert.equal(isTaken({ hosts: [pattern] }), true, pattern);
    for (const pattern of ['', 'a.test:80', 'a/b', 'a*', '*a', 'http://a/b', 'ftp://a', 'http://*.a'])
      assert.equal(isTaken({ hosts: [pattern] }), false, pattern);
  });

  it('only a request rule for single URLs has a method and a body', () => {
    for (const method of ['GET', 'POST', 'PUT']) assert.equal(isTaken({ urls, method }), true);
    assert.equal(wrongIn({ urls, method: 'DELETE' }), 'method');
    assert.equal(wrongIn({ hosts, method: 'POST' }), 'method');
    for (const method of ['POST', 'PUT']) assert.equal(isTaken({ urls, method, body: 'x' }), true);
    assert.equal(wrongIn({ urls, method: 'GET', body: 'x' }), 'body');
    assert.equal(wrongIn({ urls, body: 'x' }), 'body');
    const long = (chars: number) => wrongIn({ urls, method: 'PUT', body: 'x'.repeat(chars) });
    assert.deepEqual([long(65_536), long(65_537)], ['', 'body']);
  });

  it('only a request rule for hosts has an identity and a session', () => {
    const identity = { userAgent: 'NewsBot/2.1 (partner)' };
    assert.deepEqual([wrongIn({ hosts, identity }), wrongIn({ urls, identity })], ['', 'identity']);
    assert.deepEqual([wrongIn({ hosts, session: 'cookies' }), wrongIn({ urls, session: 'cookies' })], ['', 'session']);
    assert.equal(wrongIn({ hosts, session: 'all' }), 'session');
  });

  it('a request rule rotates proxies only if it has some', () => {
    const proxies = ['http://p.test:3128'];
    for (const rotate of ['host', 'request']) assert.equal(isTaken({ hosts, proxies, rotate }), true);
    assert.equal(wrongIn({ hosts, proxies, rotate: 'all' }), 'rotate');
    assert.equal(wrongIn({ hosts, rotate: 'host' }), 'rotate');
  });
});

describe('headers of a request rule', () => {
  const isHeader = (name: string, value = 'x') => isTaken({ hosts, headers: { [name]: value } });

  it('headers of a request rule have names and values valid under RFC 9110', () => {
    for (const name of ['X-Team', "!#$%&'*+.^_`|~09azAZ-"]) assert.equal(isHeader(name), true, name);
    for (const name of ['', 'a b', 'a:', 'a(b', 'é', 'a\n']) assert.equal(isHeader(name), false, name);
    for (const value of ['', 'a b\tc', ' ~', '\x80\xff']) assert.equal(isHeader('x', value), true, value);
    for (const value of ['a\nb', 'a\r', '\0', '\x7f', '\u0100']) assert.equal(isHeader('x', value), false, value);
    assert.equal(isTaken({ hosts, contentType: 'text/plain' }), true);
    assert.equal(wrongIn({ hosts, contentType: 'a\nb' }), 'contentType');
  });

  it('headers of a request rule cannot replace those of the crawler, of the connection or of secrets', () => {
    const ours =
      'host connection content-length transfer-encoding upgrade te expect user-agent if-none-match if-modified-since accept-encoding authorization proxy-authorization cookie';
    for (const name of ours.split(' '))
      for (const written of [name, name.toUpperCase()]) assert.equal(isHeader(written), false, written);
    for (const name of ['x-host', 'authorization2', 'cookies', 'tea', 'accept', 'referer'])
      assert.equal(isHeader(name), true, name);
  });

  it('headers of a request rule that are redacted are named, and so is the body', () => {
    assert.equal(isTaken({ hosts, redact: ['X-Key', 'body'] }), true);
    assert.equal(wrongIn({ hosts, redact: ['a b'] }), 'redact.0');
  });
});

describe('cookies and credentials', () => {
  it('cookies and credentials are literal texts or references', () => {
    const isCookie = (name: string, value: unknown) => isTaken({ hosts, cookies: { [name]: value } });
    assert.equal(isCookie('sid', "!#$%&'()*+-./:<=>?@[]^_`{|}~09azAZ"), true);
    assert.equal(isCookie('sid', { env: 'SID' }), true);
    for (const value of ['a b', 'a"', 'a,b', 'a;b', 'a\\b', 'é', '\x7f', 1])
      assert.equal(isCookie('sid', value), false, String(value));
    for (const name of ['', 'a b', 'a=']) assert.equal(isCookie(name, 'x'), false, name);
    const secret = { env: 'X' };
    assert.equal(isTaken({ hosts, auth: { bearer: secret } }), true);
    assert.equal(isTaken({ hosts, auth: { basic: { user: '', password: secret } } }), true);
    for (const auth of [
      { bearer: 'x' },
      { basic: { user: 'a:b', password: secret } },
      { basic: { user: 'a', password: 'x' } },
      { basic: { user: 'a' } },
      { bearer: secret, basic: { user: 'a', password: secret } },
      { bearer: secret, more: 1 },
    ])
      assert.equal(isTaken({ hosts, auth }), false, JSON.stringify(auth));
  });
});

describe('an identity', () => {
  it('an identity begins with a name and has tokens for robots.txt', () => {
    const isAgent = (userAgent: string) => isTaken({ hosts, identity: { userAgent } });
    for (const agent of [
      'A',
      'News-Bot_1',
      'NewsBot/2.1 (x)',
      'NewsBot x',
      `A${'b'.repeat(63)}`,
      `A/${'b'.repeat(254)}`,
    ])
      assert.equal(isAgent(agent), true, agent);
    for (const agent of ['', '1Bot', '-Bot', 'Bot(x)', 'Bot/é', 'Bot/\n', `A${'b'.repeat(64)}`, `A/${'b'.repeat(255)}`])
      assert.equal(isAgent(agent), false, agent);
    const isTokens = (robotsTokens: unknown) => isTaken({ hosts, identity: { userAgent: 'A', robotsTokens } });
    assert.deepEqual(
      [['A'], ['A', `b${'c'.repeat(63)}`], [], ['*'], ['A/2'], ['1'], ['A', 'b c'], [`b${'c'.repeat(64)}`]].map(
        isTokens,
      ),
      [true, true, false, false, false, false, false, false],
    );
    assert.equal(isTaken({ hosts, identity: { userAgent: 'A', more: 1 } }), false);
  });
});

describe('a proxy', () => {
  const isProxy = (proxy: unknown) => isTaken({ hosts, proxies: [proxy] });

  it('a proxy is a URL with a supported protocol and a port, and nothing else', () => {
    for (const url of ['http://p', 'https://p:1', 'http://p:1/', 'socks5://p:1', 'http://[::1]:1'])
      assert.equal(isProxy(url), true, url);
    for (const url of [
      ...[
        'p',
        'p:1',
        'http://',
        'ftp://p:1',
        'socks4://p:1',
        'socks5://p',
        'socks6://p:1',
        'http://me@p:1',
        'http://:x@p:1',
      ],
      ...['http://p:1/x', 'socks5://p:1/x', 'xhttp://p:1', 'httpss://p:1'],
    ])
      assert.equal(isProxy(url), false, url);
    assert.equal(isTaken({ hosts, proxies: [] }), false);
  });

  it('a proxy may have a user and a password by reference', () => {
    const url = 'http://p:1';
    assert.equal(isProxy({ url, user: 'me', password: { env: 'X' } }), true);
    for (const wrong of [{ user: '' }, { password: 'x' }, { filters: 'yes' }, { more: 1 }])
      assert.equal(isProxy({ url, ...wrong }), false);
    assert.equal(isProxy({ url: 'ftp://p:1' }), false);
  });

  it('a proxy gets host names only if it filters private addresses', () => {
    for (const scheme of ['socks4a', 'socks5h']) {
      const url = `${scheme}://p:1`;
      assert.deepEqual([url, { url }, { url, filters: false }, { url, filters: true }].map(isProxy), [
        false,
        false,
        false,
        true,
      ]);
      const both = { hosts, proxies: ['http://p:1', { url, filters: true }] };
      assert.equal(isTaken(both), true);
      assert.equal(isTaken({ hosts, proxies: [...both.proxies, url] }), false);
    }
    assert.equal(isProxy({ url: 'socks5://p:1', filters: false }), true);
  });
});

describe('a login', () => {
  it('a login is a form on one of the hosts of its rule', () => {
    const login = (
      url: string,
      form: object = { user: 'me', password: { env: 'X' } },
      named = ['a.test', '*.b.test'],
    ) => wrongIn({ hosts: named, session: { login: { url, form } } });
    assert.equal(login('https://a.test/login'), '');
    assert.equal(login('http://x.b.test/login', {}), '');
    assert.equal(login('https://c.test/login', {}, ['*']), '');
    assert.equal(login('https://b.test/login'), 'session.login.url');
    assert.equal(login('https://x.a.test/login'), 'session.login.url');
    assert.notEqual(login('ftp://a.test/'), '');
    assert.notEqual(login('https://a.test/', { '': 'x' }), '');
    assert.notEqual(login('https://a.test/', { x: 1 }), '');
    assert.notEqual(wrongIn({ hosts, session: { login: { url: 'https://a.test/', form: {}, more: 1 } } }), '');
  });
});
