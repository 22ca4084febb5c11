/** What events on `control` change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import type { Control } from '../../../../../schemas/types.ts';
import { type HostFacts, newHostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import { decideControl } from '../../../../../topology/frontier/decide/control/control.ts';
import { leastDelay, ofWebmaster, takenBackDelay } from '../../../../../topology/frontier/decide/control-payloads.ts';
import { budgetQueue } from '../../../../../topology/frontier/queues/held-queues.ts';
import { defaultBudget } from '../../../../../topology/policy/budget.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultTraps } from '../../../../../topology/policy/traps/trap-config.ts';
import { type Decided, Deciding, entryAt, key, ofKind, urlAt, visitedPage } from '../deciding.ts';
import { itemAt, pulled, put } from '../pull/pulled.ts';

const now = 1_000_000;
type Order = Partial<Control> & Pick<Control, 'kind'>;

function decide(deciding: Deciding, ...events: Order[]): Decided {
  return deciding.decide((decision) => {
    for (const event of events) decideControl(decision, controlOf({ hostKey: key, ...event }), []);
  });
}

/** The facts of the host that orders change, of a host that had `before`. */
function facts(before: Partial<HostFacts> | null, events: readonly Order[], policy: Partial<PolicyConfig> = {}) {
  const deciding = new Deciding(policy);
  if (before !== null) deciding.facts(before);
  const was: HostFacts = { ...newHostFacts, ...before };
  decide(deciding, ...events);
  const after = deciding.host().facts;
  const names = Object.keys(after) as (keyof HostFacts)[];
  return Object.fromEntries(names.filter((name) => after[name] !== was[name]).map((name) => [name, after[name]]));
}

describe('an order about a host', () => {
  const block = { kind: 'blockHost' } as const;
  const pause = { kind: 'blockHost', payload: ofWebmaster } as const;
  const release = { kind: 'releaseHost' } as const;
  const resume = { kind: 'releaseHost', payload: ofWebmaster } as const;
  const delay = (amount: number, payload = '') => ({ kind: 'hostDelay', amount, payload }) as const;
  const least = (amount: number) => delay(amount, leastDelay);

  it('an order about a host blocks it, also if it was unknown before', () => {
    assert.deepEqual(facts({}, [block]), { hold: 'blocked' });
    assert.deepEqual(facts(null, [block]), { hold: 'blocked' });
    assert.deepEqual(facts({}, [pause]), { hold: 'paused' });
    assert.deepEqual(facts({ hold: 'paused' }, [block]), { hold: 'blocked' });
    assert.deepEqual(facts({ hold: 'crawlDelay' }, [pause]), { hold: 'paused' });
  });

  it('an order about a host does not block what was purged, nor pause what is blocked', () => {
    assert.deepEqual(facts({ hold: 'purged' }, [block]), {});
    assert.deepEqual(facts({ hold: 'purged' }, [pause]), {});
    assert.deepEqual(facts({ hold: 'blocked' }, [pause]), {});
  });

  it('an order about a host releases it, and forgets its troubles', () => {
    const before = { hold: 'blocked', deadUntilMs: 9, failures: 3, throttles: 2, serverErrors: 1 } as const;
    assert.deepEqual(facts(before, [release]), {
      hold: '',
      deadUntilMs: 0,
      failures: 0,
      throttles: 0,
      serverErrors: 0,
    });
    assert.deepEqual(facts({ hold: 'purged' }, [release]), { hold: '' });
    assert.deepEqual(facts({ hold: 'crawlDelay' }, [release]), { hold: '' });
    assert.deepEqual(facts({ hold: 'paused', failures: 1 }, [resume]), { hold: '' });
    assert.deepEqual(facts({ hold: 'blocked', failures: 1 }, [resume]), {});
  });

  it('an order about a host restores the hold behind a block', () => {
    for (const [hold, order] of [
      ['blocked', release],
      ['paused', release],
      ['paused', resume],
    ] as const) {
      assert.deepEqual(facts({ hold, crawlDelayMs: 30_001 }, [order]), { hold: 'crawlDelay' });
      assert.deepEqual(facts({ hold, crawlDelayMs: 30_000 }, [order]), { hold: '' });
      assert.deepEqual(facts({ hold, crawlDelayMs: 2 }, [order], { crawlDelayCapMs: 1 }), { hold: 'crawlDelay' });
      assert.deepEqual(facts({ hold, crawlDelayMs: 30_001 }, [order], { crawlDelayCapMs: 0 }), { hold: '' });
      assert.deepEqual(facts({ hold, pages: 2, pagesMax: 2 }, [order]), { hold: 'limit' });
    }
    assert.deepEqual(
      facts({ hold: 'crawlDelay', crawlDelayMs: 30_001 }, [release]),
      { hold: '' },
      'an operator says so',
    );
    const none = new Deciding();
    none.facts({ hold: 'blocked', crawlDelayMs: 30_001 });
    none.policy = null;
    decide(none, release);
    assert.equal(none.host().facts.hold, '', 'before the first policy nothing is too long');
  });

  it('an order about a host sets its delay', () => {
    assert.deepEqual(facts({ ownDelayIsLeast: true }, [delay(5)]), { ownDelayMs: 5, ownDelayIsLeast: false });
    assert.deepEqual(facts({}, [delay(0)]), { ownDelayMs: 0 });
    assert.deepEqual(facts({ ownDelayMs: 5 }, [delay(-1)]), { ownDelayMs: -1 });
    assert.deepEqual(facts({ ownDelayMs: 5 }, [delay(-7)]), { ownDelayMs: -1 });
  });

  it('an order about a host by its webmaster sets the minimum delay, no shorter than an operator’s', () => {
    assert.deepEqual(facts({}, [least(5)]), { ownDelayMs: 5, ownDelayIsLeast: true });
    assert.deepEqual(facts({}, [least(0)]), { ownDelayMs: 0, ownDelayIsLeast: true });
    assert.deepEqual(facts({ ownDelayMs: 5 }, [least(4)]), {});
    assert.deepEqual(facts({ ownDelayMs: 5 }, [least(5)]), { ownDelayIsLeast: true });
    assert.deepEqual(facts({ ownDelayMs: 5, ownDelayIsLeast: true }, [least(4)]), { ownDelayMs: 4 });
    assert.deepEqual(facts({ ownDelayMs: 5, ownDelayIsLeast: true }, [least(0)]), { ownDelayMs: 0 });
    assert.deepEqual(facts({ ownDelayMs: 5, ownDelayIsLeast: true }, [delay(-1, takenBackDelay(3))]), {
      ...{ ownDelayMs: 3, ownDelayIsLeast: false },
    });
    assert.deepEqual(facts({ ownDelayMs: 5 }, [delay(-1, takenBackDelay(3))]), {});
  });

  it('an order about a host limits its pages, and holds it at once if it has reached them', () => {
    assert.deepEqual(facts({ pages: 3 }, [{ kind: 'hostLimit', amount: 4 }]), { pagesMax: 4 });
    assert.deepEqual(facts({ pages: 3 }, [{ kind: 'hostLimit', amount: 3 }]), { pagesMax: 3, hold: 'limit' });
    assert.deepEqual(facts({ pages: 3 }, [{ kind: 'hostLimit', amount: 0 }]), { pagesMax: 0, hold: 'limit' });
    assert.deepEqual(facts({ pages: 3, pagesMax: 3, hold: 'limit' }, [{ kind: 'hostLimit', amount: -9 }]), {
      ...{ pagesMax: -1, hold: '' },
    });
    const capped = { pagesPerHostMax: 3 };
    assert.deepEqual(facts({ pages: 3 }, [delay(5)], capped), { ownDelayMs: 5, hold: 'limit' });
    const none = new Deciding();
    none.facts({ pages: 3 });
    none.policy = null;
    decide(none, { kind: 'hostLimit', amount: 3 });
    assert.equal(none.host().facts.hold, 'limit');
  });

  it('an order about a host counts its clients’ results in a served crawl', () => {
    const served = pulled();
    put(served, [itemAt(0, { known: true })]);
    decide(served, { kind: 'hostLimit', amount: 1 });
    assert.equal(served.host().facts.hold, 'limit');
    decide(served, { kind: 'hostLimit', amount: 2 });
    assert.equal(served.host().facts.hold, '');
  });

  it('an order about a host sets its leases and its budget, which is checked again', () => {
    const deciding = new Deciding();
    deciding.facts({});
    const { changes } = decide(deciding, { kind: 'hostLeases', amount: 3 });
    assert.deepEqual(changes, [{ kind: 'hostSlots', hostKey: key, own: 3, most: 3 }]);
    assert.deepEqual(facts({}, [{ kind: 'budget', amount: 7 }]), { ownBudget: 7 });
    assert.deepEqual(facts({}, [{ kind: 'budget', amount: 0 }]), { ownBudget: 0 });
    assert.deepEqual(facts({ ownBudget: 7 }, [{ kind: 'budget', amount: -2 }]), { ownBudget: -1 });
    const waiting = new Deciding({ budget: defaultBudget });
    waiting.admit(entryAt(0, { frontQueue: budgetQueue }));
    [...waiting.state.budgets.keysToLookAt(0, 99)];
    decide(waiting, { kind: 'budget', amount: 7 });
    assert.ok(waiting.state.budgets.looks);
  });

  it('an order about a host reads its sitemaps, over the named scheme, unless it was purged', () => {
    const rounds = (hold: HostFacts['hold'], amount: number) => {
      const deciding = new Deciding({ sitemaps: { everyMs: 60_000, rules: [] } });
      deciding.facts({ hold });
      return ofKind(decide(deciding, { kind: 'readSitemaps', amount }), 'sitemaps').map(({ round }) => round);
    };
    const round = { dueS: now / 1_000, sinceS: now / 1_000, tries: 0 };
    assert.deepEqual(rounds('', 1), [{ ...round, secure: true }]);
    assert.deepEqual(rounds('', 0), [{ ...round, secure: false }]);
    assert.deepEqual(rounds('', 2), [{ ...round, secure: false }]);
    assert.deepEqual(rounds('purged', 1), []);
  });
});

describe('an order about a trap', () => {
  const trap = (kind: 'trap' | 'releaseTrap', payload: object | string = { pattern: '/x/', detail: 'why' }) =>
    ({ kind, payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }) as const;

  it('an order about a trap sets it once, and releases an existing one', () => {
    const deciding = new Deciding({ traps: defaultTraps });
    deciding.facts({});
    const set = { kind: 'trap', hostKey: key, pattern: '/x/', reason: 'operator', detail: 'why', frontQueue: 16 };
    assert.deepEqual(decide(deciding, trap('releaseTrap')).changes, []);
    assert.deepEqual(decide(deciding, trap('trap'), trap('trap')).changes, [set]);
    assert.deepEqual(decide(deciding, trap('releaseTrap', { pattern: '/y/' })).changes, []);
    assert.deepEqual(decide(deciding, trap('releaseTrap'), trap('releaseTrap')).changes, [
      { kind: 'releaseTrap', hostKey: key, pattern: '/x/' },
    ]);
    assert.equal(decide(deciding, trap('trap')).changes.length, 1, 'it stands again');
  });

  it('an order about an invalid trap is counted', () => {
    const { changes, tallies } = decide(new Deciding(), trap('trap', '{'), trap('releaseTrap', {}));
    assert.deepEqual([changes, tallies], [[], { unknownControls: 2 }]);
  });
});

describe('a duplicate count of the dedup', () => {
  const counted = (pages: number, duplicates: number, prefix = '/x/') =>
    ({ kind: 'duplicates', payload: JSON.stringify({ prefixes: [{ prefix, pages, duplicates }] }) }) as const;
  const traps = { ...defaultTraps, wasteFetches: 10, wasteShare: 0.5 };

  it('a duplicate count of the dedup makes a trap from the policy’s share and number of pages on', () => {
    const patterns = (...events: Order[]) => {
      const deciding = new Deciding({ traps });
      deciding.facts({});
      return ofKind(decide(deciding, ...events), 'trap').map(({ pattern, reason }) => [pattern, reason]);
    };
    const found = [['/x/{}', 'duplicateContent']];
    assert.deepEqual(patterns(counted(10, 5)), found);
    assert.deepEqual(patterns(counted(9, 9)), []);
    assert.deepEqual(patterns(counted(10, 4)), []);
    assert.deepEqual(patterns(counted(10, 5), counted(11, 11)), found, 'once');
    const released = { kind: 'releaseTrap', payload: JSON.stringify({ pattern: '/x/{}' }) } as const;
    assert.deepEqual(patterns(counted(10, 5), released, counted(11, 11)), found, 'an operator says it is none');
    const several = [counted(10, 0), counted(10, 9, '/y/')].map(({ payload }) => JSON.parse(payload).prefixes[0]);
    const both = { kind: 'duplicates', payload: JSON.stringify({ prefixes: several }) } as const;
    assert.deepEqual(patterns(both), [['/y/{}', 'duplicateContent']]);
  });

  it('a duplicate count of the dedup makes none if the policy does not ask', () => {
    for (const policy of [{}, { traps: { ...traps, wasteFetches: null } }]) {
      const deciding = new Deciding(policy);
      assert.deepEqual(decide(deciding, counted(10, 10)).changes, []);
    }
  });

  it('an unreadable duplicate count of the dedup is counted', () => {
    assert.deepEqual(decide(new Deciding({ traps }), { kind: 'duplicates', payload: '{' }).tallies, {
      unknownControls: 1,
    });
  });

  it('verdicts of the dedup on single pages are kept', () => {
    const demote = { frontQueue: 6, waitFactor: 3 };
    const deciding = new Deciding({ recrawl: { ...defaultRecrawl, demote } });
    deciding.facts({});
    deciding.schedule(visitedPage);
    const payload = JSON.stringify({ prefixes: [], urls: [{ url: urlAt(0), of: urlAt(1) }] });
    const verdict = { kind: 'verdict', hostKey: key, url: urlAt(0), duplicateOf: urlAt(1) };
    assert.deepEqual(decide(deciding, { kind: 'duplicates', payload }).changes, [verdict]);
  });
});

describe('a policy', () => {
  const policyOf = (version: number, config: Partial<PolicyConfig> = {}) =>
    ({ kind: 'policy', version, payload: JSON.stringify({ ...defaultPolicy(), ...config, version }) }) as const;

  it('a policy is accepted if it is newer', () => {
    const deciding = new Deciding({ version: 3 });
    for (const version of [2, 3]) assert.deepEqual(decide(deciding, policyOf(version)), nothing);
    const { changes, tallies } = decide(deciding, policyOf(4));
    assert.deepEqual([changes, tallies], [[{ kind: 'policy', version: 4, json: policyOf(4).payload }], {}]);
  });

  it('a policy that is invalid, or changes lease clients or URL identity, is counted and changes nothing', () => {
    for (const event of [
      { kind: 'policy', version: 2, payload: '{' } as const,
      policyOf(2, { filters: { ...defaultPolicy().filters, deny: ['('] } } as never),
      policyOf(2, { sink: 'pull' }),
      policyOf(2, { normalize: { ...defaultPolicy().normalize, trailingSlash: 'drop' } }),
    ]) {
      const { changes, tallies } = decide(new Deciding(), event);
      assert.deepEqual([changes, tallies], [[], { unknownControls: 1 }], event.payload);
    }
    // What recorded crawls have changed is taken.
    const index = policyOf(2, { normalize: { ...defaultPolicy().normalize, indexPages: true } });
    assert.equal(decide(new Deciding(), index).changes.length, 1);
    const first = new Deciding();
    first.policy = null;
    first.state.setPolicy(0, '');
    assert.equal(decide(first, policyOf(2, { sink: 'pull' })).tallies['unknownControls'], undefined, 'the first may');
  });

  it('a policy lifts the holds that it no longer asks for, and leaves the others', () => {
    const held: Readonly<Record<string, readonly [Partial<HostFacts>, Partial<PolicyConfig>, HostFacts['hold']]>> = {
      'a Crawl-delay that is not too long any more': [
        { hold: 'crawlDelay', crawlDelayMs: 5 },
        { crawlDelayCapMs: 5 },
        '',
      ],
      'one that is': [{ hold: 'crawlDelay', crawlDelayMs: 6 }, { crawlDelayCapMs: 5 }, 'crawlDelay'],
      'a cap that is gone': [{ hold: 'limit', pages: 5 }, {}, ''],
      'a cap that was raised': [{ hold: 'limit', pages: 5 }, { pagesPerHostMax: 6 }, ''],
      'one that was not': [{ hold: 'limit', pages: 5 }, { pagesPerHostMax: 5 }, 'limit'],
      'an operator’s limit': [{ hold: 'limit', pages: 5, pagesMax: 5 }, {}, 'limit'],
      'a cap behind a Crawl-delay': [{ hold: 'crawlDelay', pages: 5 }, { pagesPerHostMax: 5 }, 'limit'],
      'a block': [{ hold: 'blocked' }, {}, 'blocked'],
      'a purge': [{ hold: 'purged' }, {}, 'purged'],
    };
    for (const [name, [before, policy, hold]] of Object.entries(held)) {
      const deciding = new Deciding();
      deciding.facts(before);
      const { changes } = decide(deciding, policyOf(2, policy));
      assert.deepEqual([deciding.host().facts.hold, changes.length], [hold, hold === before.hold ? 1 : 2], name);
    }
  });

  it('a policy gives hosts their leases at once', () => {
    const deciding = new Deciding();
    deciding.state.apply({ kind: 'hostSlots', hostKey: key, own: -1, most: 2 });
    const { changes } = decide(deciding, policyOf(2));
    assert.deepEqual(changes[1], { kind: 'hostSlots', hostKey: key, own: -1, most: 1 });
  });
});

describe('an order to seek', () => {
  const seek = (payload: object) => ({ kind: 'seek', payload: JSON.stringify(payload) }) as const;

  it('an order to seek moves the position, and forgets the leader epoch behind it', () => {
    for (const epoch of [0, 7]) {
      const deciding = new Deciding();
      deciding.state.apply({ kind: 'inputEpoch', topic: 'discovered', epoch });
      let sought: readonly string[] = [];
      const said = deciding.decide((decision) => {
        decideControl(decision, controlOf(seek({ group: 'frontier', topic: 'discovered', offset: 9 })), []);
        sought = [...decision.sought];
      });
      assert.deepEqual(said.changes, [{ kind: 'inputEpoch', topic: 'discovered', epoch: -1 }]);
      assert.deepEqual([sought, deciding.state.positions.discovered], [['discovered'], { offset: 9, slice: 0 }]);
    }
    const unknown = new Deciding();
    assert.deepEqual(decide(unknown, seek({ group: 'frontier', topic: 'results', offset: 4 })).changes, []);
    assert.deepEqual(unknown.state.positions.results, { offset: 4, slice: 0 });
  });

  it('an order to seek of another group is only recorded', () => {
    const deciding = new Deciding();
    assert.deepEqual(decide(deciding, seek({ group: 'dedup', topic: 'discovered', offset: 9 })), nothing);
    assert.deepEqual(deciding.state.positions.discovered, { offset: 0, slice: 0 });
  });
});

const nothing = { changes: [], tallies: {}, deadLetters: [], controls: [], granted: [], traced: [], grantedFrom: {} };

describe('an event', () => {
  it('an event goes to its subject', () => {
    const payload = JSON.stringify({ url: urlAt(0) });
    const deciding = new Deciding();
    deciding.admit(entryAt(0), entryAt(1));
    assert.deepEqual(
      decide(deciding, { kind: 'purge', payload }).changes.map(({ kind }) => kind),
      ['purge'],
    );
    for (const kind of ['raise', 'lower', 'purge'] as const)
      assert.deepEqual(decide(deciding, { kind, payload: '{' }).tallies, { unknownControls: 1 }, kind);
    const quota = new Deciding();
    assert.deepEqual(
      decide(quota, { kind: 'quota', amount: 3 }).changes.map(({ kind }) => kind),
      ['quota'],
    );
    assert.deepEqual(
      decide(quota, { kind: 'quotaReport', partition: 0, known: 0, wanted: 4 }).changes.map(({ kind }) => kind),
      ['quotaBook'],
    );
  });

  it('an event for others changes nothing, and an unknown one is counted', () => {
    const kinds = [
      'manifest',
      'pauseHost',
      'requeue',
      'servedCrawl',
      'schema',
      'plugin',
      'payment',
      'signingKey',
    ] as const;
    for (const kind of kinds) assert.deepEqual(decide(new Deciding(), { kind }), nothing, kind);
    assert.deepEqual(decide(new Deciding(), { kind: 'unknown' }).tallies, { unknownControls: 1 });
  });
});
