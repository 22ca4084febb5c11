/** What of a Set-Cookie header is kept for its host (RFC 6265 §5), and what a host may not set. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Cookie,
  cookieCharsMax,
  cookieField,
  isSentTo,
  parseSetCookie,
} from '../../../topology/fetch/set-cookie.ts';

const now = Date.UTC(2026, 0, 1);
const from = { host: 'www.example.org', path: '/shop/cart', isSecure: true };
const parse = (header: string, own: Partial<typeof from> = {}) => parseSetCookie(header, { ...from, ...own }, now);

test('name, value, path and end are read as RFC 6265 says', () => {
  assert.deepEqual(parse('a=b'), { name: 'a', value: 'b', path: '/shop', expiresAtMs: null, secure: false });
  assert.deepEqual(parse(' a = "b c" ; Path=/ ; HttpOnly; SameSite=Lax; Secure'), {
    ...{ name: 'a', value: '"b c"', path: '/', expiresAtMs: null, secure: true },
  });
  assert.equal(parse('a=b; Path=relative')?.path, '/shop');
  assert.equal(parse('a=b', { path: '/' })?.path, '/');
  assert.equal(parse('a=b; Max-Age=60; Expires=Wed, 01 Jan 2020 00:00:00 GMT')?.expiresAtMs, now + 60_000);
  assert.equal(parse('a=b; Max-Age=0')?.expiresAtMs, 0);
  assert.equal(parse('a=b; Max-Age=-5')?.expiresAtMs, 0);
  for (const none of ['6x', 'x6', '--6', '6.5', '', '1e3'])
    assert.equal(parse(`a=b; Max-Age=${none}`)?.expiresAtMs, null, none);
  assert.equal(parse('a=b; Expires=Thu, 01 Jan 2026 00:01:00 GMT')?.expiresAtMs, now + 60_000);
  assert.equal(parse('a=')?.value, '');
});

test('a cookie that is malformed, too long, or would break a header is ignored', () => {
  for (const header of [
    '',
    '=',
    ' ; Path=/',
    ';a=b',
    `a=${'x'.repeat(cookieCharsMax)}`,
    'a=b\r\nx: y',
    'a=\u0142',
    'a\u0000=b',
  ])
    assert.equal(parse(header), null, JSON.stringify(header.slice(0, 20)));
});

test('a cookie without a name is kept and sent as its value, as browsers do', () => {
  const cookies = ['a', '=b', ' = c ', 'd=e'].map((header) => parse(header));
  assert.deepEqual(
    cookies.map((cookie) => [cookie?.name, cookie?.value]),
    [
      ['', 'a'],
      ['', 'b'],
      ['', 'c'],
      ['d', 'e'],
    ],
  );
  assert.equal(cookieField(cookies as Cookie[]), 'a; b; c; d=e');
  for (const header of ['__Host-a', '=__secure-b=c']) assert.equal(parse(header), null, header);
});

test('a cookie for another host, or for a public suffix, is ignored; one for a wider domain stays with its host', () => {
  for (const domain of ['example.com', 'other.example.org', 'org', 'co.uk', 'ample.org', 'w.example.org'])
    assert.equal(parse(`a=b; Domain=${domain}`), null, domain);
  assert.equal(parse('a=b; Domain=co.uk', { host: 'shop.co.uk' }), null);
  assert.equal(parse('a=b; Domain=github.io', { host: 'me.github.io' }), null);
  assert.equal(parse('a=b; Domain=0.0.1', { host: '127.0.0.1' }), null);
  for (const domain of ['example.org', '.Example.ORG', 'www.example.org'])
    assert.equal(parse(`a=b; Domain=${domain}`)?.name, 'a', domain);
});

test('Secure and the prefixes of names require TLS, and no wider domain', () => {
  assert.equal(parse('a=b; Secure', { isSecure: false }), null);
  assert.equal(parse('__Secure-a=b'), null);
  assert.equal(parse('__Secure-a=b; Secure')?.name, '__Secure-a');
  assert.equal(parse('__Host-a=b; Secure'), null);
  assert.equal(parse('__Host-a=b; Secure', { path: '/' }), null, 'no path of its own');
  assert.equal(parse('__Host-a=b; Secure; Path=/; Domain=example.org'), null);
  assert.equal(parse('__Host-a=b; Secure; Path=/')?.name, '__Host-a');
});

test('a cookie is sent to its path and below, until it expires, and by TLS only if it says so', () => {
  const sent = (header: string, path: string, isSecure = true, atMs = now) =>
    isSentTo(parse(header)!, { host: from.host, path, isSecure }, atMs);
  assert.deepEqual(
    ['/shop', '/shop/', '/shop/x', '/shopping', '/'].map((path) => sent('a=b', path)),
    [true, true, true, false, false],
  );
  assert.equal(sent('a=b; Path=/', '/x'), true);
  assert.equal(sent('a=b; Secure', '/shop', false), false);
  assert.equal(sent('a=b; Max-Age=1', '/shop', true, now + 999), true);
  assert.equal(sent('a=b; Max-Age=1', '/shop', true, now + 1_000), false);
});

test('a cookie has at most 4,096 characters, and is sent without TLS unless it says otherwise', () => {
  assert.equal(parse(`a=${'x'.repeat(4_095)}`)?.value.length, 4_095);
  assert.equal(parse(`a=${'x'.repeat(4_096)}`), null);
  const plain = parse('a=b; HttpOnly; =x; path; secured');
  assert.deepEqual([plain?.secure, plain?.path], [false, '/shop']);
  const sent = (header: string, isSecure: boolean, atMs = now) =>
    isSentTo(parse(header)!, { host: from.host, path: '/shop', isSecure }, atMs);
  assert.deepEqual([sent('a=b', false), sent('a=b', true)], [true, true]);
  assert.deepEqual([sent('a=b; Secure', false), sent('a=b; Secure', true)], [false, true]);
  assert.deepEqual(
    [-1, 0, 1].map((more) => sent('a=b; Max-Age=1', false, now + 1_000 + more)),
    [true, false, false],
  );
});

test('an attribute that is too long is ignored', () => {
  const path = (chars: number) => parse(`a=b; Path=/${'x'.repeat(chars - 1)}`)?.path.length;
  assert.deepEqual([path(1_024), path(1_025)], [1_024, '/shop'.length]);
});
