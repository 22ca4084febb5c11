/** What goes on a lease, of which host, until when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Change, HostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { decideGrants, grantLease } from '../../../../../topology/frontier/decide/leases/grants.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import { budgetQueue } from '../../../../../topology/frontier/queues/held-queues.ts';
import { defaultBudget } from '../../../../../topology/policy/budget.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, entryAt, filled, key, ofKind, urlAt, visitedPage } from '../deciding.ts';

/** The leases of a step, each as its change. */
function granted(deciding: Deciding, demand = 1) {
  const said = deciding.decide((decision) => decideGrants(decision, demand));
  const leases = said.changes.filter(({ kind }) => kind.startsWith('grant')) as (Change & {
    kind: 'grant' | 'grantDue' | 'grantSitemaps';
  })[];
  assert.deepEqual(
    said.granted.map(({ leaseId }) => leaseId),
    leases.map(({ leaseId }) => leaseId),
    'each is published',
  );
  return { ...said, leases };
}

const many = (count: number, frontQueue = 3, from = 0): Entry[] =>
  Array.from({ length: count }, (_, n) => entryAt(from + n, { frontQueue }));

/** URLs of several hosts. */
function hosts(deciding: Deciding, ...keys: string[]): void {
  deciding.state.nowMs = deciding.nowMs;
  for (const hostKey of keys) {
    const entries = [entryAt(0, { url: `https://${hostKey}/` })];
    deciding.state.apply({ kind: 'admit', hostKey, known: false, entries });
  }
}

const hostsOf = ({ leases }: ReturnType<typeof granted>) => leases.map(({ hostKey }) => hostKey).sort();
/** Puts a URL back as one that was tried, or came back. */
function putBack({ state }: Deciding, dueAtMs: number, entry: Entry): void {
  state.apply({ kind: 'admit', hostKey: key, known: false, entries: [entry] });
  const [{ number }] = [state.hosts.get(key)!.queue.frontQueues().at(-1)!];
  const frontQueues = [[number, 1]] as const;
  const leaseId = state.leases.nextId;
  state.apply({ kind: 'grant', leaseId, hostKey: key, again: 0, frontQueues, deadlineMs: 9_000_000, delayMs: 0 });
  state.apply({ kind: 'resolve', leaseId, index: 0, disposition: { to: 'again', dueAtMs, entry }, record: null });
  state.apply({ kind: 'release', leaseId, expired: false });
}

describe('a step grants', () => {
  it('a step grants as many leases as demanded, of ready hosts', () => {
    for (const [demand, count] of [
      [0, 0],
      [1, 1],
      [2, 2],
      [5, 3],
    ] as const) {
      const deciding = new Deciding();
      hosts(deciding, 'a.test', 'b.test', 'c.test');
      hosts(deciding, 'd.test');
      deciding.facts({ readyAtMs: deciding.nowMs + 1 }, 'd.test');
      assert.equal(granted(deciding, demand).leases.length, count);
    }
    const noPolicy = new Deciding();
    noPolicy.admit(entryAt(0));
    noPolicy.policy = null;
    assert.deepEqual(granted(noPolicy).leases, []);
  });

  it('a step grants none if the commit is full', () => {
    for (const [bytes, count] of [
      [frontierLimits.commitBytesSoft, 0],
      [frontierLimits.commitBytesSoft - 1, 1],
    ] as const) {
      const deciding = new Deciding();
      hosts(deciding, 'a.test', 'b.test', 'c.test');
      const said = deciding.decide((decision) => decideGrants(filled(decision, bytes), 3));
      assert.equal(said.granted.length, count);
    }
  });

  it('a step grants no more URLs than the quota leaves', () => {
    for (const [left, urls] of [
      [0, []],
      [1, [1]],
      [3, [3]],
      [99, [8]],
    ] as const) {
      const deciding = new Deciding({ pageQuota: 100 });
      deciding.state.apply({ kind: 'quota', granted: left, returned: 0, wanted: 0 });
      deciding.admit(...many(9));
      assert.deepEqual(
        granted(deciding).leases.map(({ frontQueues }) => frontQueues[0]![1]),
        urls,
      );
    }
  });

  it('a step grants again to hosts that had run out of quota, once there is more', () => {
    const deciding = new Deciding({ pageQuota: 100 });
    deciding.admit(entryAt(0));
    assert.deepEqual(granted(deciding).changes, []);
    deciding.state.apply({ kind: 'quota', granted: 1, returned: 0, wanted: 0 });
    assert.equal(granted(deciding).leases.length, 1);
  });

  it('a step grants revisits before the rest, while they are behind their share', () => {
    for (const [credit, hostKey] of [
      [0, 'b.test'],
      [1, 'a.test'],
    ] as const) {
      const deciding = new Deciding({ recrawl: defaultRecrawl });
      deciding.facts({});
      deciding.schedule(visitedPage);
      hosts(deciding, 'b.test');
      deciding.state.recrawl.credit = credit;
      assert.deepEqual(hostsOf(granted(deciding)), [hostKey]);
    }
  });

  describe('a step grants no lease beyond the demand', () => {
    const eight = Array.from({ length: 8 }, (_, n) => `${n}.d.test`);
    const rest = ['x.test', 'y.test', 'z.test'];

    it('a step grants no lease beyond the demand beside hosts with a closed window', () => {
      const deciding = new Deciding({ windows: [{ hosts: ['d.test'], fromHour: 1, toHour: 2, utcOffsetMinutes: 0 }] });
      hosts(deciding, ...eight, ...rest);
      assert.equal(granted(deciding, 1).leases.length, 1);
      assert.equal(granted(deciding, 5).leases.length, 2);
    });

    it('a step grants no lease beyond the demand beside hosts of a waiting domain', () => {
      const deciding = new Deciding({ politenessKey: 'domain' });
      hosts(deciding, eight[0]!);
      granted(deciding);
      hosts(deciding, ...eight, ...rest);
      assert.equal(granted(deciding, 1).leases.length, 1);
      assert.equal(granted(deciding, 5).leases.length, 2);
    });

    it('a step grants no lease beyond the demand beside hosts at their cap', () => {
      const deciding = new Deciding({ pagesPerHostMax: 3 });
      hosts(deciding, ...eight, ...rest);
      for (const hostKey of eight) deciding.facts({ pages: 3 }, hostKey);
      assert.equal(granted(deciding, 1).leases.length, 1);
      assert.equal(granted(deciding, 5).leases.length, 2);
    });
  });

  it('a step grants a host of a capped domain what its other hosts leave, and nothing if they leave none', () => {
    const policy = { pagesPerDomainMax: 3, sitemaps: { everyMs: 60_000, rules: [] } };
    for (const [out, urls] of [
      [1, 2],
      [2, 1],
      [3, 0],
    ] as const) {
      const deciding = new Deciding(policy);
      deciding.lease(...many(out));
      const entries = many(5).map(({ url, ...one }) => ({ ...one, url: url.replace(key, `www.${key}`) }));
      deciding.state.apply({ kind: 'admit', hostKey: `www.${key}`, known: false, entries });
      const round = { dueS: 1, sinceS: 1, tries: 0, secure: true };
      deciding.state.apply({ kind: 'sitemaps', hostKey: `www.${key}`, round });
      const { leases } = granted(deciding);
      assert.deepEqual(
        leases.map(({ frontQueues }) => frontQueues[0]?.[1] ?? 0),
        urls === 0 ? [] : [urls],
      );
    }
  });

  it('a step grants nothing to a host with a closed window, and another takes its turn', () => {
    // 00:16:40 on the first of January 1970.
    const deciding = new Deciding({ windows: [{ hosts: ['a.test'], fromHour: 1, toHour: 2, utcOffsetMinutes: 0 }] });
    hosts(deciding, 'a.test', 'b.test');
    assert.deepEqual(hostsOf(granted(deciding, 1)), ['b.test']);
    assert.equal(deciding.state.clock.readyAtMs(deciding.host().id), 3_600_000);
    deciding.nowMs = 3_599_999;
    assert.deepEqual(granted(deciding).leases, []);
    deciding.nowMs = 3_600_000;
    assert.deepEqual(hostsOf(granted(deciding)), ['a.test']);
  });

  it('a step grants one lease per domain at a time if the policy shares the delay of its hosts', () => {
    const deciding = new Deciding({ politenessKey: 'domain' });
    hosts(deciding, 'a.d.test', 'b.d.test', 'c.test');
    const { leases } = granted(deciding, 2);
    assert.deepEqual(leases.length, 2);
    const first = leases.find(({ hostKey }) => hostKey.endsWith('.d.test'))!;
    const [second] = ['a.d.test', 'b.d.test'].filter((hostKey) => hostKey !== first.hostKey);
    assert.deepEqual(granted(deciding, 2).leases, []);
    const { parked } = deciding.state.domainPace;
    assert.equal(parked.nextAtMs, undefined, 'not before the lease is over');
    // Once that lease is over, the wait that its host has counts for the other, too.
    const { leaseId } = first;
    const disposition = { to: 'final', status: 'page' } as const;
    deciding.state.apply({ kind: 'resolve', leaseId, index: 0, disposition, record: null });
    deciding.facts({ readyAtMs: deciding.nowMs + 5_000 }, first.hostKey);
    deciding.state.apply({ kind: 'release', leaseId, expired: false });
    deciding.nowMs += 1_000;
    assert.deepEqual(granted(deciding, 2).leases, []);
    assert.equal(parked.nextAtMs, deciding.nowMs + 4_000);
    deciding.nowMs += 4_000;
    assert.deepEqual(hostsOf(granted(deciding, 2)), [second]);
  });

  it('a step grants nothing to a host at its cap, and another takes its turn', () => {
    const deciding = new Deciding({ pagesPerHostMax: 3 });
    hosts(deciding, 'a.test', 'b.test');
    deciding.facts({ pages: 3 }, 'a.test');
    const said = granted(deciding, 1);
    assert.deepEqual([hostsOf(said), said.tallies], [['b.test'], { capped: 1 }]);
  });

  it('a step grants nothing more to a host at its number of slots', () => {
    const deciding = new Deciding({ parallel: [{ hosts: ['a.test'], leases: 2 }], urlsPerLeaseMax: 1 });
    deciding.admit(...many(5));
    deciding.facts({ fetchMs: 40 });
    assert.equal(granted(deciding, 3).leases.length, 1, 'the second begins half a delay later');
    deciding.nowMs += 500;
    assert.equal(granted(deciding, 3).leases.length, 1);
    deciding.nowMs += 60_000;
    assert.deepEqual(granted(deciding, 3).leases, []);
  });
});

describe('a lease', () => {
  it('a lease takes from the best front queues first, and has twice the time that it needs', () => {
    const deciding = new Deciding();
    deciding.admit(...many(3, 5), ...many(4, 2, 10), ...many(9, 7, 20));
    const { leases } = granted(deciding);
    const frontQueues = [
      [2, 4],
      [5, 3],
      [7, 1],
    ];
    // Eight URLs, each its delay and the half a second that is expected of a host that is not known.
    const deadlineMs = deciding.nowMs + 2 * 8 * 1_500 + 45_000;
    const lease = { kind: 'grant', leaseId: 1, hostKey: key, again: 0, frontQueues, deadlineMs, delayMs: 1_000 };
    assert.deepEqual(leases, [lease]);
  });

  it('a lease has its policy’s margin and its host’s delay', () => {
    const deciding = new Deciding({ leaseMarginMs: 100 });
    deciding.admit(entryAt(0));
    deciding.facts({ crawlDelayMs: 2_000, fetchMs: 300 });
    const { deadlineMs, delayMs } = granted(deciding).leases[0]!;
    assert.deepEqual([deadlineMs - deciding.nowMs, delayMs], [2 * 2_300 + 100, 2_000]);
  });

  it('a lease takes returned due URLs before the front queues', () => {
    const deciding = new Deciding();
    putBack(deciding, 0, entryAt(50));
    putBack(deciding, deciding.nowMs, entryAt(51));
    putBack(deciding, deciding.nowMs + 1, entryAt(52));
    deciding.admit(...many(9));
    const [{ again, frontQueues }] = granted(deciding).leases as [Change & { kind: 'grant' }];
    assert.deepEqual([again, frontQueues], [2, [[3, 6]]]);
  });

  it('a lease holds only as many returned URLs as fit', () => {
    const deciding = new Deciding({ urlsPerLeaseMax: 2 });
    for (const n of [50, 51, 52]) putBack(deciding, 0, entryAt(n));
    deciding.admit(entryAt(0));
    const [{ again, frontQueues }] = granted(deciding).leases as [Change & { kind: 'grant' }];
    assert.deepEqual([again, frontQueues], [2, []]);
  });

  it('a lease holds a URL of an expired lease alone', () => {
    const deciding = new Deciding();
    putBack(deciding, 0, entryAt(50, { expiries: 1 }));
    putBack(deciding, 0, entryAt(51));
    deciding.admit(...many(3));
    const [{ again, frontQueues }] = granted(deciding).leases as [Change & { kind: 'grant' }];
    assert.deepEqual([again, frontQueues], [1, []]);
  });

  it('a lease of a failing server is an untried URL, if there is one', () => {
    const failing = { throttles: 1, serverErrors: 3 };
    const probe = (facts: Partial<HostFacts>, ...fresh: Entry[]) => {
      const deciding = new Deciding({ budget: defaultBudget });
      putBack(deciding, 0, entryAt(50));
      deciding.admit(...fresh);
      deciding.facts(facts);
      const [{ again, frontQueues }] = granted(deciding).leases as [Change & { kind: 'grant' }];
      return [again, frontQueues];
    };
    assert.deepEqual(probe(failing, entryAt(0)), [0, [[3, 1]]]);
    assert.deepEqual(probe(failing, entryAt(0, { frontQueue: 0 })), [0, [[0, 1]]]);
    assert.deepEqual(probe(failing), [1, []]);
    assert.deepEqual(probe({ ...failing, serverErrors: 2 }, entryAt(0)), [1, []]);
    assert.deepEqual(probe({ ...failing, deferredOpen: true }, entryAt(0, { frontQueue: budgetQueue })), [1, []]);
    assert.deepEqual(probe(failing, entryAt(0, { frontQueue: 16 })), [1, []], 'it waits in a trap');
  });

  it('a lease leaves URLs in traps and beyond a budget', () => {
    const deciding = new Deciding();
    deciding.admit(...many(2, 16), ...many(1, 3, 10), ...many(2, budgetQueue, 20));
    const [{ frontQueues }] = granted(deciding).leases as [Change & { kind: 'grant' }];
    assert.deepEqual(frontQueues, [[3, 1]]);
  });

  it('a lease takes deferred URLs up to the rest of the budget, and the queue is closed once that is spent', () => {
    const budget = { ...defaultBudget, base: 5 };
    const deciding = new Deciding({ budget });
    deciding.admit(...many(1), ...many(9, budgetQueue, 10));
    deciding.state.apply({ kind: 'spend', key, period: 0, used: 2 });
    deciding.facts({ deferredOpen: true });
    const { leases, changes } = granted(deciding);
    assert.deepEqual((leases[0] as Change & { kind: 'grant' }).frontQueues, [
      [3, 1],
      [budgetQueue, 3],
    ]);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['grant', 'spend', 'host'],
    );
    assert.equal((changes[1] as Change & { kind: 'spend' }).used, 5);
    assert.equal((changes[2] as Change & { kind: 'host' }).facts.deferredOpen, false);
  });

  it('a lease spends the budget for a single URL, too', () => {
    const deciding = new Deciding({ budget: { ...defaultBudget, base: 5 } });
    deciding.admit(entryAt(0, { frontQueue: budgetQueue }));
    deciding.facts({ deferredOpen: true });
    assert.equal(ofKind(granted(deciding), 'spend')[0]!.used, 1);
  });

  it('a lease spends no budget if nothing was deferred, or the policy has none', () => {
    const kinds = (policy: Partial<PolicyConfig>, ...entries: Entry[]) => {
      const deciding = new Deciding(policy);
      deciding.admit(...entries);
      deciding.facts({ deferredOpen: true });
      return granted(deciding).changes.map(({ kind }) => kind);
    };
    assert.deepEqual(kinds({ budget: defaultBudget }, entryAt(0)), ['grant', 'host']);
    assert.deepEqual(kinds({}, entryAt(0, { frontQueue: budgetQueue })), ['grant', 'host']);
    assert.deepEqual(kinds({}, ...many(9, budgetQueue)), ['grant'], 'some are left');
  });

  it('a lease is empty if all waiting URLs are deferred, and the budget is spent', () => {
    const deciding = new Deciding({ budget: { ...defaultBudget, base: 5 } });
    deciding.admit(...many(2, budgetQueue));
    deciding.facts({ deferredOpen: true });
    deciding.state.apply({ kind: 'spend', key, period: 0, used: 5 });
    const { leases, changes } = granted(deciding);
    assert.deepEqual([leases, changes.map(({ kind }) => kind)], [[], ['host']]);
  });

  it('a lease of a dead host leaves it one failure before it is given up again', () => {
    const deciding = new Deciding({ recrawl: { ...defaultRecrawl } });
    deciding.schedule(visitedPage);
    deciding.facts({ deadUntilMs: 500_000, failures: 4 });
    const { changes, leases } = granted(deciding);
    const { facts } = changes[0] as Change & { kind: 'host' };
    assert.deepEqual([facts.deadUntilMs, facts.failures], [0, 3]);
    assert.deepEqual([leases[0]!.kind, (leases[0] as { due?: number }).due], ['grantDue', 1]);
  });

  it('a lease for sitemaps only has time for robots.txt and eight of them', () => {
    const deciding = new Deciding({ sitemaps: { everyMs: 60_000, rules: [] } });
    deciding.facts({});
    const round = { dueS: deciding.nowMs / 1_000, sinceS: 1, tries: 0, secure: true };
    deciding.state.apply({ kind: 'sitemaps', hostKey: key, round });
    const { leases } = granted(deciding);
    const deadlineMs = deciding.nowMs + 2 * 9 * 1_500 + 45_000;
    const lease = { kind: 'grantSitemaps', leaseId: 1, hostKey: key, again: 0, frontQueues: [], deadlineMs };
    assert.deepEqual(leases, [{ ...lease, delayMs: 1_000 }]);
  });
});

describe('a lease of due pages', () => {
  it('a lease of due pages shares its room with new URLs', () => {
    const deciding = new Deciding({ recrawl: { ...defaultRecrawl, share: 0.5 } });
    for (const n of [50, 51]) putBack(deciding, 0, entryAt(n));
    deciding.admit(...many(9, 3, 100));
    for (let n = 0; n < 9; n++) deciding.schedule({ ...visitedPage, record: { ...visitedPage.record, url: urlAt(n) } });
    const { leases, grantedFrom } = granted(deciding);
    const lease = leases[0] as Change & { kind: 'grantDue' };
    assert.deepEqual([lease.kind, lease.due, lease.again, lease.frontQueues], ['grantDue', 4, 2, [[3, 2]]]);
    assert.deepEqual(grantedFrom, { revisit: 4, again: 2, 3: 2 });
    // Eight URLs, whatever their kind.
    assert.equal(lease.deadlineMs, deciding.nowMs + 2 * 8 * 1_500 + 45_000);
  });

  it('a lease of due pages waits until a URL of an expired lease has had its own', () => {
    const deciding = new Deciding({ recrawl: { ...defaultRecrawl, share: 0.5 } });
    putBack(deciding, 0, entryAt(50, { expiries: 1 }));
    deciding.schedule({ ...visitedPage, record: { ...visitedPage.record, url: urlAt(1) } });
    const [lease] = granted(deciding).leases;
    assert.deepEqual([lease!.kind, lease!.again], ['grant', 1]);
  });
});

it('a lease for a redirect of another host’s robots.txt counts as one request', () => {
  const deciding = new Deciding();
  deciding.facts({});
  const hop = { url: `https://${key}/robots.txt`, asked: ['https://b.test/robots.txt'], partition: 0 };
  deciding.state.apply({ kind: 'robotsHop', hostKey: key, hop });
  const said = deciding.decide((decision) =>
    grantLease(decision, deciding.policy!, deciding.host(), { due: 0, again: 0, frontQueues: [], robotsHops: [hop] }),
  );
  const deadlineMs = deciding.nowMs + 2 * 1_500 + 45_000;
  const lease = { kind: 'grant', leaseId: 1, hostKey: key, again: 0, frontQueues: [], deadlineMs, delayMs: 1_000 };
  assert.deepEqual([said.changes, said.granted], [[lease], [{ leaseId: 1, robotsHops: [hop] }]]);
});
