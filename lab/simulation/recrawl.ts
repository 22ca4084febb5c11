/**
 * Worlds with revisits until the crawl is paused: the schedules, the changes of pages, and the checks of visits.
 *
 * - No page is visited before the time that the last visit set, even after a crash; once a policy with another schedule
 *   has come, before the shortest time of all.
 * - Without faults, no page that can be visited again is left out.
 * - Neither discovery nor refresh runs further ahead of its share than `RecrawlState` allows.
 */
import type { FrontierState } from '../../topology/frontier/state/state.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../topology/policy/recrawl/recrawl-config.ts';
import { type Chance, chanceOf } from './chance.ts';

/** From the end of discovery to the pause: every page of the slowest host is visited twice. ms */
export const refreshingMs = 200_000;

/** No schedule visits a page sooner again, ms. */
const shortestMs = 10_000;

/** null: pages are visited once. */
export function drawRecrawl(seed: number): RecrawlConfig | null {
  const chance = chanceOf(seed, 'recrawl');
  return chance.happens(0.05) ? drawSchedule(chance) : null;
}

/** Another schedule by which pages that wait are due from then on. */
export interface ChangedRecrawl {
  /** ms from the start of the run. */
  readonly at: number;
  readonly recrawl: RecrawlConfig;
}

/** Later policies of a world with revisits, in order. Two may come so soon one after another that a walk is not over. */
export function drawChangedRecrawls(seed: number): readonly ChangedRecrawl[] {
  const chance = chanceOf(seed, 'changed recrawl');
  const times = Array.from({ length: chance.between(0, 3) }, () =>
    chance.happens(0.5) ? chance.between(1_000, 90_000) : chance.between(40_000, 40_020),
  );
  return times.sort((a, b) => a - b).map((at) => ({ at, recrawl: drawSchedule(chance) }));
}

function drawSchedule(chance: Chance): RecrawlConfig {
  const intervalMs = chance.between(20, 60) * 1_000;
  return {
    ...defaultRecrawl,
    schedule: chance.pick(['fixed', 'adaptive', 'optimal', 'importance']),
    intervalMs,
    minMs: shortestMs,
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
      const waitMs = 1_000 * history.intervalS;
      const leastMs = state.recrawl.retiming === null ? waitMs : Math.min(waitMs, shortestMs);
      const earlyMs = visitedAtMs + leastMs - state.nowMs;
      if (earlyMs > 0) violate(`${where} visits ${record.url} again ${earlyMs} ms before it is due`);
    }
  }
  const { credit } = state.recrawl;
  if (Math.abs(credit) > creditMax) violate(`${where} owes ${credit} thousandths of a fetch to its share of refresh`);
}

/** The bound is in recrawl-state.ts. */
const creditMax = 64_000;
