/** What time alone decides: leases that expire, URLs of hosts that stay dead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Change, HostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { abandoned, decideBurials, decideExpiries } from '../../../../../topology/frontier/decide/results/time.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { type Decided, Deciding, entryAt, key, ofKind, urlAt, visitedPage } from '../deciding.ts';

const skewMs = frontierLimits.clockSkewMs;

function expired(deciding: Deciding): Decided {
  return deciding.decide(decideExpiries);
}

/** A partition of which it is seen what fetchers take: nothing so far. */
function watched(policy: Partial<PolicyConfig> = {}): Deciding {
  const deciding = new Deciding(policy);
  deciding.state.leases.seeTaken(0, []);
  return deciding;
}

/** Everything that is out was seen to be taken. */
function take({ state }: Deciding): void {
  state.leases.seeTaken(1, [...state.leases.keys()]);
}

describe('a lease’s expiry', () => {
  it('a lease expires once clocks cannot differ by more, and never without a policy', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0));
    deciding.nowMs = lease.deadlineMs + skewMs - 1;
    assert.deepEqual(expired(deciding).changes, []);
    deciding.nowMs += 1;
    const { policy } = deciding;
    deciding.policy = null;
    assert.deepEqual(expired(deciding).changes, []);
    deciding.policy = policy;
    const { changes } = expired(deciding);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['resolve', 'release', 'host'],
    );
    assert.deepEqual(changes[1], { kind: 'release', leaseId: lease.id, expired: true });
    assert.deepEqual(expired(deciding).changes, []);
  });

  /** What the expiry of a lease of so many URLs changes of its host. */
  function facts(urls: number, before: Partial<HostFacts>, isTaken = true, most = 1) {
    const deciding = watched();
    const lease = deciding.lease(...Array.from({ length: urls }, (_, n) => entryAt(n)));
    if (most > 1) deciding.state.apply({ kind: 'hostSlots', hostKey: key, own: -1, most });
    deciding.facts(before);
    if (isTaken) take(deciding);
    deciding.nowMs = lease.deadlineMs + skewMs;
    const decided = expired(deciding);
    const { readyAtMs, leaseMax } = ofKind(decided, 'host')[0]!.facts;
    const slots = ofKind(decided, 'hostSlot').map((slot) => slot.readyAtMs - lease.deadlineMs);
    return { waitMs: readyAtMs - lease.deadlineMs, leaseMax, slots, tallies: decided.tallies };
  }

  it('an expired lease that was taken leaves its host contacted at the deadline, and a quarter as large', () => {
    for (const [urls, leaseMax] of [
      [1, 1],
      [4, 1],
      [7, 1],
      [8, 2],
    ] as const)
      assert.deepEqual(facts(urls, { leaseMax: 9 }), { waitMs: 1_000, leaseMax, slots: [], tallies: {} });
    const later = facts(1, { readyAtMs: 10_000_000 });
    assert.ok(later.waitMs > 1_000_000, 'a longer wait stands');
    assert.equal(facts(0, { leaseMax: 9 }).leaseMax, 9, 'one without URLs says nothing of them');
  });

  it('an expired lease that nobody took is counted, and keeps its size', () => {
    assert.deepEqual(facts(8, { leaseMax: 9 }, false), {
      waitMs: 1_000,
      leaseMax: 9,
      slots: [],
      tallies: { untaken: 1 },
    });
  });

  it('an expired lease frees its slot if its host has several', () => {
    const { waitMs, slots } = facts(1, { fetchMs: 40, readyAtMs: 1 }, true, 2);
    assert.deepEqual([waitMs < 0, slots], [true, [1_000]]);
  });

  it('an expired lease for sitemaps has its round retried later if it was taken, and is unchanged if not', () => {
    for (const isTaken of [true, false]) {
      const deciding = watched({ sitemaps: { everyMs: 60_000, rules: [] } });
      const lease = deciding.lease(entryAt(0));
      const round = { dueS: 1, sinceS: 1, tries: 0, secure: true };
      deciding.state.apply({ kind: 'sitemaps', hostKey: key, round });
      if (isTaken) take(deciding);
      deciding.nowMs = lease.deadlineMs + skewMs;
      const rounds = ofKind(expired(deciding), 'sitemaps').map((one) => one.round);
      const dueS = Math.floor(deciding.nowMs / 1_000) + 5;
      assert.deepEqual(rounds, isTaken ? [{ ...round, dueS, tries: 1 }] : []);
    }
  });
});

describe('a URL of an expired lease', () => {
  function after(entries: readonly Entry[], isTaken = true, policy: Partial<PolicyConfig> = {}): Decided {
    const deciding = watched(policy);
    const lease = deciding.lease(...entries);
    if (isTaken) take(deciding);
    deciding.nowMs = lease.deadlineMs + skewMs;
    return expired(deciding);
  }
  const again = (entry: Entry) => ({ to: 'again', dueAtMs: 0, entry });

  it('a URL of an expired lease is blamed only if it was alone, and somebody took it', () => {
    const [alone] = ofKind(after([entryAt(0, { expiries: 1 })]), 'resolve');
    assert.deepEqual(alone!.disposition, again(entryAt(0, { expiries: 2 })));
    const [untaken] = ofKind(after([entryAt(0, { expiries: 1 })], false), 'resolve');
    assert.deepEqual(untaken!.disposition, again(entryAt(0, { expiries: 1 })));
    const both = ofKind(after([entryAt(0, { expiries: 2 }), entryAt(1)]), 'resolve');
    assert.deepEqual(
      both.map(({ disposition }) => disposition),
      [again(entryAt(0, { expiries: 2 })), again(entryAt(1))],
    );
    assert.deepEqual([alone!.index, alone!.record, both[1]!.index], [0, null, 1]);
  });

  it('a URL of an expired lease is given up after three expired leases of it alone', () => {
    const { deadLetters, changes } = after([entryAt(0, { expiries: 2, attempts: 1 })]);
    const [deadLetter] = deadLetters;
    assert.deepEqual(
      [deadLetter!.reason, deadLetter!.lastOutcome, deadLetter!.status, deadLetter!.attempts, deadLetter!.url],
      ['leaseExpired', 'unknown', 0, 1, urlAt(0)],
    );
    assert.equal(changes[0]!.kind, 'resolve');
    assert.deepEqual(ofKind({ ...after([entryAt(0, { expiries: 2 })]) }, 'resolve')[0]!.disposition, {
      ...{ to: 'final', status: 'dead' },
    });
    assert.deepEqual(after([entryAt(0, { expiries: 1 })]).deadLetters, []);
    assert.deepEqual(after([entryAt(0, { expiries: 2 })], false).deadLetters, []);
  });

  it('a URL of an expired lease that was reported before is left alone', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0), entryAt(1));
    const disposition = { to: 'again', dueAtMs: 0, entry: entryAt(0) } as const;
    deciding.state.apply({ kind: 'resolve', leaseId: lease.id, index: 0, disposition, record: null });
    deciding.nowMs = lease.deadlineMs + skewMs;
    assert.deepEqual(
      ofKind(expired(deciding), 'resolve').map(({ index }) => index),
      [1],
    );
  });

  it('a URL of an expired lease that was fetched before is due for its visit again', () => {
    const deciding = watched({ recrawl: defaultRecrawl });
    deciding.facts({});
    deciding.schedule(visitedPage);
    const lease = deciding.revisit(1);
    take(deciding);
    deciding.nowMs = lease.deadlineMs + skewMs;
    const { changes } = expired(deciding);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['visit', 'release', 'host'],
    );
    assert.equal((changes[0] as Change & { kind: 'visit' }).page.failures, 1);
  });

  it('a URL of an expired lease is reported in its trace: its outcome, and whether it was a page', () => {
    const trace = { ratio: 1, hosts: [] };
    const [event] = after([entryAt(0, { expiries: 2 })], true, { trace }).traced;
    assert.ok(event?.kind === 'resolved');
    assert.deepEqual([event.to, event.url, event.outcome], ['dead', urlAt(0), 'leaseExpired']);
    assert.equal((after([entryAt(0)], true, { trace }).traced[0] as { to: string }).to, 'again');
    assert.equal((after([entryAt(0)], false, { trace }).traced[0] as { to: string }).to, 'again');
    assert.deepEqual(after([entryAt(0)]).traced, []);
  });
});

describe('a dead host', () => {
  /** Of so many hosts, each with so many URLs that came back. */
  function dying(hosts: number, urls: number) {
    const deciding = new Deciding();
    const { state } = deciding;
    state.nowMs = deciding.nowMs;
    const read = new Map<number, Entry[]>();
    for (let h = 0; h < hosts; h++) {
      const hostKey = `${h}.test`;
      const entries = Array.from({ length: urls }, (_, n) => entryAt(n, { url: `https://${hostKey}/${n}` }));
      state.apply({ kind: 'admit', hostKey, known: false, entries });
      deciding.facts({ deadUntilMs: 9_000_000, failures: 4 }, hostKey);
      read.set(state.hosts.get(hostKey)!.id, entries);
    }
    return { deciding, read };
  }

  it('a dead host has its URLs given up, one after another', () => {
    const { deciding, read } = dying(2, 2);
    const { changes, deadLetters } = deciding.decide((decision) => decideBurials(decision, read));
    assert.deepEqual(
      changes.map((change) => change.kind === 'abandon' && change.record.url),
      ['https://0.test/0', 'https://0.test/1', 'https://1.test/0', 'https://1.test/1'],
    );
    assert.deepEqual(
      deadLetters.map(({ url }) => url),
      changes.map((change) => change.kind === 'abandon' && change.record.url),
    );
    const { detail: _, original, ...deadLetter } = deadLetters[0]!;
    assert.deepEqual(deadLetter, {
      ...{ reason: 'robotsUnreachable', sourceTopic: 'discovered', sourcePartition: 0, sourceOffset: -1 },
      ...{
        url: 'https://0.test/0',
        hostKey: '0.test',
        attempts: 0,
        lastOutcome: 'robotsUnreachable',
        status: 0,
        depth: 1,
      },
      ...{ atMs: deciding.nowMs, tags: [] },
    });
    assert.equal(original.length, 0);
    assert.equal(deciding.state.counters.dead, 4);
  });

  it('a dead host that answered before is unreachable itself, not only its robots.txt', () => {
    const { deciding, read } = dying(1, 1);
    deciding.facts({ deadUntilMs: 9_000_000, failures: 4, fetched: 1 }, '0.test');
    const { deadLetters } = deciding.decide((decision) => decideBurials(decision, read));
    assert.deepEqual(
      deadLetters.map(({ reason, lastOutcome }) => [reason, lastOutcome]),
      [['hostUnreachable', '']],
    );
  });

  it('a dead host has its returned URLs given up first', () => {
    const { deciding, read } = dying(1, 2);
    const back = entryAt(7, { url: 'https://0.test/7' });
    deciding.state.queues.putAgain(0, 5, back);
    deciding.state.counters.retrying += 1;
    const { changes } = deciding.decide((decision) => decideBurials(decision, read));
    assert.deepEqual(
      changes.map((change) => change.kind === 'abandon' && change.record.url),
      ['https://0.test/7', 'https://0.test/0', 'https://0.test/1'],
    );
  });

  it('a dead host keeps the step short', () => {
    const { deciding, read } = dying(2, frontierLimits.abandonsPerStep - 1);
    const { changes } = deciding.decide((decision) => decideBurials(decision, read));
    assert.equal(changes.length, frontierLimits.abandonsPerStep);
  });

  it('a host that lives again, or whose URLs were not read, loses none', () => {
    const { deciding, read } = dying(1, 1);
    assert.deepEqual(deciding.decide((decision) => decideBurials(decision, new Map([[0, []]]))).changes, []);
    deciding.facts({}, '0.test');
    assert.deepEqual(deciding.decide((decision) => decideBurials(decision, read)).changes, []);
  });

  it('a dead host keeps its records of URLs', () => {
    const entry = entryAt(0, { attempts: 2, depth: 3 });
    const record = {
      ...{ url: urlAt(0), status: 'dead', outcome: 'robotsUnreachable', httpStatus: 0, atMs: 5, attempts: 2, depth: 3 },
      ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
    };
    assert.deepEqual(abandoned(entry, 5), record);
    assert.deepEqual(abandoned({ ...entry, tags: 1, spelling: '/%30' }, 5), { ...record, tags: 1, spelling: '/%30' });
  });
});
