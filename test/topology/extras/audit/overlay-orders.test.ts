/** Overlays as audits read them, against the matching that crawls go by, and orders of webmasters among them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { createOrders } from '../../../../topology/extras/audit/orders.ts';
import { type OverlayOrders, overlaidPace, robotsReason } from '../../../../topology/extras/audit/overlay-orders.ts';
import { compileMatching } from '../../../../topology/policy/overlay-matching.ts';
import { type Draw, drawFrom } from '../../../kept/drawn.ts';

const hosts = ['a.test', 'b.a.test', 'ba.test', 'test', 'a.test:8080', 'b.a.test:81', '192.0.2.1', '2.0.2.1'];
const surts = ['(test,a,', '(test,a,)/', 'test,a,)/', '(TEST,a,:8080)/', '(test,', '(test,a,b,)/', '(192.0.2.1)/'];

function drawnOverlay(draw: Draw, number: number): OverlayOrders {
  const some = <T>(chance: number, value: () => T) => (draw.percent(chance) ? value() : undefined);
  const match = {
    hosts: some(40, () => draw.list(2, () => draw.of([...hosts, 'A.test']))),
    domains: some(40, () => [draw.of(['a.test', '.A.test', 'test.', 'b.a.test'])]),
    surts: some(40, () => [draw.of(surts)]),
  };
  const set = {
    delayMs: some(40, () => number * 100),
    delayFactor: some(40, () => number),
    leases: some(40, () => number + 1),
    robotsNotAsked: some(40, () => draw.of([null, `reason ${number}`])),
  };
  // As JSON has it: what is undefined is not there.
  return JSON.parse(JSON.stringify({ name: `o${number}`, match, set }));
}

describe('overlays of a policy', () => {
  it('overlays of a policy set the pace of the hosts for crawls, each field by the last overlay with it', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const draw = drawFrom(seed);
      const overlays = draw.list(1 + draw.below(4), () => 0).map((_, number) => drawnOverlay(draw, number));
      const matching = compileMatching(overlays as never);
      for (const host of hosts) {
        const mine = matching.ofHost(host).map((number) => overlays[number]!);
        const last = <T>(of: (set: OverlayOrders['set']) => T | undefined) =>
          mine.findLast(({ set }) => of(set) !== undefined);
        const wanted = {
          name: last(({ delayMs, delayFactor, leases }) => delayMs ?? delayFactor ?? leases)?.name,
          delayMs: last(({ delayMs }) => delayMs)?.set.delayMs,
          delayFactor: last(({ delayFactor }) => delayFactor)?.set.delayFactor,
          leases: last(({ leases }) => leases)?.set.leases,
        };
        const { name, delayMs, delayFactor, leases } = overlaidPace(overlays, host);
        const reported = `seed ${seed}, ${host}: ${JSON.stringify(overlays)}`;
        assert.deepEqual({ name, delayMs, delayFactor, leases }, wanted, reported);
        const reason = last(({ robotsNotAsked }) => robotsNotAsked)?.set.robotsNotAsked ?? null;
        assert.equal(robotsReason(overlays, host), reason, reported);
      }
    }
  });

  it('overlays of a policy are named as the source, and give way to an operator', () => {
    const overlays = [
      { name: 'slow', match: { hosts: ['a.test'] }, set: { delayMs: 7_000, delayFactor: 9, leases: 4 } },
    ];
    const orders = createOrders(1_000);
    const payload = JSON.stringify({ delayMs: 1_000, delayFactor: 2, delayFactorCapMs: 3_000, overlays });
    orders.note({ ...blankControl, kind: 'policy', version: 1, payload });
    const slow = { delayMs: 7_000, factor: 9, factorCapMs: 3_000, hostSlots: 4 };
    assert.deepEqual(orders.paceOf('a.test', 0, 1), { ...slow, source: 'policy 1, overlay slow' });
    orders.note({ ...blankControl, kind: 'hostDelay', hostKey: 'a.test', amount: 20, atMs: 0 });
    orders.note({ ...blankControl, kind: 'hostLeases', hostKey: 'a.test', amount: 2, atMs: 0 });
    const byHand = { ...slow, delayMs: 20, hostSlots: 2, source: 'the delay that an operator set for the host' };
    assert.deepEqual(orders.paceOf('a.test', 5_000, 1), byHand);
  });
});

it('a host is blocked by an operator or a webmaster, and released by the blocker or an operator', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const draw = drawFrom(seed);
    const orders = createOrders(1_000);
    const events = draw
      .list(1 + draw.below(6), () => 0)
      .map((_, at): Control & { isTheirs: boolean } => {
        const isTheirs = draw.percent(50);
        return {
          ...{ ...blankControl, kind: draw.of(['blockHost', 'blockHost', 'releaseHost']), hostKey: 'a.test', isTheirs },
          ...{ atMs: at * 10, payload: isTheirs ? '{"webmaster":true}' : draw.of(['', '{}', 'null', '{']) },
        };
      });
    for (const event of events) orders.note(event);
    for (const atMs of [0, 5, 10, 15, 25, 30, 45, 99]) {
      let [own, theirs]: (number | null)[] = [null, null];
      for (const { kind, isTheirs, atMs: sinceMs } of events.filter((one) => one.atMs <= atMs)) {
        const now = kind === 'blockHost' ? sinceMs : null;
        if (isTheirs) theirs = now;
        else if (kind === 'blockHost') own = now;
        else own = theirs = null;
      }
      const since = [own, theirs].filter((one) => one !== null && one !== undefined) as number[];
      const wanted = since.length === 0 ? null : Math.min(...since);
      assert.equal(orders.blockedSince('a.test', atMs), wanted, `seed ${seed} at ${atMs}`);
    }
  }
});

it('robots.txt is not needed if a policy in force then, or shortly before, says so', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const draw = drawFrom(seed);
    const orders = createOrders(1_000);
    const policies = draw
      .list(1 + draw.below(4), () => 0)
      .map((_, at) => ({
        version: at + 1,
        atMs: at * draw.of([400, 700, 1_500]),
        reason: draw.of([null, `reason ${at}`]),
      }));
    policies.sort((a, b) => a.atMs - b.atMs);
    for (const { version, atMs, reason } of policies) {
      const overlays = [{ name: 'o', match: { hosts: ['a.test'] }, set: { robotsNotAsked: reason } }];
      orders.note({ ...blankControl, kind: 'policy', version, atMs, payload: JSON.stringify({ overlays }) });
    }
    for (const atMs of [0, 399, 400, 999, 1_000, 1_400, 1_700, 2_500, 5_499, 5_500]) {
      const held = policies.filter(
        (one, at) => one.atMs <= atMs && !policies.slice(at + 1).some((later) => later.atMs <= atMs - 1_000),
      );
      const wanted = held.find(({ reason }) => reason !== null)?.reason ?? null;
      assert.equal(orders.robotsReason('a.test', atMs), wanted, `seed ${seed} at ${atMs}: ${JSON.stringify(policies)}`);
      assert.equal(orders.robotsReason('b.test', atMs), null);
    }
  }
});
