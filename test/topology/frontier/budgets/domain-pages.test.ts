import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainPages } from '../../../../topology/frontier/budgets/domain-pages.ts';

const host = (id: number, key: string) => ({ id, key });

test('hosts of a registrable domain share its pages and leases, each as it is now', () => {
  const pages = new DomainPages();
  assert.equal(pages.on, false);
  assert.deepEqual(pages.of('a.example.org'), { pages: 0, leased: 0 });
  pages.settle(host(0, 'example.org'), 3, 2);
  pages.settle(host(5, 'b.example.org'), 10, 0);
  pages.settle(host(1, 'other.org'), 7, 1);
  for (const key of ['example.org', 'a.example.org']) assert.deepEqual(pages.of(key), { pages: 13, leased: 2 });
  assert.deepEqual(pages.of('other.org'), { pages: 7, leased: 1 });
  pages.settle(host(0, 'example.org'), 4, 0);
  assert.deepEqual(pages.of('example.org'), { pages: 14, leased: 0 });
  pages.settle(host(0, 'example.org'), 4, 5);
  pages.settle(host(5, 'b.example.org'), 9, 0);
  assert.deepEqual(pages.of('example.org'), { pages: 13, leased: 5 });
  pages.settle(host(5, 'b.example.org'), 9, 0);
  assert.deepEqual(pages.of('example.org'), { pages: 13, leased: 5 });
});

test('hosts are re-sorted when a policy begins to cap; what it forgets ends with it', () => {
  const pages = new DomainPages();
  assert.deepEqual([pages.turn(false), pages.on, pages.turn(true), pages.on], [false, false, true, true]);
  pages.settle(host(0, 'a.org'), 3, 2);
  assert.equal(pages.turn(true), false);
  assert.deepEqual(pages.of('a.org'), { pages: 3, leased: 2 });
  assert.deepEqual([pages.turn(false), pages.on], [false, false]);
  assert.deepEqual(pages.of('a.org'), { pages: 0, leased: 0 });
  assert.equal(pages.turn(true), true);
  pages.settle(host(0, 'a.org'), 3, 2);
  assert.deepEqual(pages.of('a.org'), { pages: 3, leased: 2 });
});
