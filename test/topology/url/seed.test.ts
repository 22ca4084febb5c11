import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { parseSeed } from '../../../topology/url/seed.ts';

test('typed input becomes a URL', () => {
  const rows: [string, string][] = [
    ['example.org', 'https://example.org/'],
    [' example.org/a?b#c ', 'https://example.org/a?b'],
    ['example.org:8080/a', 'https://example.org:8080/a'],
    ['localhost:3000', 'https://localhost:3000/'],
    ['//example.org', 'https://example.org/'],
    ['[::1]:8080', 'https://[::1]:8080/'],
    ['HTTP://Example.org', 'http://example.org/'],
    ['http://example.org/#top', 'http://example.org/'],
    ['bücher.de', 'https://xn--bcher-kva.de/'],
  ];
  for (const [typed, wanted] of rows) assert.equal(parseSeed(typed), wanted, typed);
});

test('an invalid seed is refused by name and with a remedy', () => {
  const rows: [string, RegExp][] = [
    ['', /seed "": it is empty; write a URL/],
    ['hello world', /seed "hello world": it contains white space/],
    ['http://', /it is not a URL; write one/],
    ['example.org:99999', /it is not a URL/],
    ['ftp://a.org/', /the scheme ftp: is not supported; use http/],
    ['mailto:me@a.org', /the scheme mailto:/],
    ['https://me:pw@a.org/', /seed "a\.org": it has a user name/],
  ];
  for (const [typed, message] of rows) {
    assert.throws(
      () => parseSeed(typed),
      (error) => error instanceof CrawlstreamError && error.code === 'INVALID_SEED' && message.test(error.message),
      typed,
    );
  }
});
