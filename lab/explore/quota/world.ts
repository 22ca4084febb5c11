/**
 * The worlds `quota` and `end`: two real partitions that share a page quota by messages (docs/design.md §4.13), and that
 * come to their end. Messages are sent late, twice, or only by the next owner.
 */
import { type CrawlEnd, crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { type Counters, sumCounters } from '../../../topology/frontier/changes/counters.ts';
import { Copies } from '../claims/copies.ts';
import { Deciders } from '../claims/deciders.ts';
import { linkTo } from '../claims/setting.ts';
import { LogTree } from '../engine/append-only.ts';
import type { World } from '../engine/explore.ts';
import { endsFairly } from '../engine/fair-end.ts';
import { Violation } from '../engine/violation.ts';
import { looks, statusOf } from './looks.ts';
import { fairMoves, moves, type Play, timePasses } from './moves.ts';
import { partitions, policyEvent, type Setting, startMs } from './setting.ts';
import { hashState, type Left, type Side, Sides, type State } from './state.ts';

export const quotaAllowed: Left = { kills: 2, repeats: 2, looks: 0 };
/** A watcher declares the end. */
export const endAllowed: Left = { kills: 1, repeats: 1, looks: 4 };

export function createQuotaWorld(allowed: Left, setting: Setting): World<State> {
  const copies = new Copies();
  const identities = [0, 1].map((partition) => ({ crawl: 'explored', partition, partitions }));
  const play: Play = {
    setting,
    copies,
    deciders: identities.map((identity) => new Deciders(copies, identity)),
    sides: new Sides(),
    control: new LogTree(),
    results: new LogTree(),
    discovered: new LogTree(),
  };
  const check = (state: State) => checkState(setting, state);
  const calm = (state: State) => ({ ...state, left: { kills: 0, repeats: 0, looks: 0 } });
  return {
    first: {
      nowMs: startMs,
      sides: [firstSide(play, 0), firstSide(play, 1)],
      watcher: play.sides.watcher({ seen: null, before: null, end: null }),
      left: allowed,
    },
    moves: (state) => [...moves(play, state), ...looks(play, state)],
    hash: hashState,
    check,
    checkEnd: endsFairly({
      calm,
      next: (state) => fairMoves(play, state, 0)[0] ?? fairMoves(play, state, 1)[0] ?? timePasses(state),
      isOver: (state) => endOf(setting, state) !== null,
      check,
      hash: hashState,
    }),
  };
}

/** Its owner has just opened it, with the policy and its seeds in its inputs. */
function firstSide({ setting, copies, deciders, sides, control, results, discovered }: Play, at: number): Side {
  const own = deciders[at]!;
  const claimed = copies.append(copies.tree.empty, own.claim(copies.tree.empty, startMs, `first of ${at}`));
  const links = setting.seeds[at]!.map((url) => linkTo(url));
  return sides.side({
    partition: at,
    decider: own.open(claimed, null, startMs),
    control: control.append(control.empty, 'policy', policyEvent(setting)),
    results: results.empty,
    discovered: links.reduce((log, one) => discovered.append(log, JSON.stringify(one), one), discovered.empty),
    unsent: [],
    tasks: [],
  });
}

function endOf({ pageQuota }: Setting, { sides }: State): CrawlEnd {
  const look: Look = { partitions: sides.map(statusOf), pageQuota };
  return crawlEnd(look, look);
}

/** Never more pages than the quota, and at the end exactly as many. */
function checkState(setting: Setting, state: State): void {
  const counters = state.sides.map(({ decider }) => decider.copy.counters);
  const all = sumCounters(counters);
  const { pageQuota, pages } = setting;
  if (pageQuota !== null) checkQuota(counters, pageQuota);
  const expected = pageQuota === null ? 'done' : 'quotaSpent';
  for (const end of [endOf(setting, state), state.watcher.end])
    if (end !== null && (end !== expected || all.page !== pages))
      throw new Violation('end', `the crawl is declared over (${end}) with ${all.page} of ${pages} pages`);
}

function checkQuota(counters: readonly Counters[], pageQuota: number): void {
  const all = sumCounters(counters);
  const given = all.quotaGranted - all.quotaReturned;
  if (given > pageQuota) throw new Violation('quota', `the partitions have ${given} of ${pageQuota} pages`);
  for (const [partition, { quotaGranted, quotaReturned, quotaSpent }] of counters.entries())
    if (quotaSpent > quotaGranted - quotaReturned)
      throw new Violation(
        'quota',
        `partition ${partition} spends ${quotaSpent} pages of ${quotaGranted - quotaReturned}`,
      );
}
