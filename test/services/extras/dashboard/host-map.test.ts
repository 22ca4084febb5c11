/** The map of hosts: its hosts and connections, and those that it leaves out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinksOfHost } from '../../../../services/application/extension/crawl-part.ts';
import { hostMapOf } from '../../../../services/extras/dashboard/host-map.ts';
import type { HostListStatus } from '../../../../services/extras/dashboard/status.ts';

/** Pages by host; as listed, most first. */
function listOf(pages: Readonly<Record<string, number>>, more: Partial<HostListStatus> = {}): HostListStatus {
  const hosts = Object.entries(pages).map(([host, number]) => ({ host, pages: number }));
  hosts.sort((a, b) => b.pages - a.pages);
  return { hosts, matched: hosts.length, known: hosts.length, missing: [], ...more } as unknown as HostListStatus;
}

const links = (host: string, targets: Readonly<Record<string, number>>, isWhole = true): LinksOfHost => ({
  host,
  targets: Object.entries(targets).map(([target, number]) => ({ host: target, links: number })),
  isWhole,
});

const some = listOf({ 'a.test': 3, 'b.test': 9, 'c.test': 0 });
const between = [
  links('b.test', { 'a.test': 2, 'x.test': 5 }),
  links('a.test', { 'b.test': 1, 'c.test': 7, 'x.test': 1 }),
];

test('a map has the hosts with most pages, then those that most of them link to, with the strongest connections first', () => {
  assert.deepEqual(hostMapOf(some, between, 9, 9), {
    hosts: [
      { host: 'b.test', pages: 9 },
      { host: 'a.test', pages: 3 },
      { host: 'x.test', pages: 0 },
      { host: 'c.test', pages: 0 },
    ],
    hostsLeftOut: 0,
    edges: [
      { from: 1, to: 3, links: 7 },
      { from: 0, to: 2, links: 5 },
      { from: 0, to: 1, links: 2 },
      { from: 1, to: 0, links: 1 },
      { from: 1, to: 2, links: 1 },
    ],
    edgesLeftOut: 0,
    isEstimate: false,
  });
});

test('a map with less room says how many hosts and connections it leaves out', () => {
  const { hosts, hostsLeftOut, edges, edgesLeftOut } = hostMapOf(some, between, 3, 2);
  assert.deepEqual([hosts.map(({ host }) => host), hostsLeftOut], [['b.test', 'a.test', 'x.test'], 1]);
  assert.deepEqual(
    [edges, edgesLeftOut],
    [
      [
        { from: 0, to: 2, links: 5 },
        { from: 0, to: 1, links: 2 },
      ],
      2,
    ],
  );
  const one = hostMapOf(listOf({ 'b.test': 9 }, { matched: 3, known: 3 }), between.slice(0, 1), 1, 2);
  assert.deepEqual([one.hosts.length, one.hostsLeftOut, one.edges], [1, 2, []]);
  const full = hostMapOf(listOf({ 'b.test': 9 }), between.slice(0, 1), 1, 2);
  assert.deepEqual([full.hosts.length, full.hostsLeftOut], [1, 2], 'the hosts that b.test links to are left out');
});

test('a map names no host of unknown size: if more hosts have pages than are listed, those that are only linked to have no place', () => {
  const cut = listOf({ 'a.test': 3, 'b.test': 9 }, { matched: 70, known: 70 });
  const { hosts, hostsLeftOut, isEstimate } = hostMapOf(cut, between, 2, 9);
  assert.deepEqual([hosts.map(({ host }) => host), hostsLeftOut, isEstimate], [['b.test', 'a.test'], 68, false]);
});

test('a map is an estimate if the links of a host were read in part, or a partition did not answer', () => {
  assert.equal(hostMapOf(some, [links('a.test', {}, false)], 9, 9).isEstimate, true);
  assert.equal(hostMapOf({ ...some, missing: [3] }, between, 9, 9).isEstimate, true);
});

test('a map is an estimate if links were read for some of the hosts with pages', () => {
  assert.equal(hostMapOf(some, between.slice(0, 1), 9, 9).isEstimate, true);
  assert.equal(hostMapOf(some, between, 9, 9).isEstimate, false);
});

test('a map without any page leaves out all hosts if a partition did not answer', () => {
  const { hosts, hostsLeftOut, isEstimate } = hostMapOf(listOf({ 'a.test': 0 }, { known: 70, missing: [1] }), [], 9, 9);
  assert.deepEqual([hosts.length, hostsLeftOut, isEstimate], [0, 70, true]);
});

test('a crawl without a page has an empty map', () => {
  assert.deepEqual(hostMapOf(listOf({ 'a.test': 0 }), [], 9, 9), {
    ...{ hosts: [], hostsLeftOut: 0, edges: [], edgesLeftOut: 0, isEstimate: false },
  });
});
