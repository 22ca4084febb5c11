/** What an audit finds in results of every kind, polite and not, as it was when it was kept. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankControl, blankOutcome, blankRequest, blankResult } from '../../../../schemas/blank.ts';
import type { Control, Request, Result } from '../../../../schemas/types.ts';
import { type AuditOptions, createAudit } from '../../../../topology/extras/audit/audit.ts';
import { createOrders, type Orders } from '../../../../topology/extras/audit/orders.ts';
import { readForReferee } from '../../../../topology/extras/audit/robots-referee.ts';
import { violationText } from '../../../../topology/extras/audit/violation.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { bySeed, type Draw, drawFrom } from '../../../kept/drawn.ts';
import { drawnRobots, pathOf } from '../../robots/drawn-robots.ts';

const beginMs = 1_700_000_000_000;
const hosts = ['a.test', 'b.test', 'c.test:8080', 'www.a.test', '192.0.2.1'] as const;

function order(draw: Draw, version: number, nowMs: number): Partial<Control> {
  const hostKey = draw.of(hosts);
  const policy = {
    delayMs: draw.of([500, 1_000]),
    delayFactor: draw.of([0, 2]),
    delayFactorCapMs: 5_000,
    parallel: draw.of([[], [{ hosts: ['a.test'], leases: 2 }]]),
  };
  return {
    atMs: nowMs,
    hostKey,
    ...draw.of<Partial<Control>>([
      { kind: 'policy', version, payload: JSON.stringify(policy) },
      { kind: 'hostDelay', amount: draw.of([-1, 0, 2_000]) },
      { kind: 'hostLeases', amount: draw.of([-1, 1, 3]) },
      { kind: 'blockHost' },
      { kind: 'releaseHost' },
      { kind: 'raise' },
    ]),
  };
}

type More = (orders: Orders) => Partial<AuditOptions>;

function* audited(draw: Draw, more: More = () => ({})): Generator<unknown> {
  const orders = createOrders(draw.of([0, 300]));
  const found: unknown[] = [];
  const files = new Map(
    ['', 'h1', 'h2'].map((hash) => [hash, readForReferee(Buffer.from(drawnRobots(draw)), 'crawlstream')]),
  );
  const audit = createAudit({
    orders,
    skewMs: draw.of([0, 50]),
    noticeMs: draw.of([0, 300]),
    fromMs: beginMs + draw.of([0, 3_000]),
    copyOf: (_, hash) => (hash === 'h2' ? { rules: null } : hash === 'lost' ? undefined : { rules: files.get(hash)! }),
    ...more(orders),
    onViolation: (violation) => found.push([violation, violationText(violation)]),
    onContact: (contact, request) => found.push([contact.host, contact.pace, contact.crawlDelayMs, request.kind]),
  });
  let nowMs = beginMs;
  orders.note({
    ...blankControl,
    ...order(draw, 1, nowMs),
    kind: 'policy',
    version: 1,
    payload: '{"delayMs":1000,"delayFactor":1,"delayFactorCapMs":4000}',
  });
  for (let round = 1; round <= 40; round++) {
    nowMs += draw.of([0, 10, 400, 999, 1_000, 1_001, 5_000, 3_600_000]);
    if (draw.percent(25)) orders.note({ ...blankControl, ...order(draw, round, nowMs) });
    audit.take(result(draw, nowMs), { topic: 't.results', partition: draw.below(2), offset: round });
    yield found.splice(0);
  }
  yield audit.counts();
}

function result(draw: Draw, nowMs: number): Result {
  const host = draw.of(hosts);
  let atMs = nowMs;
  const request = (): Request => {
    const startMs = atMs;
    atMs += draw.of([5, 5, 200, 1_500]);
    const endMs = atMs;
    atMs += draw.of([0, 500, 999, 1_000, 1_000, 1_001, 2_000]);
    const kind = draw.of(['page', 'page', 'page', 'robots', 'sitemap', 'other'] as const);
    return {
      ...blankRequest,
      kind,
      url: `http${draw.of(['', 's'])}://${draw.percent(90) ? host : draw.of(hosts)}${kind === 'robots' ? '/robots.txt' : pathOf(draw)}`,
      startMs,
      endMs,
      hop: draw.percent(10) ? 1 : 0,
      status: draw.of([200, 200, 200, 0, 304, 404, 429, 503]),
      address: draw.of(['', '192.0.2.1', '192.0.2.1', '192.0.2.2']),
      delayMs: draw.of([0, 1_000, 2_000]),
      robotsHash: draw.of(['', 'h1', 'h1', 'h2', 'lost']),
      robotsAtMs: draw.of([0, startMs - 1_000, startMs - 1_000, startMs - 90_000_000, beginMs]),
      retryAfterMs: draw.percent(10) ? draw.of([1_000, 5_000, 100_000_000]) : 0,
      addressDelayMs: draw.of([0, 0, 300]),
      unverified: draw.percent(10),
    };
  };
  return {
    ...blankResult,
    partition: draw.below(2),
    leaseId: draw.below(12),
    hostKey: host,
    fetcherId: draw.of(['f1', 'f1', 'f2', 'render-1']),
    last: draw.percent(80),
    completedAtMs: atMs,
    outcomes: draw.percent(50) ? [{ ...blankOutcome, url: `http://${host}/`, kind: 'fetched', status: 200 }] : [],
    requests: draw.list(1 + draw.below(4), request),
    host: { ...blankResult.host, robotsStatus: draw.of(['rules', 'unknown']), crawlDelayMs: draw.of([-1, 1_500]) },
    grantedAtMs: draw.percent(80) ? nowMs - draw.below(800) : 0,
    policyVersion: draw.below(3),
    lanes: 1 + draw.below(2),
  };
}

it('results of every kind are judged as recorded', () =>
  assertKept(new URL('audited.json', import.meta.url), bySeed(40, audited)));

it('forgotten facts of long idle hosts bind no request', () => {
  const swept =
    (sweepEvery: number): More =>
    (orders) => ({
      sweepEvery,
      domainOf: () => 'one.test',
      orders: { ...orders, paceOf: (...of) => ({ ...orders.paceOf(...of), ofDomain: true }) },
    });
  for (let seed = 1; seed <= 12; seed++) {
    const [kept, forgotten] = [1_000_000, 1].map((every) => [...audited(drawFrom(seed), swept(every))]);
    assert.deepEqual(forgotten, kept, `seed ${seed}`);
  }
});
