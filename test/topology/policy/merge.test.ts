import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeAsked, policyChanges } from '../../../topology/policy/merge.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

const asked = {
  ...defaultPolicy(),
  pageQuota: 40,
  delayMs: 500,
  scope: { kind: 'domain' as const, names: ['a.test'] },
};

test('new requests change the policy, and an operator’s earlier changes stay', () => {
  const inForce = { ...asked, version: 7, paused: true, bytesPerSecond: 1000, delayMs: 9000 };
  const merged = mergeAsked(asked, { ...asked, pageQuota: 80 }, inForce);
  assert.deepEqual(merged, { ...inForce, pageQuota: 80 });
  assert.deepEqual(policyChanges(inForce, merged), ['pageQuota 40 → 80']);
});

test('the same request again changes nothing', () => {
  const inForce = { ...asked, version: 7, delayMs: 9000, pageQuota: null };
  assert.deepEqual(mergeAsked(asked, asked, inForce), inForce);
  assert.deepEqual(policyChanges(inForce, { ...inForce, version: 8 }), []);
});

test('a nested field changes alone', () => {
  const inForce = { ...asked, filters: { ...asked.filters, hostsDenied: ['bad.test'] } };
  const merged = mergeAsked(asked, { ...asked, filters: { ...asked.filters, exclude: ['x'] } }, inForce);
  assert.deepEqual(merged.filters, { ...asked.filters, hostsDenied: ['bad.test'], exclude: ['x'] });
  assert.deepEqual(policyChanges(inForce, merged), ['filters.exclude [] → ["x"]']);
});

test('a new seed widens the scope in force', () => {
  const inForce = { ...asked, scope: { kind: 'domain' as const, names: ['a.test', 'c.test'] } };
  const now = { ...asked, scope: { kind: 'domain' as const, names: ['a.test', 'b.test'] } };
  assert.deepEqual(mergeAsked(asked, now, inForce).scope.names, ['a.test', 'b.test', 'c.test']);
  const all = { ...asked, scope: { kind: 'all' as const, names: [] } };
  assert.deepEqual(mergeAsked(asked, all, inForce).scope, all.scope);
});

test('a newly named sitemap is added to those in force', () => {
  const everyMs = 1000;
  const of = (...urls: string[]) => ({ sitemaps: { everyMs, rules: urls.map((url) => ({ urls: [url] })) } });
  const merged = mergeAsked({ ...asked, ...of('/a') }, { ...asked, ...of('/b') }, { ...asked, ...of('/a', '/c') });
  assert.deepEqual(merged.sitemaps, of('/a', '/c', '/b').sitemaps);
  assert.deepEqual(mergeAsked(asked, { ...asked, ...of('/b') }, asked).sitemaps, of('/b').sitemaps);
});

test('a field that is no longer requested is removed', () => {
  const before = { ...asked, whenFull: 'pause' as const };
  assert.equal('whenFull' in mergeAsked(before, asked, before), false);
});

test('an added or dropped option changes its own entries of a list: an operator’s entries stay', () => {
  const of = (exclude: string[], more: object = {}) =>
    ({ ...asked, filters: { ...asked.filters, exclude }, ...more }) as typeof asked;
  const names = (before: string[], now: string[], inForce: string[]) =>
    mergeAsked(of(before), of(now), of(inForce)).filters.exclude;
  assert.deepEqual(names(['x'], ['x', 'z'], ['x', 'private']), ['x', 'private', 'z']);
  assert.deepEqual(names(['x'], [], ['x', 'private']), ['private']);
  assert.deepEqual(names([], ['private'], ['private']), ['private']);
  const overlay = (name: string, delayMs: number) => ({ name, match: { hosts: [`${name}.test`] }, set: { delayMs } });
  const overlays = (...all: object[]) => of([], { overlays: all });
  const merged = mergeAsked(
    overlays(overlay('a', 1)),
    overlays(overlay('a', 2)),
    overlays(overlay('a', 3), overlay('b', 4)),
  );
  assert.deepEqual(merged.overlays, [overlay('b', 4), overlay('a', 2)]);
  assert.deepEqual(mergeAsked(asked, overlays(overlay('a', 1)), overlays(overlay('b', 4))).overlays, [
    overlay('b', 4),
    overlay('a', 1),
  ]);
  assert.equal('overlays' in mergeAsked(overlays(overlay('a', 1)), asked, overlays(overlay('a', 1))), false);
});

test('the retry delays are one value: requested ones replace those in force', () => {
  const of = (...retriesMs: number[]) => ({ ...asked, retriesMs });
  assert.deepEqual(mergeAsked(of(1, 2), of(3), of(1, 2, 9)).retriesMs, [3]);
});
