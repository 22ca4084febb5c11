import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkUrl } from '../../../../services/extras/urlfrontier/check-url.ts';
import { pullLimits } from '../../../../topology/frontier/pull/pull-limits.ts';

const keyOf = (url: string, key = '') => {
  const checked = checkUrl(url, key);
  return checked.ok ? checked.key : `refused: ${checked.reason}`;
};

test('all spellings of a host share one queue', () => {
  for (const [url, key] of [
    ['http://a.com', 'a.com'],
    ['https://a-b.c_d.com:8080/x?y#z', 'a-b.c_d.com'],
    ['http://a.com?q', 'a.com'],
    ['HTTP://A.COM/', 'a.com'],
    ['http://a.com./', 'a.com'],
    ['http://a.com:80/', 'a.com'],
    ['http://user:secret@a.com/', 'a.com'],
    ['http://%61.com/', 'a.com'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['http://a.com/with space', 'a.com'],
    ['http://localhost/', 'localhost'],
    ['http://[2001:DB8::1]:81/', '[2001:db8::1]'],
    // The same address, spelt otherwise.
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://0x7f.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.0x1/', '127.0.0.1'],
    ['http://a.0x/', 'refused: the URL is not absolute'],
    ['http://2130706433/', '127.0.0.1'],
  ] as const)
    assert.equal(keyOf(url), key, url);
});

test('a queue named by the client is used as it is', () => {
  for (const url of ['http://a.com/', 'HTTP://a.com/', 'http://127.1/']) assert.equal(keyOf(url, 'mine'), 'mine', url);
});

test('an unfetchable URL is refused, with the reason', () => {
  for (const [url, reason] of [
    ['', 'the URL is empty'],
    ['a.com/x', 'the URL is not absolute'],
    ['//a.com/x', 'the URL is not absolute'],
    ['http://', 'the URL is not absolute'],
    ['http://a.com:99999/', 'the URL is not absolute'],
    ['ftp://a.com/', 'scheme ftp is not supported; use http or https'],
    ['javascript:void(0)', 'scheme javascript is not supported; use http or https'],
    [' http://a.com/', 'the URL has white space around it, or contains control characters'],
    ['http://a.com/ ', 'the URL has white space around it, or contains control characters'],
    ['http://a.com/\u0007x', 'the URL has white space around it, or contains control characters'],
    ['http://a.com/\u007f', 'the URL has white space around it, or contains control characters'],
    ['http://a\n.com/', 'the URL has white space around it, or contains control characters'],
  ] as const) {
    assert.equal(keyOf(url), `refused: ${reason}`, JSON.stringify(url));
    assert.equal(keyOf(url, 'mine'), `refused: ${reason}`, `${JSON.stringify(url)} with a key`);
  }
});

test('a URL and a key have a maximum length', () => {
  const url = (chars: number) => `http://a.com/${'x'.repeat(chars - 'http://a.com/'.length)}`;
  const { urlCharsMax, keyBytesMax } = pullLimits;
  assert.equal(keyOf(url(urlCharsMax)), 'a.com');
  assert.equal(
    keyOf(url(urlCharsMax + 1)),
    `refused: the URL has ${urlCharsMax + 1} characters; at most ${urlCharsMax} are allowed`,
  );
  const key = 'ü'.repeat(keyBytesMax / 2);
  assert.equal(keyOf('http://a.com/', key), key);
  assert.equal(keyOf('http://a.com/', `${key}x`), `refused: the key is longer than ${keyBytesMax} bytes`);
});
