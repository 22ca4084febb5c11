import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contact } from '../../../../topology/extras/audit/contact.ts';
import { createHostContacts } from '../../../../topology/extras/audit/host-contacts.ts';

const place = { topic: 't.results', partition: 0, offset: 0 };

function contact(startMs: number, more: Partial<Contact> = {}): Contact {
  return {
    place,
    host: 'a.test',
    url: `http://a.test/${startMs}`,
    startMs,
    endMs: startMs + 100,
    status: 200,
    retryAfterMs: 0,
    fetcherId: 'f',
    client: 'leases',
    leaseId: 1,
    pace: { delayMs: 1_000, factor: 0, factorCapMs: 0, hostSlots: 1, source: 'policy 1' },
    crawlDelayMs: 0,
    ...more,
  };
}

/** Kinds of what is found in contacts, one after another. */
function kindsOf(contacts: readonly Contact[], tolerance = { skewMs: 50, noticeMs: 200 }): string[] {
  const host = createHostContacts(tolerance);
  return contacts.flatMap((one) => host.add(one)).map(({ kind }) => kind);
}

/** [what, the longest wait that is too short, the contacts with a wait of so many ms]. */
const rules: readonly (readonly [string, number, string, (waitMs: number) => readonly Contact[]])[] = [
  ['the delay, from completion to start', 999, 'gapTooShort', (ms) => [contact(0), contact(100 + ms)]],
  [
    'a multiple of the last request’s duration',
    299,
    'gapTooShort',
    (ms) => {
      const pace = { delayMs: 0, factor: 3, factorCapMs: 10_000, hostSlots: 1, source: 'policy 1' };
      return [contact(0, { pace }), contact(100 + ms, { pace })];
    },
  ],
  [
    'that multiple up to its cap',
    249,
    'gapTooShort',
    (ms) => {
      const pace = { delayMs: 0, factor: 3, factorCapMs: 250, hostSlots: 1, source: 'policy 1' };
      return [contact(0, { pace }), contact(100 + ms, { pace })];
    },
  ],
  [
    'the delay, less the skew of two fetchers’ clocks',
    949,
    'gapTooShort',
    (ms) => [contact(0), contact(100 + ms, { fetcherId: 'g' })],
  ],
  ['a Crawl-delay', 4_999, 'crawlDelay', (ms) => [contact(0), contact(100 + ms, { crawlDelayMs: 5_000 })]],
  ...([429, 503] as const).map(
    (status) =>
      [
        `Retry-After with status ${status}`,
        6_999,
        'retryAfter',
        (ms: number) => [contact(0, { status, retryAfterMs: 7_000 }), contact(100 + ms)],
      ] as const,
  ),
];

describe('the audit’s reading of a wait:', () => {
  for (const [what, shortMs, kind, contactsOf] of rules) {
    it(`${what} is broken by ${shortMs} ms, and kept by one more`, () => {
      assert.deepEqual(kindsOf(contactsOf(shortMs)), [kind]);
      assert.deepEqual(kindsOf(contactsOf(shortMs + 1)), []);
      assert.deepEqual(kindsOf(contactsOf(shortMs + 2)), []);
    });

    it(`${what} is found broken in either order of the two reports`, () => {
      assert.deepEqual(kindsOf([...contactsOf(shortMs)].reverse()), [kind]);
      assert.deepEqual(kindsOf([...contactsOf(shortMs + 1)].reverse()), []);
    });
  }

  it('Retry-After with another status concerns one URL, and binds nothing', () => {
    for (const status of [200, 301, 404, 500, 502, 504]) {
      assert.deepEqual(kindsOf([contact(0, { status, retryAfterMs: 60_000 }), contact(2_000)]), [], `${status}`);
    }
  });

  it('two concurrent requests are reported as such, and n slots are no violation', () => {
    assert.deepEqual(kindsOf([contact(0), contact(99)]), ['concurrency']);
    const pace = { delayMs: 1_000, factor: 0, factorCapMs: 0, hostSlots: 2, source: 'policy 1' };
    const beside = (n: number) => contact(n, { pace, leaseId: n + 1 });
    assert.deepEqual(kindsOf([beside(0), beside(1)]), []);
    assert.deepEqual(kindsOf([beside(0), beside(1), beside(2)]), ['concurrency']);
  });

  it('a pause reaches another lease of the host with several slots after a while, and its own at once', () => {
    const pace = { delayMs: 0, factor: 0, factorCapMs: 0, hostSlots: 2, source: 'policy 1' };
    const asked = contact(0, { pace, status: 503, retryAfterMs: 7_000 });
    const later = (ms: number, leaseId: number) => contact(100 + ms, { pace, leaseId });
    assert.deepEqual(kindsOf([asked, later(199, 2)]), []);
    assert.deepEqual(kindsOf([asked, later(200, 2)]), ['retryAfter']);
    assert.deepEqual(kindsOf([asked, later(1, 1)]), ['retryAfter']);
  });

  it('a renderer is a separate client', () => {
    assert.deepEqual(kindsOf([contact(0), contact(50, { client: 'renderer' })]), []);
    assert.deepEqual(kindsOf([contact(0, { client: 'renderer' }), contact(150, { client: 'renderer' })]), [
      'gapTooShort',
    ]);
  });

  it('a record that landed twice is recognised, and no other', () => {
    const host = createHostContacts({ skewMs: 50, noticeMs: 200 });
    const one = contact(0);
    host.add(one);
    assert.equal(host.has(one), true);
    for (const other of [{ startMs: 1 }, { endMs: 101 }, { url: 'http://a.test/x' }, { fetcherId: 'g' }])
      assert.equal(host.has({ ...one, ...other }), false);
  });
});
