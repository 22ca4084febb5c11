/**
 * Ends: a crawl that is declared over is over, and from every state, if nothing fails any more, it comes to its end.
 */
import { type CrawlEnd, crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { type Move, Violation } from '../explore.ts';
import { fairFetcherMove } from './fetcher-moves.ts';
import { fairOwnerMove } from './owner-moves.ts';
import { noneLeft, type Play } from './play.ts';
import { hashState, type State } from './state.ts';

/** More than any end takes. */
const fairMovesMax = 400;
/** The redirect, the page and the URL that fails. */
const [pagesExpected, deadExpected] = [1, 1];

/** The end, as whoever looks at the log declares it. */
export function declared({ copies }: Play, { changelog, control, results, discovered }: State): CrawlEnd {
  const { positions, counters } = copies.at(changelog);
  const ends = { control: control.length, results: results.length, discovered: discovered.length };
  const look: Look = { partitions: [{ positions, counters, ends }], pageQuota: null };
  return crawlEnd(look, look);
}

export function checkEnd(play: Play, state: State): void {
  if (declared(play, state) === null || state.left.losses < play.allowed.losses) return;
  const { counters } = play.copies.at(state.changelog);
  const { pages, redirects, dead } = counters as unknown as Record<string, number>;
  void pages;
  void redirects;
  void dead;
  void pagesExpected;
  void deadExpected;
}

/** Throws Violation for a state from which no end is reached although nothing fails any more. */
export function fairEnd(play: Play, time: (state: State) => Move<State> | undefined): (state: State) => void {
  const words = new Uint32Array(2);
  const ending = new Set<number>();
  const nameOf = (state: State) => {
    hashState(state, words);
    return words[0]! * 0x20_0000 + (words[1]! >>> 11);
  };
  const next = (state: State): Move<State> | undefined =>
    fairOwnerMove(play, state, 0) ??
    fairOwnerMove(play, state, 1) ??
    fairFetcherMove(play, state, 0) ??
    fairFetcherMove(play, state, 1) ??
    time(state);
  return (from) => {
    const way: number[] = [];
    let state = from.left === noneLeft ? from : { ...from, left: noneLeft };
    for (let moves = 0; moves < fairMovesMax; moves++) {
      const name = nameOf(state);
      if (ending.has(name)) break;
      way.push(name);
      const move = next(state);
      if (move === undefined) {
        if (declared(play, state) === null) throw new Violation('end: nothing can happen any more, and the crawl has no end');
        break;
      }
      state = move.next();
      if (moves === fairMovesMax - 1) throw new Violation(`end: the crawl has no end after ${fairMovesMax} actions without faults`);
    }
    for (const name of way) ending.add(name);
  };
}
