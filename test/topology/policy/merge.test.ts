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

test('what is asked anew changes, and what an operator has set since then stands', () => {
  const inForce = { ...asked, version: 7, paused: true, bytesPerSecond: 1000, delayMs: 9000 };
  const merged = mergeAsked(asked, { ...asked, pageQuota: 80 }, inForce);
  assert.deepEqual(merged, { ...inForce, pageQuota: 80 });
  assert.deepEqual(policyChanges(inForce, merged), ['pageQuota 40 → 80']);
});

test('asking for the same again changes nothing', () => {
  const inForce = { ...asked, version: 7, delayMs: 9000, pageQuota: null };
  assert.deepEqual(mergeAsked(asked, asked, inForce), inForce);
  assert.deepEqual(policyChanges(inForce, { ...inForce, version: 8 }), []);
});

test('one field within another changes alone', () => {
  const inForce = { ...asked, filters: { ...asked.filters, hostsDenied: ['bad.test'] } };
  const merged = mergeAsked(asked, { ...asked, filters: { ...asked.filters, exclude: ['x'] } }, inForce);
  assert.deepEqual(merged.filters, { ...asked.filters, hostsDenied: ['bad.test'], exclude: ['x'] });
  assert.deepEqual(policyChanges(inForce, merged), ['filters.exclude [] → ["x"]']);
});

test('a new seed widens the scope that is in force', () => {
  const inForce = { ...asked, scope: { kind: 'domain' as const, names: ['a.test', 'c.test'] } };
  const now = { ...asked, scope: { kind: 'domain' as const, names: ['a.test', 'b.test'] } };
  assert.deepEqual(mergeAsked(asked, now, inForce).scope.names, ['a.test', 'b.test', 'c.test']);
  const all = { ...asked, scope: { kind: 'all' as const, names: [] } };
  assert.deepEqual(mergeAsked(asked, all, inForce).scope, all.scope);
});

test('a sitemap that is named anew goes beside those in force', () => {
  const everyMs = 1000;
  const of = (...urls: string[]) => ({ sitemaps: { everyMs, rules: urls.map((url) => ({ urls: [url] })) } });
  const merged = mergeAsked({ ...asked, ...of('/a') }, { ...asked, ...of('/b') }, { ...asked, ...of('/a', '/c') });
  assert.deepEqual(merged.sitemaps, of('/a', '/c', '/b').sitemaps);
  assert.deepEqual(mergeAsked(asked, { ...asked, ...of('/b') }, asked).sitemaps, of('/b').sitemaps);
});

test('a field that is asked for no more goes', () => {
  const before = { ...asked, whenFull: 'pause' as const };
  assert.equal('whenFull' in mergeAsked(before, asked, before), false);
});

test('an option that is added or left out changes its own entries of a list: what an operator has added stands', () => {
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

test('the waits of retries are one value: those that are asked for replace those in force', () => {
  const of = (...retriesMs: number[]) => ({ ...asked, retriesMs });
  assert.deepEqual(mergeAsked(of(1, 2), of(3), of(1, 2, 9)).retriesMs, [3]);
});
