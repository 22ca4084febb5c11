/**
 * Worlds with revisits until the crawl is paused: the schedules, the changes of pages, and the checks of visits.
 *
 * - No page is visited before the time that the last visit set, even after a crash.
 * - Without faults, no page that can be visited again is left out.
 * - Neither discovery nor refresh runs further ahead of its share than `RecrawlState` allows.
 */
import type { FrontierState } from '../../topology/frontier/state/state.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../topology/policy/recrawl/recrawl-config.ts';
import { chanceOf } from './chance.ts';

/** From the end of discovery to the pause: every page of the slowest host is visited twice. ms */
export const refreshingMs = 200_000;

/** null: pages are visited once. */
export function drawRecrawl(seed: number): RecrawlConfig | null {
  const chance = chanceOf(seed, 'recrawl');
  if (!chance.happens(0.05)) return null;
  const intervalMs = chance.between(20, 60) * 1_000;
  return {
    ...defaultRecrawl,
    schedule: chance.pick(['fixed', 'adaptive', 'optimal', 'importance']),
    intervalMs,
    minMs: 10_000,
    maxMs: 2 * intervalMs,
    share: chance.pick([0.1, 0.5, 1]),
    errorMs: chance.pick([null, 30_000]),
    goneMs: 60_000,
  };
}

/** A page's content at a time: every page changes at a separate rate, and some never do. */
export function editionOf(url: string, nowMs: number): number {
  const everyMs = [20_000, 45_000, 120_000, Number.POSITIVE_INFINITY][url.length % 4]!;
  return Math.floor(nowMs / everyMs);
}

/** Leases from number `from` on have just been granted. */
export function checkVisits(state: FrontierState, from: number, where: string, violate: (what: string) => void): void {
  for (let id = from; id < state.leases.nextId; id++) {
    for (const { record, visitedAtMs, history, failures } of state.leases.get(id)?.pages.values() ?? []) {
      if (visitedAtMs === 0 || failures > 0) continue;
      const earlyMs = visitedAtMs + 1_000 * history.intervalS - state.nowMs;
      if (earlyMs > 0) violate(`${where} visits ${record.url} again ${earlyMs} ms before it is due`);
    }
  }
  const { credit } = state.recrawl;
  if (Math.abs(credit) > creditMax) violate(`${where} owes ${credit} thousandths of a fetch to its share of refresh`);
}

/** The bound is in recrawl-state.ts. */
const creditMax = 64_000;
