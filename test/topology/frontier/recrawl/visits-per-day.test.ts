import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { DueDays } from '../../../../topology/frontier/recrawl/due-days.ts';
import type { RecrawlRule } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const day = 86_400_000;
const daily: RecrawlRule = { hosts: ['h0.test', 'h1.test'], schedule: 'fixed', intervalMs: day };

/** Fetches of each day of a crawl of 20 hosts with 20 pages; its frontier is restarted every day. */
function fetchesByDay(fetchesPerDay: number | null, days: number, rules: readonly RecrawlRule[] = []): number[] {
  const recrawl = {
    schedule: 'optimal',
    intervalMs: 7 * day,
    fetchesPerDay,
    share: 0.5,
    errorMs: day,
    goneMs: day,
    rules,
  };
  const hand = new Hand({ delayMs: 1_000, scope: { kind: 'all', names: [] }, recrawl } as never);
  hand.nowMs = Date.UTC(2026, 0, 1);
  const startMs = hand.nowMs;
  for (let host = 0; host < 20; host++) hand.links(`h${host}.test`, 20);
  const fetches = new Array<number>(days).fill(0);
  for (let visit = 0, today = 0; ; ) {
    const wakeAtMs = hand.rig.core.wakeAtMs(20) ?? hand.nowMs + day;
    hand.nowMs = Math.max(hand.nowMs + 1_000, Math.min(wakeAtMs, hand.nowMs + day / 4));
    const now = Math.floor((hand.nowMs - startMs) / day);
    if (now >= days) return fetches;
    if (now > today) {
      today = now;
      hand.rig.reopen(hand.nowMs, true);
    }
    for (const task of hand.grant(0, 20)) {
      fetches[now]! += task.urls.length;
      hand.report(task, { contentHash: `c${Math.floor(visit++ / 3)}` });
    }
  }
}

it('a policy with 25 visits a day visits 25 pages again each day, also after the first interval of all pages has passed', () => {
  const [first, ...later] = fetchesByDay(25, 24);
  assert.equal(first, 400);
  assert.deepEqual(later.slice(0, 6), [0, 0, 0, 0, 0, 0]);
  for (const fetches of later) assert.ok(fetches <= 25, later.join(' '));
  assert.ok(
    later.slice(8).every((fetches) => fetches >= 20),
    later.join(' '),
  );
});

it('pages with a fixed interval of their own are visited at it, beside the visits a day of the others', () => {
  const [, ...later] = fetchesByDay(25, 20, [daily]);
  for (const fetches of later) assert.ok(fetches >= 40 && fetches <= 65, later.join(' '));
});

it('without a number of visits a day all pages of one day are due again on one day', () => {
  assert.equal(fetchesByDay(null, 10)[7], 400);
});

it('a visit for which no day has room is due in ten years', () => {
  const days = new DueDays();
  days.count(0, 1);
  assert.equal(days.withRoom(5, 1), 5 + 86_400);
  assert.equal(days.withRoom(5, 0), 5 + 3_650 * 86_400);
});
