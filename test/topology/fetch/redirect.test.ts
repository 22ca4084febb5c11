/** Where responses send a client, and which send it nowhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRedirectStatus, redirectTarget } from '../../../topology/fetch/redirect.ts';

const from = 'http://a.test/d/x?y#z';

test('five statuses redirect', () => {
  const statuses = Array.from({ length: 12 }, (_, n) => 299 + n);
  const redirecting = [301, 302, 303, 307, 308];
  assert.deepEqual(statuses.filter(isRedirectStatus), redirecting);
  assert.deepEqual(
    statuses.filter((status) => redirectTarget(from, status, '/to') !== null),
    redirecting,
  );
  assert.equal(redirectTarget(from, 301, null), null);
});

test('a target is absolute, with http or https, and without a fragment', () => {
  for (const [location, target] of [
    ['/to', 'http://a.test/to'],
    ['to#part', 'http://a.test/d/to'],
    ['', 'http://a.test/d/x?y'],
    ['?q', 'http://a.test/d/x?q'],
    ['//b.test', 'http://b.test/'],
    ['HTTPS://B.test:443/', 'https://b.test/'],
    ['mailto:x@a.test', null],
    ['ftp://a.test/', null],
    ['http://', null],
    ['http://a b/', null],
  ] as const)
    assert.equal(redirectTarget(from, 302, location), target, location);
});

test('non-ASCII bytes are UTF-8 if they are valid as such, and kept unchanged if not', () => {
  for (const [location, target] of [
    ['/caf\u00c3\u00a9', 'http://a.test/caf%C3%A9'],
    ['/caf\u00e9', 'http://a.test/caf%E9'],
    ['/\u0080\u00ff', 'http://a.test/%80%FF'],
    ['/\u6771', 'http://a.test/%E6%9D%B1'],
    ['/\u6771\u00e9', 'http://a.test/%E6%9D%B1%C3%A9'],
    ['/\u00c3\u00a9\u00ff', 'http://a.test/%C3%A9%FF'],
  ] as const)
    assert.equal(redirectTarget(from, 302, location), target, location);
});
