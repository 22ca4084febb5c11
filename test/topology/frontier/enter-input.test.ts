import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import { controlOf } from '../../../lab/model/model-script.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';

const day = 86_400_000;
const policy: Partial<PolicyConfig> = {
  scope: { kind: 'all', names: [] },
  delayMs: 1_000,
  budget: { key: 'host', base: 5, perSource: 1, max: 9, refillMs: 60_000 },
  score: defaultScore,
  traps: defaultTraps,
  recrawl: { ...defaultRecrawl, hubs: { newUrls: 3 } },
};
const extremes = [-1, 2 ** 53 - 1, -(2 ** 53), Number.NaN];

type Fields = Record<string, unknown>;
/** Each numeric field of a record, as a record that has something else there. */
function* changed(record: Fields): Generator<[string, Fields]> {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'number') for (const to of extremes) yield [`${name} = ${to}`, { ...record, [name]: to }];
    if (Array.isArray(value) && typeof value[0] === 'object' && !(value instanceof Uint8Array))
      for (const [what, first] of changed(value[0]))
        yield [`${name}[0].${what}`, { ...record, [name]: [first, ...value.slice(1)] }];
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [what, part] of changed(value as Fields)) yield [`${name}.${what}`, { ...record, [name]: part }];
  }
}

function opened(given = policy): Hand {
  const hand = new Hand(given);
  hand.nowMs = Date.UTC(2026, 0, 1);
  hand.links('a.test', 12);
  return hand;
}

/** The partition goes on, and its state is that of its replay. */
function assertSound(hand: Hand, what: string): void {
  for (let i = 0; i < 2; i++) for (const task of hand.grant(1_500, 3)) hand.report(task);
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state), what);
  for (const [name, value] of Object.entries(hand.counters))
    assert.ok(Number.isSafeInteger(value) && value >= 0, `${what}: counter ${name} is ${value}`);
}

describe('an impossible number', () => {
  it('an impossible number in any field of discovered stops no partition, and the state equals that of its replay', () => {
    const record = opened().linksRecord(['https://a.test/new']) as unknown as Fields;
    for (const [what, one] of changed(record)) {
      const hand = opened();
      hand.rig.send('discovered', one as never);
      hand.rig.step(hand.nowMs, 0);
      assertSound(hand, what);
    }
  });

  it('an impossible number in any field of results stops no partition, and the state equals that of its replay', () => {
    const whole = opened();
    const record = whole.resultOf(whole.lease(), () => ({})) as unknown as Fields;
    for (const [what, one] of changed(record)) {
      const hand = opened();
      hand.lease();
      hand.rig.send('results', one as never);
      hand.rig.step(hand.nowMs, 0);
      assertSound(hand, what);
    }
  });

  it('an impossible number in any field of an event of control stops no partition, and the state equals that of its replay', () => {
    for (const kind of [
      'quota',
      'quotaReport',
      'hostDelay',
      'hostLimit',
      'hostLeases',
      'budget',
      'readSitemaps',
    ] as const)
      for (const [what, one] of changed(controlOf({ kind, hostKey: 'a.test' }) as unknown as Fields)) {
        const hand = opened();
        hand.rig.send('control', one as never);
        hand.rig.step(hand.nowMs, 0);
        assertSound(hand, `${kind}: ${what}`);
      }
  });

  it('an order about a host key of more bytes than the table of hosts takes becomes a dead letter that says so', () => {
    for (const hostKey of ['x'.repeat(1_025), 'é'.repeat(513), '\ud800'.repeat(400)]) {
      const hand = opened();
      hand.rig.send('control', controlOf({ kind: 'hostDelay', hostKey, amount: 5 }));
      const step = hand.rig.step(hand.nowMs, 0)!;
      assert.match(step.deadLetters[0]!.detail, /^hostKey has \d+ bytes, but must have at most 1024/);
      assertSound(hand, hostKey.slice(0, 3));
    }
  });

  it('an impossible number is named by the dead letter of its group, and the record’s other groups are admitted', () => {
    const hand = opened();
    const [good] = hand.linksRecord(['https://a.test/good']).groups;
    const [bad] = hand.linksRecord(['https://a.test/bad']).groups;
    hand.rig.send('discovered', { groups: [{ ...bad!, depth: -7 }, good!] });
    const step = hand.rig.step(hand.nowMs, 0)!;
    assert.equal(hand.counters.admitted, 13);
    assert.equal(hand.counters.undecodable, 1);
    const [deadLetter] = step.deadLetters;
    assert.deepEqual(
      [deadLetter!.reason, deadLetter!.hostKey, deadLetter!.url],
      ['undecodable', 'a.test', 'https://a.test/bad'],
    );
    assert.match(deadLetter!.detail, /^groups\[0\]\.depth is -7, but must be from 0/);
  });
});

describe("a fetcher's clock", () => {
  for (const aheadMs of [3_600_000, 365 * day, 2 ** 52])
    it(`a fetcher's clock that is ${aheadMs} ms ahead delays the host by its delay, from when the result is read`, () => {
      const hand = opened({ delayMs: 1_000 });
      const result = hand.resultOf(hand.lease(), () => ({}));
      hand.rig.send('results', { ...result, completedAtMs: hand.nowMs + aheadMs });
      hand.rig.step(hand.nowMs, 0);
      assert.equal(hand.rig.core.wakeAtMs(1)! - hand.nowMs, 1_000);
    });

  it("a fetcher's clock a year behind lets nobody contact the host before its delay has passed", () => {
    const hand = opened({ delayMs: 1_000 });
    const task = hand.lease();
    const result = hand.resultOf(task, () => ({}));
    hand.rig.send('results', { ...result, grantedAtMs: task.grantedAtMs, completedAtMs: hand.nowMs - 365 * day });
    hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.rig.core.wakeAtMs(1)! - hand.nowMs, 1_000);
  });
});

describe('a visit that is due', () => {
  it('a visit that is due in more than 80 years is not due at once', () => {
    const hand = new Hand({
      ...policy,
      recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 36_500 * day, maxMs: 36_500 * day },
    });
    hand.nowMs = Date.UTC(2026, 0, 1);
    hand.links('a.test', 1);
    hand.report(hand.lease());
    for (let year = 1; year < 50; year++) {
      hand.nowMs += 365 * day;
      assert.deepEqual(hand.grant(0, 1), [], `in ${year} years`);
    }
  });
});
