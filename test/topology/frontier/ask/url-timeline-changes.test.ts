/** The story of a URL, change by change: what each kind does to where it waits. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UrlEvent } from '../../../../topology/frontier/ask/url-events.ts';
import { UrlTimeline } from '../../../../topology/frontier/ask/url-timeline.ts';
import type { Claim, Commit } from '../../../../topology/frontier/changes/changelog.ts';
import { type Change, newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

const hostKey = 'a.test';
const url = 'https://a.test/x';
const [a, b, c] = ['a', 'b', 'c'].map((name) => `https://a.test/${name}`) as [string, string, string];
const entry = (of: string, frontQueue = 3) => ({ url: of, depth: 1, hop: 2, attempts: 4, expiries: 0, frontQueue });
const change = (kind: Change['kind'], own: object) => ({ hostKey, kind, ...own }) as unknown as Change;
const admit = (...urls: readonly string[]) => change('admit', { known: false, entries: urls.map((of) => entry(of)) });
const grant = (leaseId: number, again: number, count: number) =>
  change('grant', { leaseId, again, frontQueues: [[3, count]], deadlineMs: 9_000, delayMs: 70 });
const grantDue = (leaseId: number, due: number) =>
  change('grantDue', { leaseId, due, again: 0, frontQueues: [], deadlineMs: 9_000, delayMs: 70 });
const record = (of: string, status = 'page') => ({ url: of, status, outcome: 'fetched', httpStatus: 200, attempts: 5 });
const visit = (leaseId: number, index: number, of: string, dueAtMs: number) =>
  change('visit', { leaseId, index, dueAtMs, page: { record: record(of), signature: '' } });
const back = (leaseId: number, index: number, of: string, dueAtMs: number) =>
  change('resolve', { leaseId, index, disposition: { to: 'queue', dueAtMs, entry: entry(of) }, record: null });
const done = (leaseId: number, index: number, of: string) =>
  change('resolve', { leaseId, index, disposition: { to: 'final' }, record: record(of, 'failed') });
const trap = (pattern: string, frontQueue: number) => change('trap', { pattern, frontQueue, reason: 'calendar' });
const known = (of: string, from: object, to: string, dueAtMs = 0) =>
  change('known', { from, to, dueAtMs, entry: entry(of) });

/** A commit for each change, at 1 s, 2 s and so on. */
function played(...changes: readonly (Change | Claim)[]) {
  const events: UrlEvent[] = [];
  const timeline = new UrlTimeline(hostKey, url, (event) => events.push(event));
  const taken: boolean[] = [];
  let [epoch, seq] = [0, 0];
  for (const [offset, one] of changes.entries()) {
    if (one.kind === 'claim') epoch = offset;
    else seq += 1;
    const header = { epoch, seq, nowMs: 1_000 * (offset + 1), policyVersion: 1, demand: 0, inputs: [] };
    const commit: Commit = { kind: 'commit', ...header, counters: zeroCounters(), changes: [one as Change] };
    taken.push(timeline.take(offset, one.kind === 'claim' ? one : commit));
  }
  assert.ok(taken.every(Boolean));
  return { timeline, events, place: timeline.place, kinds: events.map(({ kind }) => kind) };
}

const claim = (endsLeases: boolean, nowMs = 0): Claim => ({ kind: 'claim', nonce: 'n', nowMs, endsLeases });
const inQueue = (ahead: number, frontQueue = 3) => ({ in: 'frontQueue', frontQueue, ahead });

describe('an admitted URL', () => {
  it('an admitted URL goes on a lease when those before it have gone', () => {
    assert.deepEqual(played(admit(a, url)).place, inQueue(1));
    assert.deepEqual(played(admit(a, url), grant(1, 0, 1)).place, inQueue(0));
    const { place, events } = played(admit(a, url), grant(1, 0, 2));
    assert.deepEqual(place, { in: 'lease', leaseId: 1 });
    const at = { offset: 1, atMs: 2_000, policyVersion: 1 };
    assert.deepEqual(events.at(-1), { kind: 'leased', ...at, leaseId: 1, deadlineMs: 9_000, index: 1 });
  });

  it('an admitted URL returns when it is due, after earlier ones, and then goes before the others', () => {
    const { place, events } = played(admit(a, b, url, c), grant(1, 0, 3), back(1, 1, b, 7_000), back(1, 2, url, 7_000));
    assert.deepEqual(place, { in: 'again', dueAtMs: 7_000, ahead: 1 });
    const came = { leaseId: 1, status: 'again', outcome: null, httpStatus: 0, attempts: 4, dueAtMs: 7_000 };
    assert.deepEqual(events.at(-1), { kind: 'cameTo', offset: 3, atMs: 4_000, policyVersion: 1, ...came });
    const first = played(admit(b, url), grant(1, 0, 2), back(1, 0, b, 7_000), back(1, 1, url, 6_999));
    assert.deepEqual(first.place, { in: 'again', dueAtMs: 6_999, ahead: 0 });
    const due = played(admit(a, b, url), grant(1, 0, 2), back(1, 0, a, 4_000), back(1, 1, b, 4_001));
    assert.deepEqual(due.place, inQueue(1), 'of those that came back, one is due');
    assert.deepEqual(played(admit(a, url), grant(1, 0, 2), back(1, 1, url, 0), grant(2, 1, 0)).place, {
      ...{ in: 'lease', leaseId: 2 },
    });
  });

  it('an admitted URL that ends is no longer on its lease', () => {
    const { place, events, timeline } = played(admit(a, url), grant(7, 0, 2), done(7, 1, url));
    assert.deepEqual(place, { in: 'end', status: 'failed' });
    const came = { leaseId: 7, status: 'failed', outcome: 'fetched', httpStatus: 200, attempts: 5, dueAtMs: 0 };
    assert.deepEqual(events.at(-1), { kind: 'cameTo', offset: 2, atMs: 3_000, policyVersion: 1, ...came });
    assert.deepEqual(timeline.leasesOut, [7]);
    const over = played(admit(url), grant(7, 0, 1), change('release', { leaseId: 7 }));
    assert.deepEqual([over.timeline.leasesOut, over.place], [[], undefined]);
  });

  it('an admitted URL is not affected by others', () => {
    const { events, place } = played(
      admit(a, url),
      grant(1, 0, 1),
      back(1, 0, a, 9_000),
      grant(2, 1, 0),
      done(2, 0, a),
    );
    assert.deepEqual([events.length, place], [1, inQueue(0)]);
    assert.equal(played(change('admit', { hostKey: 'b.test', known: false, entries: [entry(url)] })).place, undefined);
  });

  it('a forced URL is not admitted again', () => {
    const { timeline } = played(change('admit', { known: true, entries: [entry(url, 5)] }));
    const at = { offset: 0, atMs: 1_000, policyVersion: 1 };
    assert.deepEqual(timeline.admitted, [{ ...at, depth: 1, hop: 2, frontQueue: 5, isNew: false, discovered: null }]);
  });

  it('an admitted URL is given up with its host, wherever it waits', () => {
    for (const kind of ['abandon', 'finish'] as const) {
      const gone = change(kind, { record: record(url, 'dead') });
      assert.deepEqual(played(admit(url, a), gone).place, { in: 'end', status: 'dead' });
      assert.deepEqual(played(admit(url), grant(1, 0, 1), back(1, 0, url, 9_000), gone).place, {
        in: 'end',
        status: 'dead',
      });
      const other = change(kind, { record: record(a, 'dead') });
      assert.deepEqual(played(admit(a, url), other).place, inQueue(0));
      assert.deepEqual(played(admit(a, url), grant(1, 0, 1), back(1, 0, a, 0), other).place, inQueue(0));
    }
  });
});

describe('a URL with an operator’s order', () => {
  const expedite = (of: string, frontQueue: number | null) => change('expedite', { frontQueue, entry: entry(of) });

  it('a URL with an operator’s order goes first when raised, from its queue or from returned URLs', () => {
    const { place, kinds, timeline } = played(admit(a, b, url), expedite(url, 3));
    assert.deepEqual([place, kinds], [{ in: 'again', dueAtMs: 0, ahead: 0 }, ['admitted', 'raised']]);
    assert.deepEqual(timeline.raised, [{ offset: 1, atMs: 2_000, policyVersion: 1 }]);
    const again = played(admit(url), grant(1, 0, 1), back(1, 0, url, 9_000), expedite(url, null));
    assert.deepEqual(again.place, { in: 'again', dueAtMs: 0, ahead: 0 });
    assert.deepEqual(played(admit(a, url), expedite(a, 3)).place, inQueue(1));
    assert.deepEqual(played(admit(a, url), expedite(a, 3)).kinds, ['admitted']);
  });

  it('a URL with an operator’s order moves to another front queue', () => {
    const raise = (of: string, to: number) => change('raise', { frontQueue: 3, entry: entry(of, to) });
    const { place, events } = played(admit(a, url), raise(url, 1));
    assert.deepEqual(place, inQueue(0, 1));
    assert.deepEqual(events.at(-1), {
      kind: 'moved',
      offset: 1,
      atMs: 2_000,
      policyVersion: 1,
      from: 3,
      frontQueue: 1,
    });
    assert.deepEqual(played(admit(a, url), raise(a, 1)).place, inQueue(1));
    assert.deepEqual(played(admit(a, url), raise(a, 5)).place, inQueue(0));
  });

  it('a URL with an operator’s order is purged wherever it waits, alone or with its host', () => {
    const purge = (of: string) => change('purge', { url: of });
    const ways: (readonly Change[])[] = [
      [admit(a, url)],
      [admit(url), grant(1, 0, 1)],
      [admit(url), grant(1, 0, 1), back(1, 0, url, 9_000)],
      [visit(0, 0, url, 9_000)],
    ];
    for (const way of ways) {
      for (const of of [url, '']) {
        const { place, kinds } = played(...way, purge(of));
        assert.deepEqual([place, kinds.at(-1)], [undefined, 'purged']);
      }
      assert.deepEqual(played(...way, purge(b)).place, played(...way).place);
      assert.notEqual(played(...way, purge(b)).kinds.at(-1), 'purged');
    }
    const facts = { ...newHostFacts, deadUntilMs: 5, failures: 2, throttles: 3, fetched: 4 };
    const host = change('host', { facts });
    const whole = played(host, trap('/x/', 20), purge('')).timeline;
    assert.deepEqual(whole.facts, { ...facts, hold: 'purged', deadUntilMs: 0, failures: 0, throttles: 0 });
    assert.equal(whole.traps.size, 0);
    assert.deepEqual(played(host, purge(url)).timeline.facts, facts);
    assert.deepEqual(played(host, change('host', { hostKey: 'b.test', facts: newHostFacts })).timeline.facts, facts);
  });

  it('a URL is in a trap until the trap is released or replaced', () => {
    const held = (frontQueue: number) => change('admit', { known: false, entries: [entry(url, frontQueue)] });
    const release = (pattern: string) => change('releaseTrap', { pattern });
    const first = played(trap('/x/', 20), held(20), release('/x/'));
    assert.deepEqual(first.kinds, ['admitted', 'trapReleased']);
    assert.equal(first.timeline.traps.get('/x/')?.released, true);
    assert.deepEqual(played(trap('/x/', 20), admit(url), release('/x/')).kinds, ['admitted']);
    assert.deepEqual(played(trap('/x/', 20), held(20), release('/y/')).kinds, ['admitted']);
    const two = played(trap('/x/', 20), trap('/y/', 21), trap('/z/', 20)).timeline;
    assert.deepEqual([...two.traps.keys()], ['/y/', '/z/']);
  });

  it('a URL’s host has the ordered number of slots', () => {
    const slots = change('hostSlots', { own: 3, most: 4 });
    assert.deepEqual([played(slots).timeline.hostSlots.own, played(slots).timeline.hostSlots.most], [3, 4]);
    assert.deepEqual(played().timeline.hostSlots, { own: -1, most: 1 });
  });
});

describe('a scheduled URL', () => {
  it('a scheduled URL is ordered by its due time', () => {
    const { place, events } = played(admit(url), grant(1, 0, 1), visit(1, 0, url, 9_000));
    assert.deepEqual(place, { in: 'schedule', status: 'page', dueAtMs: 9_000 });
    const came = { leaseId: 1, status: 'page', outcome: 'fetched', httpStatus: 200, attempts: 5, dueAtMs: 9_000 };
    assert.deepEqual(events.at(-1), { kind: 'cameTo', offset: 2, atMs: 3_000, policyVersion: 1, ...came });
    const order = [visit(0, 0, a, 9_000), visit(0, 0, url, 9_000), visit(0, 0, b, 8_999), visit(0, 0, c, 9_001)];
    assert.deepEqual(played(...order, grantDue(1, 2)).place, { in: 'schedule', status: 'page', dueAtMs: 9_000 });
    assert.deepEqual(played(...order, grantDue(1, 3)).place, { in: 'lease', leaseId: 1 });
    const reported = played(visit(0, 0, url, 9_000)).events[0] as UrlEvent & { kind: 'cameTo' };
    assert.equal(reported.leaseId, null, 'by a visit of no lease');
    assert.deepEqual(played(...order, visit(0, 0, url, 8_000), grantDue(1, 1)).place, { in: 'lease', leaseId: 1 });
  });

  it('a scheduled URL gets another due time if the changelog says so', () => {
    const due = (of: string, dueS: number, reported = true) => change('due', { url: of, dueS, fromSitemap: reported });
    const { place, events } = played(visit(0, 0, url, 9_000), due(url, 7));
    assert.deepEqual(place, { in: 'schedule', status: 'page', dueAtMs: 7_000 });
    const at = { offset: 1, atMs: 2_000, policyVersion: 1 };
    assert.deepEqual(events.at(-1), { kind: 'due', ...at, dueAtMs: 7_000, fromSitemap: true });
    assert.deepEqual(played(visit(0, 0, url, 9_000), due(b, 7)).kinds, ['cameTo']);
    assert.equal(played(due(url, 7)).place, undefined, 'one that is on no schedule is put on none');
  });
});

describe('a URL of a dead owner', () => {
  const way = [admit(url, a), grant(1, 0, 1)] as const;
  it('a URL of a dead owner returns at once, if its lease ends with the owner', () => {
    const { place, kinds, timeline } = played(...way, claim(true, 8_000));
    assert.deepEqual([place, kinds.at(-1)], [{ in: 'again', dueAtMs: 0, ahead: 0 }, 'leaseEnded']);
    assert.deepEqual([timeline.facts.readyAtMs, timeline.nowMs, timeline.leasesOut], [8_070, 8_000, []]);
    assert.deepEqual(played(...way, claim(false)).place, { in: 'lease', leaseId: 1 });
    const other = played(admit(a, url), grant(1, 0, 1), claim(true));
    assert.deepEqual([other.place, other.kinds], [inQueue(1), ['admitted']]);
    const ready = change('host', { facts: { ...newHostFacts, readyAtMs: 50_000 } });
    assert.equal(played(ready, ...way, claim(true)).timeline.facts.readyAtMs, 50_000);
  });

  it('a URL of a dead owner returns to the schedule, if it was leased from there', () => {
    const due = [visit(0, 0, url, 2_000), visit(0, 0, a, 2_500)] as const;
    const { place, kinds } = played(...due, grantDue(1, 1), claim(true));
    assert.deepEqual([place, kinds.at(-1)], [{ in: 'schedule', status: 'page', dueAtMs: 3_000 }, 'leaseEnded']);
  });
});

describe('a URL of a served crawl', () => {
  const fromNew = { in: 'new' };
  it('a URL of a served crawl has the state that its client reports', () => {
    const again = played(known(url, fromNew, 'again', 7_000));
    assert.deepEqual([again.place, again.kinds], [{ in: 'again', dueAtMs: 7_000, ahead: 0 }, ['admitted']]);
    const finished = played(known(url, fromNew, 'done'));
    assert.deepEqual([finished.place, finished.kinds], [{ in: 'end', status: 'page' }, ['admitted', 'cameTo']]);
    const later = played(known(url, fromNew, 'again', 7_000), known(url, { in: 'again' }, 'again', 8_000));
    assert.deepEqual([later.place, later.kinds], [{ in: 'again', dueAtMs: 8_000, ahead: 0 }, ['admitted', 'cameTo']]);
    const came = { leaseId: null, status: 'again', outcome: null, httpStatus: 0, attempts: 4, dueAtMs: 8_000 };
    assert.deepEqual(later.events.at(-1), { kind: 'cameTo', offset: 1, atMs: 2_000, policyVersion: 1, ...came });
    const forgotten = played(admit(url), known(url, { in: 'queue' }, 'forgotten'));
    assert.deepEqual([forgotten.place, forgotten.kinds], [undefined, ['admitted', 'purged']]);
    const anew = played(known(url, { in: 'forgotten' }, 'again')).timeline;
    assert.equal(anew.admitted[0]!.isNew, false);
    assert.deepEqual(played(known(a, fromNew, 'again', 1), admit(url)).place, inQueue(1));
    assert.deepEqual(played(known(a, fromNew, 'done')).kinds, []);
  });

  it('a URL of a served crawl leaves its lease', () => {
    const { place, events } = played(admit(a, url), grant(6, 0, 2), known(url, { in: 'lease', a: 6 }, 'done'));
    assert.deepEqual(place, { in: 'end', status: 'page' });
    assert.equal((events.at(-1) as UrlEvent & { kind: 'cameTo' }).leaseId, 6);
    assert.deepEqual(played(admit(a, url), grant(6, 0, 2), known(a, { in: 'lease', a: 6 }, 'done')).place, {
      ...{ in: 'lease', leaseId: 6 },
    });
  });

  it('a URL of a served crawl is deleted with its queue', () => {
    const drop = change('dropQueue', {});
    const first = (of: string) => change('admit', { known: false, entries: [entry(of, 0)] });
    assert.deepEqual(played(first(a), drop, first(url)).place, inQueue(0, 0));
    for (const way of [[admit(url)], [admit(url), grant(1, 0, 1)], [known(url, fromNew, 'again', 9_000)]]) {
      const { place, kinds } = played(...way, drop);
      assert.deepEqual([place, kinds.at(-1)], [undefined, 'purged']);
    }
    assert.deepEqual(played(admit(a), drop).kinds, []);
  });
});

describe('a URL loaded from another crawl', () => {
  const load = (row: object) => change('load', { hostKey: undefined, row });
  const loaded = (row: object) => {
    const { hostKey: _, ...rest } = load(row) as unknown as { hostKey: undefined };
    return rest as unknown as Change;
  };
  it('a URL loaded from another crawl is in the same place as there', () => {
    const { place, events } = played(loaded({ row: 'known', urls: [record(a), record(url, 'known')] }));
    assert.deepEqual(place, { in: 'end', status: 'known' });
    assert.equal(events.length, 1);
    assert.deepEqual(played(loaded({ row: 'page', page: { record: record(url) } })).place, {
      in: 'end',
      status: 'page',
    });
    assert.equal(played(loaded({ row: 'page', page: { record: record(a) } })).place, undefined);
  });

  it('a URL loaded from another crawl waits as it did there', () => {
    const again = (of: string, host: string, isKnown: boolean) =>
      loaded({ row: 'again', hostKey: host, known: isKnown, dueAtMs: 7_000, entry: entry(of), normal: of });
    const { place, timeline } = played(again(url, hostKey, false));
    assert.deepEqual(place, { in: 'again', dueAtMs: 7_000, ahead: 0 });
    assert.deepEqual(
      [timeline.admitted[0]!.isNew, played(again(url, hostKey, true)).timeline.admitted[0]!.isNew],
      [true, false],
    );
    assert.equal(played(again(url, 'b.test', false)).place, undefined);
    assert.deepEqual(played(again(a, hostKey, false)).kinds, []);
  });
});

it('a void commit is skipped, and a commit may concern a host by name or by its leases', () => {
  const timeline = new UrlTimeline(hostKey, url);
  const commit = (epoch: number, seq: number): Commit => ({
    ...{ kind: 'commit', epoch, seq, nowMs: seq, policyVersion: seq, demand: 0, inputs: [] },
    ...{ counters: zeroCounters(), changes: [admit(url)] },
  });
  // A changelog whose beginning was trimmed.
  assert.equal(timeline.take(0, commit(5, 40)), true);
  assert.deepEqual(
    [timeline.take(1, commit(5, 42)), timeline.take(1, commit(6, 41)), timeline.take(1, commit(5, 41))],
    [false, false, true],
  );
  assert.deepEqual([timeline.policyVersion, timeline.nowMs], [41, 41]);
  assert.deepEqual([timeline.concerns(false), timeline.concerns(true)], [false, true]);
  assert.equal(played(admit(url), grant(1, 0, 1)).timeline.concerns(false), true);
});

it('the newest hundred events are kept', () => {
  const { timeline } = played(...Array.from({ length: 101 }, () => admit(url)));
  assert.deepEqual([timeline.admitted.length, timeline.admitted[0]!.offset], [100, 1]);
});
