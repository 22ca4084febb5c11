/** What a message of results comes to whose lease is over. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome, Result } from '../../../../../schemas/types.ts';
import { type Change, newHostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import { decideResult } from '../../../../../topology/frontier/decide/results/results.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { type Decided, Deciding, entryAt, key, urlAt } from '../deciding.ts';
import { hourMs, nowMs, ok, requestOf, resultOf } from './result-of.ts';

describe('a late result', () => {
  /** One URL waits again, the lease is over. */
  function late(
    more: Partial<Result>,
    outcome: Partial<Outcome> = ok,
    policy: Partial<PolicyConfig> = {},
    before = {},
  ) {
    const deciding = new Deciding(policy);
    const lease = deciding.lease(entryAt(0, { attempts: 1 }));
    const disposition = { to: 'again', dueAtMs: 0, entry: entryAt(0, { attempts: 1 }) } as const;
    deciding.state.apply({ kind: 'resolve', leaseId: lease.id, index: 0, disposition, record: null });
    deciding.state.apply({ kind: 'release', leaseId: lease.id, expired: true });
    deciding.facts(before);
    return deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [outcome], more)));
  }
  const hostOf = ({ changes }: Decided) =>
    (changes.find(({ kind }) => kind === 'host') as Change & { kind: 'host' })?.facts;

  it('a late result finishes a URL that waits again, and delays its host', () => {
    const { changes, tallies } = late({ completedAtMs: nowMs - 300 });
    const record = {
      ...{ url: urlAt(0), status: 'page', outcome: 'fetched', httpStatus: 200, atMs: nowMs, attempts: 2, depth: 1 },
      ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
    };
    const facts = { ...newHostFacts, readyAtMs: nowMs + 700 };
    assert.deepEqual(changes, [
      { kind: 'finish', hostKey: key, seq: (changes[0] as Change & { kind: 'finish' }).seq, record },
      { kind: 'host', hostKey: key, facts },
    ]);
    assert.deepEqual(tallies, { fetches: 0, lateResults: 1 });
  });

  it('a late result ignores unlisted URLs and outcomes that are not final', () => {
    const kinds = (outcome: Partial<Outcome>) => late({}, outcome).changes.map(({ kind }) => kind);
    assert.deepEqual(kinds({ ...ok, url: urlAt(5) }), ['host']);
    assert.deepEqual(kinds({ kind: 'timeout' }), ['host']);
    // To another spelling of itself: it is asked for in that, or it would never be fetched.
    assert.deepEqual(kinds({ kind: 'redirect', redirectUrl: `https://${key}/%30` }), ['host']);
    assert.deepEqual(kinds({ kind: 'redirect', redirectUrl: urlAt(0) }), ['host']);
    assert.deepEqual(kinds({ kind: 'redirect', redirectUrl: urlAt(1) }), ['finish', 'host']);
  });

  it('a late result applies all its outcomes', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0), entryAt(1));
    for (const index of [0, 1]) {
      const disposition = { to: 'again', dueAtMs: 0, entry: entryAt(index) } as const;
      deciding.state.apply({ kind: 'resolve', leaseId: lease.id, index, disposition, record: null });
    }
    deciding.state.apply({ kind: 'release', leaseId: lease.id, expired: true });
    const outcomes = [{ kind: 'timeout' as const }, ok];
    const { changes } = deciding.decide((decision) => decideResult(decision, resultOf(lease.id, outcomes)));
    assert.deepEqual(
      changes.map((change) => (change.kind === 'finish' ? change.record.url : change.kind)),
      [urlAt(1), 'host'],
    );
  });

  it('a late result never makes its host ready sooner, and without facts changes nothing', () => {
    assert.equal(hostOf(late({}, { kind: 'timeout' }, {}, { readyAtMs: nowMs + 1_001 })), undefined);
    assert.equal(hostOf(late({}, { kind: 'timeout' }, {}, { readyAtMs: nowMs + 999 }))!.readyAtMs, nowMs + 1_000);
    assert.equal(hostOf(late({ completedAtMs: 0 }, { kind: 'timeout' })), undefined);
  });

  it('a late result counts its bytes if they are capped, to the cap', () => {
    const requests = [requestOf({ bytes: 60 })];
    const with60 = (bytesPerHostMax?: number) =>
      hostOf(late({ requests, completedAtMs: 0 }, { kind: 'timeout' }, { bytesPerHostMax }, { bytes: 1 }));
    assert.equal(with60(), undefined);
    assert.deepEqual(with60(62), { ...newHostFacts, bytes: 61 });
    assert.deepEqual(with60(61), { ...newHostFacts, bytes: 61, hold: 'limit' });
    // Where they are not, a limit that stands is not looked at again.
    const held = hostOf(late({}, { kind: 'timeout' }, {}, { hold: 'limit' }))!;
    assert.deepEqual(held, { ...newHostFacts, hold: 'limit', readyAtMs: nowMs + 1_000 });
  });

  it('a late result is the first visit of a URL that it finishes, if the policy has revisits', () => {
    const recrawl = { ...defaultRecrawl, schedule: 'fixed', intervalMs: 2 * hourMs } as const;
    const { changes } = late({}, ok, { recrawl });
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['finish', 'visit', 'host'],
    );
    const visit = changes[1] as Change & { kind: 'visit' };
    assert.deepEqual(
      [visit.leaseId, visit.dueAtMs, visit.spent, visit.page.frontQueue],
      [0, nowMs + 2 * hourMs, true, 3],
    );
  });

  it('a result is late if the lease belongs to another host', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0));
    deciding.facts({}, 'other.test');
    const message = { ...resultOf(lease.id, [ok]), hostKey: 'other.test' };
    const { changes, tallies } = deciding.decide((decision) => decideResult(decision, message));
    const facts = { ...newHostFacts, readyAtMs: nowMs + 1_000 };
    assert.deepEqual(
      [changes, tallies],
      [[{ kind: 'host', hostKey: 'other.test', facts }], { fetches: 0, lateResults: 1 }],
    );
  });

  it('a late result spends the cash of URLs that it finishes, if it was sent', () => {
    for (const [outcome, spent] of [
      [ok, true],
      [{ kind: 'notModified', status: 304 }, false],
    ] as const) {
      const { changes } = (() => {
        const deciding = new Deciding({ score: { kind: 'opic', tax: 0.15 } });
        const lease = deciding.lease(entryAt(0));
        const disposition = { to: 'again', dueAtMs: 0, entry: entryAt(0) } as const;
        deciding.state.apply({ kind: 'resolve', leaseId: lease.id, index: 0, disposition, record: null });
        deciding.state.apply({ kind: 'release', leaseId: lease.id, expired: true });
        const [hi, lo] = deciding.state.fingerprintOf(urlAt(0));
        deciding.state.apply({ kind: 'cash', amount: 2, isNew: true, fingerprints: [hi!, lo!] });
        return deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [outcome])));
      })();
      assert.equal(
        changes.some(({ kind }) => kind === 'cash'),
        spent,
      );
    }
  });
});
