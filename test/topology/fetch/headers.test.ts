import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshForMs, maxAgeMs } from '../../../topology/fetch/cache-control.ts';
import { parseHttpDate } from '../../../topology/fetch/http-date.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { retryAfterSeconds } from '../../../topology/fetch/retry-after.ts';

describe('the remaining freshness of a response (RFC 9111 §4.2)', () => {
  it('the remaining freshness of a response is its max-age less its age, if readable, and never negative', () => {
    assert.equal(freshForMs('public, max-age=600', ''), 600_000);
    assert.equal(freshForMs('max-age=600', '500'), 100_000);
    assert.equal(freshForMs('max-age=600', '601'), 0);
    for (const odd of ['-500', '1e3', '500s', '99999999999'])
      assert.equal(freshForMs('max-age=600', odd), 600_000, odd);
    assert.equal(freshForMs('max-age=600, no-cache', ''), 0);
  });
});

describe('HTTP dates (RFC 9110 §5.6.7)', () => {
  const at = Date.UTC(1994, 10, 6, 8, 49, 37);
  it('HTTP dates are read in all three forms', () => {
    assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT'), at);
    assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT'), at);
    assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994'), at);
  });
  it('HTTP dates that are malformed, or not in the calendar, are ignored', () => {
    const bad = ['', 'Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37', 'Sat, 29 Feb 2025 00:00:00 GMT'];
    bad.push('Sun, 00 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 nov 1994 08:49:37 GMT');
    for (const value of bad) assert.equal(parseHttpDate(value), null, value);
  });
  it('HTTP dates may fall on a leap day and a leap second', () => {
    assert.equal(parseHttpDate('Thu, 29 Feb 2024 00:00:00 GMT'), Date.UTC(2024, 1, 29));
    assert.equal(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT'), Date.UTC(2017, 0, 1));
  });
});

describe('the edges of HTTP dates', () => {
  const read = (text: string) => parseHttpDate(text);
  it('HTTP dates have valid first and last values of each part', () => {
    const day = (part: string, time = '00:00:00') => read(`Mon, ${part} ${time} GMT`);
    assert.equal(day('01 Jan 2026', '23:59:59'), Date.UTC(2026, 0, 1, 23, 59, 59));
    for (const time of ['24:00:00', '23:60:00', '00:00:61', '22:59:60', '23:58:60', '12:59:60'])
      assert.equal(day('01 Jan 2026', time), null, time);
    for (const date of ['31 Jan', '28 Feb', '30 Apr', '31 Dec', '01 Mar'])
      assert.ok(day(`${date} 2026`) !== null, date);
    for (const date of ['32 Jan', '29 Feb', '31 Apr', '32 Dec', '00 Mar'])
      assert.equal(day(`${date} 2026`), null, date);
    assert.equal(day('29 Feb 2000'), Date.UTC(2000, 1, 29));
    assert.equal(day('29 Feb 1900'), null);
    assert.equal(day('01 Jan 0099'), new Date(0).setUTCFullYear(99, 0, 1));
  });
  it('HTTP dates with two-digit years are split at 70', () => {
    assert.equal(read('Thursday, 01-Jan-70 00:00:00 GMT'), 0);
    assert.equal(read('Monday, 01-Jan-69 00:00:00 GMT'), Date.UTC(2069, 0, 1));
    assert.equal(read('Monday, 01-Jan-71 00:00:00 GMT'), Date.UTC(1971, 0, 1));
    assert.equal(read('Monday, 01-Jan-00 00:00:00 GMT'), Date.UTC(2000, 0, 1));
  });
  it('HTTP dates in C’s form may have one digit, after a blank', () => {
    assert.equal(read('Sun Nov 16 08:49:37 1994'), Date.UTC(1994, 10, 16, 8, 49, 37));
    for (const text of ['Sun Nov 6 08:49:37 1994', 'Sun Nov  16 08:49:37 1994', 'Sun Nov  6 08:49:37 1994 GMT'])
      assert.equal(read(text), null, text);
  });
});

describe('Cache-Control (RFC 9111 §5.2.2.1)', () => {
  it('Cache-Control gives the freshness in seconds', () => {
    for (const [value, ms] of [
      ['max-age=60', 60_000],
      ['public, Max-Age = "5" ', 5_000],
      ['max-age=0', 0],
      ['max-age=1, max-age=9', 1_000],
      ['s-maxage=9', 0],
      ['max-age=-1', 0],
      ['max-age=1.5', 0],
      ['max-age=9999999999', 9_999_999_999_000],
      ['max-age=99999999999', 0],
      ['', 0],
    ] as const)
      assert.equal(maxAgeMs(value), ms, value);
  });
  it('Cache-Control gives none if each use must be validated', () => {
    for (const value of ['no-cache, max-age=60', 'max-age=60, NO-STORE ', 'no-store']) assert.equal(maxAgeMs(value), 0);
    assert.equal(maxAgeMs('no-cache=set-cookie, max-age=60'), 60_000);
  });
  it('Cache-Control is read up to 32 directives', () => {
    const others = (count: number) => Array.from({ length: count }, () => 'x').join(',');
    assert.equal(maxAgeMs(`${others(31)},max-age=1`), 1_000);
    assert.equal(maxAgeMs(`${others(32)},max-age=1`), 0);
  });
});

describe('Retry-After (RFC 9110 §10.2.3)', () => {
  const now = Date.UTC(2026, 0, 1);
  it('Retry-After is seconds or a date, rounded up', () => {
    assert.equal(retryAfterSeconds('120', now), 120);
    assert.equal(retryAfterSeconds(' 5 ', now), 5);
    assert.equal(retryAfterSeconds('Thu, 01 Jan 2026 00:01:00 GMT', now - 500), 61);
  });
  it('Retry-After is read in nearly valid forms', () => {
    for (const value of ['8s', '8 sec', '7.5', '8 seconds']) assert.equal(retryAfterSeconds(value, now), 8, value);
    for (const value of [
      ...['Thu, 01 Jan 2026 00:01:00 UTC', 'Thu, 01 Jan 2026 00:01:00 +0000', 'Thu, 01 Jan 2026 01:01:00 +0100'],
      ...['1 Jan 2026 00:01:00 -0000', '2026-01-01T00:01:00Z', '2026-01-01T00:01:00.000Z', '2026-01-01T02:01:00+02:00'],
    ])
      assert.equal(retryAfterSeconds(value, now), 60, value);
  });
  it('Retry-After of the past is now, and of the far future the cap', () => {
    assert.equal(retryAfterSeconds('Thu, 01 Jan 2015 00:00:00 GMT', now), 0);
    assert.equal(retryAfterSeconds('9'.repeat(400), now), 21_600);
    assert.equal(retryAfterSeconds('Wed, 31 Dec 2138 02:26:59 GMT', now), 21_600);
  });
  it('Retry-After that is absent or malformed is ignored', () => {
    for (const value of [
      null,
      '',
      '-5',
      '+5',
      '1.5.1',
      '5 m',
      '0x10',
      'soon',
      '2026-01-01',
      '01/02/2026 00:00:00',
      '2026-01-01T00:00:00',
    ])
      assert.equal(retryAfterSeconds(value, now), null);
  });
});

describe('redirects (RFC 9110 §10.2.2, §15.4)', () => {
  const from = 'http://example.com/d/a';
  it('redirects resolve against the requested URL, without fragment', () => {
    assert.equal(redirectTarget(from, 302, '../b#x'), 'http://example.com/b');
    assert.equal(redirectTarget(from, 301, '//o.example/'), 'http://o.example/');
    assert.equal(redirectTarget(from, 308, ''), from);
  });
  it('redirects are 301, 302, 303, 307 and 308 only, with a Location', () => {
    for (const status of [200, 300, 304, 305, 306, 404]) assert.equal(redirectTarget(from, status, '/b'), null);
    assert.equal(redirectTarget(from, 301, null), null);
  });
  it('redirects lead to http and https only', () => {
    for (const location of ['ftp://a/', 'javascript:alert(1)', 'file:///etc/passwd', 'data:,x', 'http://[']) {
      assert.equal(redirectTarget(from, 301, location), null);
    }
  });
  it('redirects keep the bytes of a Location: UTF-8 as such, others escaped one by one', () => {
    assert.equal(redirectTarget(from, 301, '/a\u00c3\u00a7'), 'http://example.com/a%C3%A7');
    assert.equal(redirectTarget(from, 301, '/a\u00e7'), 'http://example.com/a%E7');
    assert.equal(redirectTarget(from, 301, '/ツ'), 'http://example.com/%E3%83%84');
  });
  it('redirects that are already decoded are used as they are', () => {
    const to = (location: string) => redirectTarget('http://a.test/', 302, location);
    assert.equal(to('/é€'), 'http://a.test/%C3%A9%E2%82%AC');
    assert.equal(to('/\xc3\xa9'), 'http://a.test/%C3%A9');
    assert.equal(to('/\xe9'), 'http://a.test/%E9');
    assert.equal(to('/\x80\xff'), 'http://a.test/%80%FF');
    assert.equal(to('/a#b'), 'http://a.test/a');
  });
});
