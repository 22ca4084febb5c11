/**
 * The world `quota`: two real partitions that share a page quota by messages (docs/design.md §4.13). Messages are sent
 * late, twice, or only by the next owner.
 */
import type { Discovered } from '../../../schemas/types.ts';
import { crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import { Copies } from '../claims/copies.ts';
import { Deciders } from '../claims/deciders.ts';
import { linkTo } from '../claims/setting.ts';
import { LogTree } from '../engine/append-only.ts';
import { Violation, type World } from '../engine/explore.ts';
import { endsFairly } from '../engine/fair-end.ts';
import { fairMoves, moves, type Play, timePasses } from './moves.ts';
import { pageQuota, partitions, policyEvent, seeds, startMs } from './setting.ts';
import { hashState, type Left, type Side, Sides, type State } from './state.ts';

export const quotaAllowed: Left = { kills: 2, repeats: 2 };

export function createQuotaWorld(allowed: Left): World<State> {
  const copies = new Copies();
  const identities = [0, 1].map((partition) => ({ crawl: 'explored', partition, partitions }));
  const play: Play = {
    copies,
    deciders: identities.map((identity) => new Deciders(copies, identity)),
    sides: new Sides(),
    control: new LogTree(),
    results: new LogTree(),
  };
  const calm = (state: State) => ({ ...state, left: { kills: 0, repeats: 0 } });
  return {
    first: { nowMs: startMs, sides: [firstSide(play, 0), firstSide(play, 1)], left: allowed },
    moves: (state) => moves(play, state),
    hash: hashState,
    check,
    checkEnd: endsFairly({
      calm,
      next: (state) => fairMoves(play, state, 0)[0] ?? fairMoves(play, state, 1)[0] ?? timePasses(state),
      isOver: (state) => endOf(state) !== null,
      check,
      hash: hashState,
    }),
  };
}

/** Its owner has just opened it, with the policy and its seeds in its inputs. */
function firstSide({ copies, deciders, sides, control, results }: Play, at: number): Side {
  const own = deciders[at]!;
  const claimed = copies.append(copies.tree.empty, own.claim(copies.tree.empty, startMs, `first of ${at}`));
  const discovered = new LogTree<Discovered>();
  const links = seeds[at]!.map((url) => linkTo(url));
  return sides.side({
    partition: at,
    decider: own.open(claimed, null, startMs),
    control: control.append(control.empty, 'policy', policyEvent()),
    results: results.empty,
    discovered: links.reduce((log, one) => discovered.append(log, JSON.stringify(one), one), discovered.empty),
    unsent: [],
    tasks: [],
  });
}

function endOf({ sides }: State): ReturnType<typeof crawlEnd> {
  const look: Look = {
    partitions: sides.map(({ decider, control, results, discovered }) => ({
      positions: decider.copy.positions,
      counters: decider.copy.counters,
      ends: { control: control.length, results: results.length, discovered: discovered.length },
    })),
    pageQuota,
  };
  return crawlEnd(look, look);
}

/** Never more pages than the quota, and at the end exactly as many. */
function check(state: State): void {
  const counters = state.sides.map(({ decider }) => decider.copy.counters);
  const all = sumCounters(counters);
  const given = all.quotaGranted - all.quotaReturned;
  if (given > pageQuota) throw new Violation(`quota: the partitions have ${given} of ${pageQuota} pages`);
  for (const [partition, { quotaGranted, quotaReturned, quotaSpent }] of counters.entries())
    if (quotaSpent > quotaGranted - quotaReturned)
      throw new Violation(
        `quota: partition ${partition} spends ${quotaSpent} pages of ${quotaGranted - quotaReturned}`,
      );
  const end = endOf(state);
  if (end !== null && (end !== 'quotaSpent' || all.page !== pageQuota))
    throw new Violation(`end: the crawl is declared over (${end}) with ${all.page} of ${pageQuota} pages`);
}
