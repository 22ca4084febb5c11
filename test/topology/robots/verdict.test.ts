import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isRepeated, needsRefetch, type RobotsAnswer, robotsVerdict } from '../../../topology/robots/verdict.ts';

const url = 'http://example.com/robots.txt';
const answer = (more: Partial<RobotsAnswer>): RobotsAnswer => ({
  url,
  status: 200,
  location: null,
  asked: [url],
  cachedAgeMs: null,
  ...more,
});
const day = 86_400_000;

it('a success is parsed', () => {
  assert.deepEqual(
    [200, 204, 205].map((status) => robotsVerdict(answer({ status })).kind),
    ['parse', 'parse', 'parse'],
  );
});

it('a client error opens the host, except 429, which throttles', () => {
  for (const status of [400, 401, 403, 404, 410, 451, 499]) {
    assert.equal(robotsVerdict(answer({ status })).kind, 'allow_all');
  }
  assert.equal(robotsVerdict(answer({ status: 429 })).kind, 'disallow_all');
});

it('408 and 425 are retried twice, and open the host like other client errors if they stay', () => {
  for (const status of [408, 425]) {
    assert.deepEqual(
      [0, 1, 2].map((times) => isRepeated(status, times)),
      [true, true, false],
    );
    assert.equal(robotsVerdict(answer({ status })).kind, 'allow_all');
  }
  for (const status of [200, 301, 404, 429, 500, 503, 0]) assert.ok(!isRepeated(status, 0), `${status}`);
});

it('206, 226 and an unrequested 304 close the host: none of them is the whole file', () => {
  for (const status of [206, 226, 304]) assert.equal(robotsVerdict(answer({ status })).kind, 'disallow_all');
  assert.equal(robotsVerdict(answer({ status: 206, cachedAgeMs: day })).kind, 'use_cached');
});

it('a server error, no response and an invalid status close the host', () => {
  for (const status of [500, 503, 599, 0, 100, 777]) {
    assert.equal(robotsVerdict(answer({ status })).kind, 'disallow_all');
  }
});

it('an unreachable robots.txt is served from a copy of up to 30 days', () => {
  assert.equal(robotsVerdict(answer({ status: 503, cachedAgeMs: 30 * day })).kind, 'use_cached');
  assert.equal(robotsVerdict(answer({ status: 0, cachedAgeMs: day })).kind, 'use_cached');
  assert.equal(robotsVerdict(answer({ status: 503, cachedAgeMs: 30 * day + 1 })).kind, 'disallow_all');
});

it('a copy never stands in for an answer', () => {
  assert.equal(robotsVerdict(answer({ status: 404, cachedAgeMs: day })).kind, 'allow_all');
  assert.equal(robotsVerdict(answer({ status: 200, cachedAgeMs: day })).kind, 'parse');
});

it('five redirects are followed, across authorities, and the sixth is not', () => {
  const asked = [url];
  for (let hop = 1; hop <= 5; hop++) {
    const location = `http://h${hop}.example/robots.txt`;
    const verdict = robotsVerdict(answer({ url: asked.at(-1)!, status: 301, location, asked: [...asked] }));
    assert.deepEqual(verdict, { kind: 'follow', url: location });
    asked.push(location);
  }
  const sixth = answer({ url: asked.at(-1)!, status: 302, location: 'http://h6.example/robots.txt', asked });
  assert.equal(robotsVerdict(sixth).kind, 'allow_all');
});

it('only /robots.txt is requested on another domain, and a host that redirects elsewhere is closed', () => {
  const kindOf = (location: string, more: Partial<RobotsAnswer> = {}) =>
    robotsVerdict(answer({ status: 302, location, ...more })).kind;
  for (const location of [
    'http://victim.test/search?q=all',
    'http://victim.test/robots.txt?q=all',
    'http://victim.test/a/robots.txt',
    'http://victim.test/robots.TXT',
    'http://victim.test/',
    'http://10.0.0.1/a/robots.txt',
    'http://www.example.com/robots.txt?q=all',
    'http://www.example.com/page',
  ]) {
    assert.equal(kindOf(location), 'disallow_all', location);
    assert.equal(kindOf(location, { cachedAgeMs: day }), 'use_cached', location);
  }
  for (const location of [
    '/anything?at=all',
    'https://example.com/anything',
    'http://www.example.com/hosts/old/robots.txt',
    'https://www.example.com/robots.txt',
    'http://other.test:8080/robots.txt#here',
  ]) {
    assert.equal(kindOf(location), 'follow', location);
  }
  // Tenants of a public suffix are strangers to each other.
  const tenant = { url: 'http://a.github.io/robots.txt' };
  assert.equal(kindOf('http://b.github.io/x/robots.txt', tenant), 'disallow_all');
});

it('a loop, a redirect to nowhere and one to another scheme count as no robots.txt', () => {
  for (const location of [url, null, 'ftp://example.com/robots.txt', 'http://[']) {
    assert.equal(robotsVerdict(answer({ status: 301, location })).kind, 'allow_all');
  }
});

it('a copy serves for less than a day', () => {
  assert.equal(needsRefetch(day - 1), false);
  assert.equal(needsRefetch(day), true);
});
