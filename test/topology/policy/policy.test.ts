import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicy, defaultPolicy } from '../../../topology/policy/policy.ts';
import { linkOnly } from '../../../topology/policy/score/inputs.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { frontQueueOf } from '../../../topology/url/front-queue.ts';
import { scopeOf } from '../../../topology/url/scope.ts';

const policy = compilePolicy({ ...defaultPolicy(), scope: scopeOf('domain', ['https://a.org/']), maxDepth: 2 });

test('an admitted URL has its normal form, host key and front queue', () => {
  assert.deepEqual(policy.admit('HTTP://www.A.org:8080//b?utm_x=1', 1, 0), {
    ok: true,
    url: 'http://www.a.org:8080/b',
    hostKey: 'www.a.org:8080',
    frontQueue: 1,
  });
});

test('a refusal names the first rule that refuses: normalise, filter, scope, depth, hops', () => {
  const rows: [string, number, number, string, string][] = [
    ['mailto:me@a.org', 0, 0, 'normalize', 'scheme'],
    ['http://[', 0, 0, 'normalize', 'malformed'],
    [`http://a.org/${'x'.repeat(3000)}`, 0, 0, 'normalize', 'length'],
    ['http://b.org/c.zip', 9, 99, 'extension', '.zip'],
    ['http://b.org/', 9, 99, 'scope', 'b.org'],
    ['http://a.org/', 3, 99, 'depth', '3 > 2'],
    ['http://a.org/', 2, 11, 'hops', '11 > 10'],
  ];
  for (const [url, depth, hop, rule, detail] of rows) {
    assert.deepEqual(policy.admit(url, depth, hop), { ok: false, rule, detail }, url.slice(0, 40));
  }
  assert.equal(policy.admit('http://a.org/', 2, 10).ok, true);
});

test('front queues get worse with depth, queries, many parameters and deep paths, and better for front pages', () => {
  const rows: [string, number, number][] = [
    ['http://a.org/b', 0, 0],
    ['http://a.org/b', 1, 1],
    ['http://a.org/b', 2, 2],
    ['http://a.org/b', 4, 3],
    ['http://a.org/b', 50, 4],
    ['http://a.org/', 1, 0],
    ['http://a.org/', 0, 0],
    ['http://a.org/b?c=1', 1, 2],
    ['http://a.org/b?c=1&d&e&f', 1, 3],
    ['http://a.org/1/2/3/4/5/6/7', 1, 2],
    ['http://a.org/1/2/3/4/5/6/7?a&b&c&d', 50, 7],
  ];
  for (const [url, depth, frontQueue] of rows) assert.equal(frontQueueOf(url, depth), frontQueue, `${url} at ${depth}`);
});

test('metadata rules come last, and only if the facts of the link are given', () => {
  const { admit } = compilePolicy({ ...defaultPolicy(), metadata: [{ name: 'no feeds', intents: ['refresh'] }] });
  const facts = { depth: 1, hop: 0, intent: 'refresh', sourceUrl: '', lastModifiedMs: 0 } as const;
  assert.deepEqual(admit('http://a.org/', 1, 0, facts), { ok: false, rule: 'metadata', detail: 'no feeds' });
  assert.equal(admit('http://a.org/', 1, 0, { ...facts, intent: 'discover' }).ok, true);
  assert.equal(admit('http://a.org/', 1, 0).ok, true);
});

test('a policy with a score uses it for the front queue, one without uses depth and spelling', () => {
  const known = { ...linkOnly(3), domain: { ...linkOnly(3).domain, linkingDomains: 100_000 } };
  const plain = compilePolicy(defaultPolicy());
  const scored = compilePolicy({ ...defaultPolicy(), score: defaultScore });
  assert.equal(plain.frontQueueOf('http://a.org/b', known), 3);
  assert.equal(scored.frontQueueOf('http://a.org/b', known), 2);
  assert.equal(scored.frontQueueOf('http://a.org/b', linkOnly(3)), 3);
});
