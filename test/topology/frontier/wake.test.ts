import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import { controlOf } from '../../../lab/model/model-script.ts';
import { blankResult } from '../../../schemas/blank.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { wakeAtMs } from '../../../topology/frontier/wake.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';

interface Given {
  readonly ready?: number;
  readonly nextReadyAtMs?: number;
  readonly firstMs?: number;
  readonly quotaLeft?: number;
  readonly abandoning?: number;
  /** Budgets, or drained front queues, that the next step is to look at. */
  readonly looks?: boolean;
  readonly drained?: number;
  /** A policy moves pages that wait, and has moved all. */
  readonly retimed?: boolean;
}

function wake(given: Given, demand: number, policy: Partial<PolicyConfig> = {}, graceMs = 0): number | undefined {
  const state = {
    nowMs: 1_000,
    abandoning: new Set(given.abandoning === undefined ? [] : [given.abandoning]),
    budgets: { looks: given.looks ?? false, nextRefillAtMs: undefined, size: 0 },
    shares: { drained: new Set(given.drained === undefined ? [] : [given.drained]) },
    clock: { ready: given.ready ?? 0, nextReadyAtMs: given.nextReadyAtMs },
    domainPace: { parked: { nextAtMs: undefined } },
    leases: { deadlines: { firstMs: given.firstMs } },
    robotsHops: new Map(),
    quotaLeft: given.quotaLeft ?? 0,
    recrawl: { retiming: given.retimed === undefined ? null : { done: given.retimed } },
  } as unknown as FrontierState;
  return wakeAtMs(state, compilePolicy({ ...defaultPolicy(), ...policy }), demand, { graceMs, notBeforeMs: 0 });
}

describe('the next step', () => {
  it('the next step is not due at once after an order about a budget, if the policy has no budgets', () => {
    for (const policies of [
      [{}],
      [{ budget: { key: 'host', base: 5, perSource: 1, max: 50, refillMs: 60_000 } }, {}],
    ] as Partial<PolicyConfig>[][]) {
      const hand = new Hand(policies[0]);
      for (const policy of policies.slice(1)) hand.policy(policy);
      for (const amount of [5, -1]) hand.rig.send('control', controlOf({ kind: 'budget', hostKey: 'a.test', amount }));
      for (let steps = 0; steps < 3; steps++) hand.rig.step(hand.nowMs, 10);
      assert.equal(hand.rig.core.wakeAtMs(10), undefined);
    }
  });

  it('the next step is due when a host is ready and somebody would take it', () => {
    assert.equal(wake({ nextReadyAtMs: 5_000 }, 1), 5_000);
    assert.equal(wake({ ready: 2, nextReadyAtMs: 5_000 }, 1), 1_000);
    assert.equal(wake({ ready: 2 }, 0), undefined);
    assert.equal(wake({ ready: 2 }, 1, { paused: true }), undefined);
  });

  it('the next step is due at once while a policy moves pages that wait, and not when it has moved all', () => {
    assert.equal(wake({ retimed: false }, 0, { paused: true }), 1_000);
    assert.equal(wake({ retimed: true }, 1), undefined);
  });

  it('the next step is not due while the quota is used up', () => {
    assert.equal(wake({ ready: 2 }, 1, { pageQuota: 10 }), undefined);
    assert.equal(wake({ ready: 2, quotaLeft: 1 }, 1, { pageQuota: 10 }), 1_000);
  });

  it('the next step is due at the latest when a lease expires: its deadline plus the clock margin', () => {
    assert.equal(wake({ firstMs: 4_000 }, 0, {}, 500), 4_500);
    assert.equal(wake({ firstMs: 4_000, nextReadyAtMs: 4_400 }, 1, {}, 500), 4_400);
    assert.equal(wake({ firstMs: 4_000, nextReadyAtMs: 4_600 }, 1, { paused: true }, 500), 4_500);
  });

  it('the next step is due at once while a host’s queue is being given up', () => {
    assert.equal(wake({ abandoning: 3 }, 0, { paused: true }), 1_000);
  });

  it('the next step is due at once while budgets are to be checked, or drained front queues to be opened', () => {
    assert.equal(wake({ looks: true }, 0, { paused: true }), 1_000);
    assert.equal(wake({ drained: 3 }, 0, { paused: true }), 1_000);
    assert.equal(wake({}, 0), undefined);
  });

  it('the next step is due when leases expire though the quota is used up, and when the quota is raised', () => {
    assert.equal(wake({ ready: 1, firstMs: 4_000, quotaLeft: 0 }, 1, { pageQuota: 10 }, 500), 4_500);
    assert.equal(wake({ ready: 1, firstMs: 4_000, quotaLeft: -2 }, 1, { pageQuota: 10 }, 500), 4_500);
    assert.equal(wake({ ready: 1, firstMs: 4_000, quotaLeft: -2 }, 1, { pageQuota: null }, 500), 1_000);
    assert.equal(wake({ firstMs: 4_000, nextReadyAtMs: 4_000 }, 1), 4_000);
  });

  it('the next step is due when another host’s robots.txt may be requested and somebody would take it: it costs no quota', () => {
    const hand = new Hand({ delayMs: 3_000, pageQuota: 0 });
    hand.links('a.test', 1);
    const { state, policy } = hand.rig.core;
    const hop = { url: 'https://a.test/robots.txt', asked: ['https://b.test/robots.txt'], partition: 0 };
    hand.rig.send('results', { ...blankResult, hostKey: 'a.test', robotsHops: [hop] });
    hand.rig.step(hand.nowMs, 0);
    assert.equal(state.robotsHops.size, 1);
    assert.equal(wakeAtMs(state, policy, 1, { graceMs: 0, notBeforeMs: 0 }), hand.nowMs);
    assert.equal(wakeAtMs(state, policy, 0, { graceMs: 0, notBeforeMs: 0 }), undefined);
    hand.policy({ paused: true, pageQuota: 0 });
    assert.equal(wakeAtMs(hand.rig.core.state, hand.rig.core.policy, 1, { graceMs: 0, notBeforeMs: 0 }), undefined);
  });
});
