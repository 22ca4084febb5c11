/**
 * The policies that the freshness bench compares. Each answers one question: after this visit, when is the next? All
 * but the oracle and `proportional`, which know the true rates, know only the results of their visits.
 */
import { type AdaptiveConfig, adaptivePresets, adaptiveVisit } from '../../../topology/policy/recrawl/adaptive.ts';
import { boundedDays, priceOfVisit } from '../../../topology/policy/recrawl/allocation.ts';
import { changesPerDay, daySeconds } from '../../../topology/policy/recrawl/change-rate.ts';
import { noHistory, type PageHistory, visited } from '../../../topology/policy/recrawl/history.ts';
import { classOf, RateClasses } from '../../../topology/policy/recrawl/rate-classes.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl } from '../../../topology/policy/recrawl/schedule.ts';

export interface FreshnessPolicy {
  /** Days until the next visit. `changed` null: the first one. */
  next(page: number, day: number, sinceDays: number, changed: boolean | null): number;
}

export interface World {
  readonly rates: Float64Array;
  readonly visitsPerDay: number;
}

export const policyNames = ['oracle', 'optimal', 'adaptive', 'nutch', 'stormcrawler', 'fixed', 'proportional'] as const;
export type PolicyName = (typeof policyNames)[number];

export function createPolicy(name: PolicyName, world: World): FreshnessPolicy {
  switch (name) {
    case 'oracle':
      return oracle(world);
    case 'optimal':
      return optimal(world);
    case 'fixed':
      return { next: () => world.rates.length / world.visitsPerDay };
    case 'proportional': {
      const total = world.rates.reduce((sum, rate) => sum + rate, 0);
      return { next: (page) => total / (world.rates[page]! * world.visitsPerDay) };
    }
    default:
      return adaptive(adaptivePresets[name], world.rates.length);
  }
}

/** Without bounds: the oracle need not visit the pages that it gives up. */
const unbounded = { minDays: 0, maxDays: Number.POSITIVE_INFINITY };
const weights = new Array<number>(8).fill(1);

function oracle({ rates, visitsPerDay }: World): FreshnessPolicy {
  const classes = new RateClasses();
  for (const rate of rates) classes.count(classOf(rate, 0), 1);
  const price = priceOfVisit(classes, weights, visitsPerDay, unbounded);
  return { next: (page) => boundedDays(rates[page]!, 1, price, unbounded) };
}

/** The frontier's own policy: rates estimated from visits, and a new price each day. */
function optimal({ rates, visitsPerDay }: World): FreshnessPolicy {
  const recrawl = compileRecrawl({ ...defaultRecrawl, intervalMs: (rates.length / visitsPerDay) * daySeconds * 1_000 });
  const histories: PageHistory[] = Array.from(rates, () => noHistory);
  const counted = new Int32Array(rates.length).fill(-1);
  const classes = new RateClasses();
  let price = 0;
  let pricedOn = -1;
  return {
    next(page, day, sinceDays, changed) {
      if (changed !== null) histories[page] = visited(histories[page]!, sinceDays * daySeconds, changed);
      const history = histories[page]!;
      const rate = changesPerDay(history);
      if (rate !== null) {
        if (counted[page]! >= 0) classes.count(counted[page]!, -1);
        counted[page] = classOf(rate, 0);
        classes.count(counted[page]!, 1);
      }
      if (Math.floor(day) > pricedOn) {
        pricedOn = Math.floor(day);
        price = recrawl.priceFor(classes);
      }
      const visit = { url: '', kind: 'page', history, changed, sinceChangeS: 0, frontQueue: 0 } as const;
      return recrawl.next(visit, price)!.delayS / daySeconds;
    },
  };
}

function adaptive(config: AdaptiveConfig, pages: number): FreshnessPolicy {
  const histories: PageHistory[] = Array.from({ length: pages }, () => noHistory);
  const changedAt = new Float64Array(pages);
  return {
    next(page, day, sinceDays, changed) {
      let history = histories[page]!;
      if (changed !== null) history = visited(history, sinceDays * daySeconds, changed);
      if (changed !== false) changedAt[page] = day;
      const { intervalS, delayS } = adaptiveVisit(config, history, changed, (day - changedAt[page]!) * daySeconds);
      histories[page] = { ...history, intervalS };
      return delayS / daySeconds;
    },
  };
}
