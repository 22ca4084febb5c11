/** When a link brings the next visit of a known page forward. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLink } from '../../../../../schemas/blank.ts';
import type { Intent, Link } from '../../../../../schemas/types.ts';
import { decideRefresh, isPush, isTrusted } from '../../../../../topology/frontier/decide/links/refresh.ts';
import type { Trust } from '../../../../../topology/frontier/recrawl/recrawl-state.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, key, ofKind, urlAt, visitedPage } from '../deciding.ts';

const hour = 3_600_000;
const recrawl = { ...defaultRecrawl, schedule: 'fixed', intervalMs: hour } as const;
const now = 1_000_000;
const nowS = now / 1_000;
/** The page was visited at 900 s, and is due an hour from now. */
const dueS = (now + hour) / 1_000;

interface Case {
  readonly intent?: Intent;
  readonly link?: Partial<Link>;
  /** Due at another time, s. */
  readonly dueS?: number;
  readonly fromSitemap?: boolean;
  readonly out?: boolean;
  readonly pushed?: boolean;
  readonly trust?: Trust;
  readonly policy?: Partial<PolicyConfig>;
  /** By default of the page itself. */
  readonly fingerprint?: readonly [number, number];
}

/** When it is due afterwards, where that changed, and whether the link has said what it had to say. */
function refreshed(one: Case) {
  const deciding = new Deciding({ recrawl, ...one.policy });
  deciding.facts({});
  const { state } = deciding;
  deciding.schedule(visitedPage);
  const move = (at: number, reported: boolean) =>
    state.apply({ kind: 'due', hostKey: key, url: urlAt(0), dueS: at, fromSitemap: reported });
  if (one.out === true) deciding.revisit(1);
  else move(one.dueS ?? dueS, one.fromSitemap === true);
  if (one.pushed === true) move(0, false);
  const { id } = deciding.host();
  if (one.trust === undefined) state.recrawl.trust.delete(id);
  else state.recrawl.trust.set(id, one.trust);
  const [hi, lo] = state.fingerprintOf(urlAt(0));
  const link = { ...blankLink, url: urlAt(0), ...one.link };
  let isReported: boolean | undefined;
  const said = deciding.decide(
    (decision) =>
      decideRefresh(
        ...([decision, deciding.policy!, one.intent ?? 'refresh', { url: urlAt(0), hostKey: key }, link] as const),
        one.fingerprint ?? [hi!, lo!],
      ),
    (returned) => {
      isReported = returned;
    },
  );
  return { isReported, due: ofKind(said, 'due').map((due) => [due.dueS, due.fromSitemap]) };
}

const newer = { lastModifiedMs: 900_001 };
const push = { lastModifiedMs: 0, priority: 0 };

describe('a link with its page’s change date', () => {
  it('a link with its page’s change date moves the visit forward to now', () => {
    assert.deepEqual(refreshed({ link: newer }), { isReported: true, due: [[nowS, true]] });
  });

  it('a link with its page’s change date is ignored if the page was visited since, the date is far ahead, or a visit is due', () => {
    const nothing = { isReported: true, due: [] };
    assert.deepEqual(refreshed({ link: { lastModifiedMs: 900_000 } }), nothing);
    assert.deepEqual(refreshed({ link: { lastModifiedMs: now + 24 * hour } }).due.length, 1, 'of another time zone');
    assert.deepEqual(refreshed({ link: { lastModifiedMs: now + 24 * hour + 1 } }), nothing);
    assert.deepEqual(refreshed({ link: newer, dueS: nowS }), nothing);
    assert.deepEqual(refreshed({ link: newer, dueS: nowS + 1 }).due, [[nowS, true]]);
    assert.deepEqual(refreshed({ link: newer, out: true }), nothing);
    assert.deepEqual(refreshed({ link: newer, fromSitemap: true }), nothing);
    assert.deepEqual(refreshed({ link: newer, intent: 'discover' }), nothing);
  });

  it('links with change dates use at most half of their host’s pace', () => {
    const trust = { fromSitemap: 0, proved: 0, lastDueS: nowS };
    assert.deepEqual(refreshed({ link: newer, trust }).due, [[nowS + 2, true]]);
    assert.deepEqual(refreshed({ link: newer, trust, policy: { delayMs: 1_001 } }).due, [[nowS + 3, true]]);
    assert.deepEqual(refreshed({ link: newer, trust: { ...trust, lastDueS: nowS - 9 } }).due, [[nowS, true]]);
    assert.deepEqual(refreshed({ link: newer, trust, dueS: nowS + 2 }).due, []);
    assert.deepEqual(refreshed({ link: newer, trust, dueS: nowS + 3 }).due, [[nowS + 2, true]]);
  });

  it('a link with a change date of a distrusted host counts for one page in sixteen, each time another', () => {
    const counted = Array.from({ length: 16 }, (_, reported) => {
      const { isReported, due } = refreshed({
        link: newer,
        trust: { fromSitemap: 16 + reported, proved: 0, lastDueS: 0 },
      });
      assert.equal(isReported, true);
      return due.length;
    });
    assert.equal(counted.filter((count) => count === 1).length, 1);
    const state = new Deciding().state;
    assert.equal(counted.indexOf(1), state.fingerprintOf(urlAt(0))[1]! & 15);
  });
});

describe('a request to revisit a page', () => {
  it('a request to revisit a page is met now, by a push or by force', () => {
    for (const one of [{ link: push }, { intent: 'force' } as const]) {
      assert.deepEqual(refreshed(one), { isReported: true, due: [[nowS, false]] });
      assert.deepEqual(refreshed({ ...one, dueS: nowS }), { isReported: true, due: [] });
      assert.deepEqual(refreshed({ ...one, dueS: nowS + 1 }).due, [[nowS, false]]);
      assert.deepEqual(refreshed({ ...one, out: true }).due, [[nowS, false]], 'once its lease is over');
      assert.deepEqual(refreshed({ ...one, out: true, pushed: true }), { isReported: true, due: [] });
      assert.equal(refreshed({ ...one, fromSitemap: true, dueS: nowS + 9 }).due.length, 1);
    }
  });

  it('a request to revisit a page is distinguished from a sitemap’s date', () => {
    assert.equal(isPush('refresh', { ...blankLink, ...push }), true);
    assert.equal(isPush('discover', { ...blankLink, ...push }), false);
    assert.equal(isPush('refresh', { ...blankLink, ...push, lastModifiedMs: 1 }), false);
    assert.equal(isPush('refresh', { ...blankLink, ...push, priority: 1 }), false);
    assert.equal(isPush('refresh', { ...blankLink, ...push, priority: -1 }), false);
  });
});

it('an unscheduled page cannot be refreshed', () => {
  assert.deepEqual(refreshed({ link: newer, fingerprint: [1, 2] }), { isReported: false, due: [] });
});

it('dates are believed until four of them were checked, and then while half proved true', () => {
  const trusted = (reported: number, proved: number) => isTrusted({ fromSitemap: reported, proved, lastDueS: 0 });
  assert.equal(isTrusted(undefined), true);
  assert.deepEqual(
    [trusted(3, 0), trusted(4, 0), trusted(4, 1), trusted(4, 2), trusted(5, 2), trusted(6, 3)],
    [...[true, false, false, true, false, true]],
  );
});
