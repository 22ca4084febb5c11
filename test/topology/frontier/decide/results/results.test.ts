/** What a message of results comes to: where each URL goes, and what the host is known for afterwards. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome, OutcomeKind, Result } from '../../../../../schemas/types.ts';
import type { Change } from '../../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { decideResult } from '../../../../../topology/frontier/decide/results/results.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultTraps } from '../../../../../topology/policy/traps/trap-config.ts';
import { type Decided, Deciding, entryAt, key, ofKind, urlAt, visitedPage } from '../deciding.ts';
import { failed, hourMs, nowMs, ok, requestOf, resultOf, robots } from './result-of.ts';

describe('a URL', () => {
  type Resolve = Change & { kind: 'resolve' };
  /** What one outcome makes of one URL of a lease. */
  function resolved(outcome: Partial<Outcome>, entry: Partial<Entry> = {}, policy: Partial<PolicyConfig> = {}) {
    const deciding = new Deciding(policy);
    const lease = deciding.lease(entryAt(0, entry));
    const said = deciding.decide((decision) =>
      decideResult(decision, resultOf(lease.id, [outcome], { completedAtMs: nowMs - 10 })),
    );
    const { fetches: _, ...tallies } = said.tallies;
    return { ...said, tallies, change: said.changes.find(({ kind }) => kind === 'resolve') as Resolve };
  }

  it('a URL gets the place of its outcome, or waits again', () => {
    const places: Readonly<Partial<Record<OutcomeKind, string>>> = {
      ...{
        fetched: 'page',
        notModified: 'page',
        redirect: 'redirected',
        robotsDenied: 'denied',
        clientError: 'failed',
      },
      ...{ gone: 'failed', paymentRequired: 'failed', refused: 'failed', blockedAddress: 'failed', tooLarge: 'failed' },
      ...{ serverError: 'again', throttled: 'again', timeout: 'again', badResponse: 'again', parseFailed: 'dead' },
      ...{ connectionFailed: 'again', returned: 'again', unknown: 'again', crawlDelayTooLong: 'again' },
    };
    for (const [kind, place] of Object.entries(places)) {
      const { disposition } = resolved({ kind: kind as OutcomeKind }).change;
      assert.equal(disposition.to === 'final' ? disposition.status : disposition.to, place, kind);
    }
  });

  it('a successful URL is kept with all its reported facts', () => {
    const said: Partial<Outcome> = {
      ...{ kind: 'fetched' as const, status: 203, etag: '"e"', lastModified: 'then', contentHash: 'h', soft404: true },
    };
    const entry = { depth: 2, attempts: 1, spelling: '/%30' };
    const { change, tallies } = resolved({ ...said, url: '' }, entry);
    const record = {
      ...{ url: urlAt(0), status: 'page', outcome: 'fetched', httpStatus: 203, atMs: nowMs, attempts: 2, depth: 2 },
      ...{ etag: '"e"', lastModified: 'then', contentHash: 'h', soft404: true, spelling: '/%30' },
    };
    const disposition = { to: 'final', status: 'page' };
    assert.deepEqual(change, { kind: 'resolve', leaseId: 1, index: 0, disposition, record });
    assert.deepEqual(tallies, {});
  });

  it('a URL is barren if it led nowhere and is noindex', () => {
    const barren = (more: Partial<Outcome>) => resolved({ ...ok, ...more }).change.record!.barren;
    assert.equal(barren({ noindex: true }), true);
    assert.equal(barren({ noindex: true, links: 1 }), undefined);
    assert.equal(barren({}), undefined);
  });

  it('a URL is retried after the schedule’s steps, or as late as its host asks', () => {
    for (const [attempts, retryAfterMs, waitMs] of [
      [0, 0, 5_000],
      [1, 0, 30_000],
      [2, 0, 300_000],
      [0, 5_001, 5_001],
      [1, 29_999, 30_000],
    ] as const) {
      const { change, tallies, deadLetters } = resolved({ kind: 'timeout', retryAfterMs }, { attempts });
      const entry = entryAt(0, { attempts: attempts + 1 });
      assert.deepEqual(change.disposition, { to: 'again', dueAtMs: nowMs - 10 + waitMs, entry });
      assert.deepEqual([change.record, tallies, deadLetters], [null, { retries: 1 }, []]);
    }
  });

  it('a URL is given up after the last step, with its failure', () => {
    const { change, tallies, deadLetters } = resolved(
      { kind: 'serverError', status: 500, detail: 'why' },
      { attempts: 3 },
    );
    const record = {
      ...{ url: urlAt(0), status: 'dead', outcome: 'serverError', httpStatus: 500, atMs: nowMs, attempts: 4, depth: 1 },
      ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
    };
    assert.deepEqual([change.disposition, change.record], [{ to: 'final', status: 'dead' }, record]);
    assert.deepEqual(tallies, {});
    const [deadLetter] = deadLetters;
    assert.deepEqual(
      [
        deadLetter!.reason,
        deadLetter!.url,
        deadLetter!.attempts,
        deadLetter!.lastOutcome,
        deadLetter!.status,
        deadLetter!.detail,
      ],
      ['retriesExhausted', urlAt(0), 4, 'serverError', 500, 'why'],
    );
  });

  it('a URL that is given up keeps its tags, and its spelling', () => {
    const deciding = new Deciding();
    deciding.state.apply({ kind: 'tagSet', number: 1, tags: ['x'] });
    const lease = deciding.lease(entryAt(0, { tags: 1, spelling: '/%30' }), entryAt(1));
    const outcomes = [{ kind: 'parseFailed' as const }, { kind: 'parseFailed' as const }];
    const said = deciding.decide((decision) => decideResult(decision, resultOf(lease.id, outcomes)));
    const [first, second] = ofKind(said, 'resolve').map(({ record }) => record!);
    assert.deepEqual(
      [first!.tags, first!.spelling, 'tags' in second!, 'spelling' in second!],
      [1, '/%30', false, false],
    );
    assert.deepEqual(
      said.deadLetters.map(({ tags, original }) => [tags, original.length]),
      [
        [['x'], 0],
        [[], 0],
      ],
    );
  });

  it('a URL whose own origin has no reachable robots.txt is given up for that', () => {
    const outcome = { kind: 'robotsUnreachable', originOnly: true } as const;
    assert.deepEqual(resolved(outcome).tallies, { retries: 1 });
    assert.equal(resolved(outcome, { attempts: 3 }).deadLetters[0]!.reason, 'robotsUnreachable');
  });

  it('a URL that kills its parser is given up at once', () => {
    const { deadLetters, change } = resolved({ kind: 'parseFailed', status: 200, detail: 'slow' });
    const [{ reason, attempts, detail }] = deadLetters as [Decided['deadLetters'][number]];
    assert.deepEqual([reason, attempts, detail, change.record!.httpStatus], ['parseKilled', 1, 'slow', 200]);
  });

  it('a URL costs no attempt if its host failed, or nobody started', () => {
    for (const kind of ['connectionFailed', 'robotsUnreachable', 'returned', 'crawlDelayTooLong'] as const) {
      const { change, tallies } = resolved({ kind }, { attempts: 2 });
      assert.deepEqual(change.disposition, { to: 'again', dueAtMs: 0, entry: entryAt(0, { attempts: 2 }) }, kind);
      assert.deepEqual(tallies, {});
    }
    const { change } = resolved({ kind: 'connectionFailed', originOnly: true }, { attempts: 2 });
    assert.deepEqual(change.disposition, { to: 'again', dueAtMs: nowMs + 299_990, entry: entryAt(0, { attempts: 3 }) });
  });

  it('a URL that redirects to another spelling of itself is requested in that, at most ten times', () => {
    const redirectUrl = `${urlAt(0)}#x`;
    const entry = { hop: 9, spelling: '/%30' };
    const { change, tallies, deadLetters } = resolved({ kind: 'redirect', status: 301, redirectUrl }, entry);
    const { spelling: _, ...next } = entryAt(0, { url: redirectUrl, hop: 10 });
    assert.deepEqual(change.disposition, { to: 'again', dueAtMs: 0, entry: next });
    assert.deepEqual([change.record, tallies, deadLetters], [null, {}, []]);
    const last = resolved({ kind: 'redirect', status: 301, redirectUrl }, { hop: 10, attempts: 2 });
    const [deadLetter] = last.deadLetters;
    assert.deepEqual([deadLetter!.reason, deadLetter!.attempts, deadLetter!.status], ['tooManyRedirects', 2, 301]);
    assert.deepEqual(last.change.disposition, { to: 'final', status: 'dead' });
    const elsewhere = resolved({ kind: 'redirect', status: 301, redirectUrl: urlAt(1) }, { hop: 10 }).change;
    assert.deepEqual(elsewhere.disposition, { to: 'final', status: 'redirected' });
    const nowhere = resolved({ kind: 'redirect', status: 301, redirectUrl: 'mailto:x' }).change;
    assert.deepEqual(nowhere.disposition, { to: 'final', status: 'redirected' });
  });

  it('a URL counts by its outcome', () => {
    const counted = (outcome: Partial<Outcome>) => resolved(outcome).tallies;
    assert.deepEqual(counted(ok), {});
    assert.deepEqual(counted({ kind: 'notModified', status: 304 }), { notModified: 1 });
    assert.deepEqual(counted({ kind: 'paymentRequired', status: 402 }), { paymentRequired: 1 });
    assert.deepEqual(counted({ ...ok, linksDropped: 1 }), { linksDropped: 1 });
    assert.deepEqual(counted({ ...ok, linksDropped: 7 }), { linksDropped: 7 });
    assert.deepEqual(counted({ ...ok, truncated: true }), { truncated: 1 });
    assert.deepEqual(counted({ kind: 'gone', status: 404, truncated: true }), {});
    assert.deepEqual(counted({ kind: 'refused', status: 200 }), { notRead: 1 });
    assert.deepEqual(counted({ kind: 'refused', status: 403 }), {});
  });

  it('a URL spends its cash if it was sent', () => {
    for (const [outcome, spent] of [
      [ok, true],
      [{ kind: 'gone', status: 404 }, true],
      [{ kind: 'notModified', status: 304 }, false],
      [{ kind: 'timeout' }, false],
    ] as const) {
      const deciding = new Deciding({ score: { kind: 'opic', tax: 0.15 } });
      const lease = deciding.lease(entryAt(0));
      const [hi, lo] = deciding.state.fingerprintOf(urlAt(0));
      deciding.state.apply({ kind: 'cash', amount: 2, isNew: true, fingerprints: [hi!, lo!] });
      deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [outcome])));
      assert.equal(deciding.state.cash.heldBy(hi!, lo!), spent ? 0 : 2, JSON.stringify(outcome));
    }
  });
});

describe('an outcome', () => {
  /** What a partition that has such a policy, and knows what `before` sets up, makes of an outcome. */
  function said(
    policy: Partial<PolicyConfig>,
    outcome: Partial<Outcome>,
    more: Partial<Result> = {},
    before = (_: Deciding) => {},
  ) {
    const deciding = new Deciding(policy);
    before(deciding);
    const lease = deciding.lease(entryAt(0));
    return deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [outcome], more)));
  }
  const kindsOf = ({ changes }: Decided) => changes.map(({ kind }) => kind);

  it('an outcome is reported in its trace, if it has one', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const [event] = said({}, { ...ok, traceparent }).traced;
    assert.ok(event?.kind === 'resolved');
    assert.deepEqual([event.outcome, event.to, event.hostKey, event.atMs], ['fetched', 'page', key, nowMs]);
    assert.deepEqual(said({}, ok).traced, []);
  });

  it('an outcome keeps the tags of its URL', () => {
    const deciding = new Deciding();
    deciding.state.apply({ kind: 'tagSet', number: 1, tags: ['x'] });
    const lease = deciding.lease(entryAt(0, { tags: 1 }), entryAt(1));
    const decided = deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [ok, ok])));
    const records = ofKind(decided, 'resolve').map(({ record }) => record!);
    assert.deepEqual([records[0]!.tags, 'tags' in records[1]!], [1, false]);
  });

  it('an outcome proves its host’s spelling of URLs, if the policy asks for proofs', () => {
    const redirect = { kind: 'redirect', status: 301, redirectUrl: `${urlAt(0)}/` } as const;
    const [proof] = ofKind(said({ equivalences: { proofs: 3 } }, redirect), 'equivalence');
    assert.deepEqual([proof!.hostKey, proof!.rewriting, proof!.proofs], [key, 'slash', 1]);
    assert.deepEqual(kindsOf(said({}, redirect)), ['resolve', 'release', 'host']);
  });

  it('an outcome reveals a trap, if the policy looks for traps', () => {
    const url = `https://${key}/some/page`;
    const traps = { ...defaultTraps, wasteFetches: 1, wasteShare: 0 };
    const deciding = (policy: Partial<PolicyConfig>) => {
      const one = new Deciding(policy);
      const lease = one.lease(entryAt(0, { url }));
      one.facts({ fetched: 1_000 });
      return one.decide((decision) => decideResult(decision, resultOf(lease.id, [{ kind: 'gone', status: 404, url }])));
    };
    assert.deepEqual(kindsOf(deciding({ traps })), ['resolve', 'trap', 'release', 'host']);
    assert.deepEqual(kindsOf(deciding({})), ['resolve', 'release', 'host']);
  });

  it('an outcome is a visit if its policy has revisits, from when the lease was completed', () => {
    const recrawl = { ...defaultRecrawl, schedule: 'fixed', intervalMs: 2 * hourMs } as const;
    const at = (completedAtMs: number) => {
      const decided = said({ recrawl }, ok, { completedAtMs });
      assert.deepEqual(kindsOf(decided), ['visit', 'release', 'host']);
      return ofKind(decided, 'visit')[0]!.dueAtMs;
    };
    assert.deepEqual([at(nowMs - 20_000), at(0)], [nowMs + 2 * hourMs - 20_000, nowMs + 2 * hourMs]);
    const failedVisit = said({ recrawl }, { kind: 'timeout' });
    assert.deepEqual(
      kindsOf(failedVisit),
      ['resolve', 'release', 'host'],
      'a URL that was never visited is tried again',
    );
  });

  it('an outcome names sitemaps to be read, once the lease has ended', () => {
    const sitemaps = { everyMs: 60_000, rules: [{ urls: [`https://${key}/s.xml`] }] };
    const more = robots({ robotsStatus: 'rules' });
    assert.deepEqual(kindsOf(said({ sitemaps }, ok, more)), ['resolve', 'release', 'host', 'sitemaps']);
    assert.deepEqual(kindsOf(said({ sitemaps }, ok, { ...more, last: false })), ['resolve', 'host']);
  });

  it('an outcome in a running lease whose host failed returns the URL at once', () => {
    const decided = said({}, failed('connectionFailed'), { last: false });
    assert.deepEqual(kindsOf(decided), ['resolve', 'host']);
  });

  it('an immediately repeatable outcome is repeated after its delay', () => {
    const deciding = new Deciding({ retriesMs: [0] });
    deciding.nowMs = 0;
    const lease = deciding.lease(entryAt(0));
    const message = resultOf(lease.id, [{ kind: 'badResponse' }], { completedAtMs: 0 });
    const [change] = ofKind(
      deciding.decide((decision) => decideResult(decision, message)),
      'resolve',
    );
    assert.deepEqual(change!.disposition, { to: 'again', dueAtMs: 1, entry: entryAt(0, { attempts: 1 }) });
  });
});

describe('a revisit of a known page', () => {
  it('a revisit of a known page that is not reported stays due', () => {
    const deciding = new Deciding({ recrawl: defaultRecrawl });
    deciding.facts({});
    deciding.schedule(visitedPage);
    const lease = deciding.revisit(1);
    const said = deciding.decide((decision) => decideResult(decision, resultOf(lease.id, [])));
    const [visit] = ofKind(said, 'visit');
    assert.deepEqual([visit!.dueAtMs, visit!.page], [nowMs, visitedPage]);
  });

  it('a revisit of a known page that failed waits for the next', () => {
    const deciding = new Deciding({ recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 2 * hourMs } });
    deciding.lease(entryAt(0));
    const seen = deciding.decide((decision) => decideResult(decision, resultOf(1, [ok])));
    deciding.schedule(ofKind(seen, 'visit')[0]!.page);
    const lease = deciding.revisit(1);
    const decided = deciding.decide((decision) =>
      decideResult(decision, resultOf(lease.id, [{ kind: 'badResponse' }], { completedAtMs: nowMs - 10 })),
    );
    const [visit] = ofKind(decided, 'visit');
    assert.deepEqual([visit!.dueAtMs, visit!.page.failures, visit!.spent], [nowMs + 4_990, 1, false]);
    assert.equal(decided.tallies['retries'], 1);
  });
});

describe('a result message', () => {
  function decided(urls: number, outcomes: readonly Partial<Outcome>[], more: Partial<Result>): Decided {
    const deciding = new Deciding();
    const lease = deciding.lease(...Array.from({ length: urls }, (_, n) => entryAt(n)));
    return deciding.decide((decision) => decideResult(decision, resultOf(lease.id, outcomes, more)));
  }

  it('a result message counts its requests and their bytes', () => {
    const requests = [requestOf({ bytes: 40 }), requestOf({ bytes: 2 })];
    const { tallies } = decided(1, [ok], { requests });
    assert.deepEqual(tallies, { fetches: 2, bytes: 42 });
  });

  it('a result message is applied in order: URLs, the lease, its slot, its host', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0), entryAt(1), entryAt(2));
    const outcomes = [
      { ...ok, index: 2, url: urlAt(2) },
      { ...ok, index: 0, url: urlAt(0) },
    ];
    const { changes } = deciding.decide((decision) => decideResult(decision, resultOf(lease.id, outcomes)));
    assert.deepEqual(
      changes.map((change) => (change.kind === 'resolve' ? [change.index, change.disposition.to] : change.kind)),
      [[2, 'final'], [0, 'final'], [1, 'again'], 'release', 'host'],
    );
    assert.deepEqual(changes[3], { kind: 'release', leaseId: lease.id, expired: false });
    assert.equal(deciding.state.leases.size, 0);
  });

  it('a result message that is not the last leaves unreported URLs on the lease', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0), entryAt(1));
    const message = resultOf(lease.id, [ok], { last: false });
    assert.deepEqual(
      deciding.decide((decision) => decideResult(decision, message)).changes.map(({ kind }) => kind),
      ['resolve', 'host'],
    );
    assert.deepEqual(lease.entries, [null, entryAt(1)]);
    // Told once more, it says nothing new.
    assert.deepEqual(deciding.decide((decision) => decideResult(decision, message)).changes, []);
  });

  it('a result message about a forgotten lease does not affect the URL in its place', () => {
    const { changes } = decided(1, [{ ...ok, url: urlAt(7) }], { last: false, completedAtMs: 0 });
    assert.deepEqual(changes, []);
    const out = decided(1, [{ ...ok, index: 3, url: '' }], { last: false, completedAtMs: 0 });
    assert.deepEqual(out.changes, []);
  });

  it('a result message of an unknown host, or before a known policy, is skipped', () => {
    const deciding = new Deciding();
    const lease = deciding.lease(entryAt(0));
    const message = resultOf(lease.id, [ok], { requests: [requestOf({ bytes: 1 })] });
    const other = { ...message, hostKey: 'other.test' };
    const nothing = {
      changes: [],
      tallies: {},
      deadLetters: [],
      controls: [],
      granted: [],
      traced: [],
      grantedFrom: {},
    };
    assert.deepEqual(
      deciding.decide((decision) => decideResult(decision, other)),
      nothing,
    );
    deciding.policy = null;
    assert.deepEqual(
      deciding.decide((decision) => decideResult(decision, message)),
      nothing,
    );
  });

  it('a request for leases of a host is no result', () => {
    const robotsHops = [{ url: `https://${key}/robots.txt`, asked: ['https://b.test/robots.txt'], partition: 0 }];
    const { changes } = decided(1, [ok], { robotsHops });
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['robotsHop'],
    );
  });
});
