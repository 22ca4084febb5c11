import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHttpDate } from '../../../topology/fetch/http-date.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { retryAfterSeconds } from '../../../topology/fetch/retry-after.ts';

describe('HTTP dates (RFC 9110 §5.6.7)', () => {
  const at = Date.UTC(1994, 10, 6, 8, 49, 37);
  it('are read in all three forms', () => {
    assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT'), at);
    assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT'), at);
    assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994'), at);
  });
  it('that are malformed, or no day of the calendar, say nothing', () => {
    const bad = ['', 'Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37', 'Sat, 29 Feb 2025 00:00:00 GMT'];
    bad.push('Sun, 00 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 nov 1994 08:49:37 GMT');
    for (const value of bad) assert.equal(parseHttpDate(value), null, value);
  });
  it('may fall on a leap day and a leap second', () => {
    assert.equal(parseHttpDate('Thu, 29 Feb 2024 00:00:00 GMT'), Date.UTC(2024, 1, 29));
    assert.equal(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT'), Date.UTC(2017, 0, 1));
  });
});

describe('Retry-After (RFC 9110 §10.2.3)', () => {
  const now = Date.UTC(2026, 0, 1);
  it('is seconds or a date, rounded up', () => {
    assert.equal(retryAfterSeconds('120', now), 120);
    assert.equal(retryAfterSeconds(' 5 ', now), 5);
    assert.equal(retryAfterSeconds('Thu, 01 Jan 2026 00:01:00 GMT', now - 500), 61);
  });
  it('of the past is now, and of the far future the cap', () => {
    assert.equal(retryAfterSeconds('Thu, 01 Jan 2015 00:00:00 GMT', now), 0);
    assert.equal(retryAfterSeconds('9'.repeat(400), now), 21_600);
    assert.equal(retryAfterSeconds('Wed, 31 Dec 2138 02:26:59 GMT', now), 21_600);
  });
  it('that is absent or malformed says nothing', () => {
    for (const value of [null, '', '-5', '+5', '1.5', '0x10', 'soon'])
      assert.equal(retryAfterSeconds(value, now), null);
  });
});

describe('redirects (RFC 9110 §10.2.2, §15.4)', () => {
  const from = 'http://example.com/d/a';
  it('resolve against the URL that was asked, without fragment', () => {
    assert.equal(redirectTarget(from, 302, '../b#x'), 'http://example.com/b');
    assert.equal(redirectTarget(from, 301, '//o.example/'), 'http://o.example/');
    assert.equal(redirectTarget(from, 308, ''), from);
  });
  it('are 301, 302, 303, 307 and 308 only, with a Location', () => {
    for (const status of [200, 300, 304, 305, 306, 404]) assert.equal(redirectTarget(from, status, '/b'), null);
    assert.equal(redirectTarget(from, 301, null), null);
  });
  it('lead to http and https only', () => {
    for (const location of ['ftp://a/', 'javascript:alert(1)', 'file:///etc/passwd', 'data:,x', 'http://[']) {
      assert.equal(redirectTarget(from, 301, location), null);
    }
  });
  it('keep the bytes of a Location: UTF-8 as such, others escaped one by one', () => {
    assert.equal(redirectTarget(from, 301, '/a\u00c3\u00a7'), 'http://example.com/a%C3%A7');
    assert.equal(redirectTarget(from, 301, '/a\u00e7'), 'http://example.com/a%E7');
    assert.equal(redirectTarget(from, 301, '/ツ'), 'http://example.com/%E3%83%84');
  });
});
