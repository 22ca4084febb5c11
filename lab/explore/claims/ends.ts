/**
 * Ends: a crawl that is declared over is over, and from every state, if nothing fails any more, it comes to its end.
 */
import { crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { type Move, Violation } from '../engine/explore.ts';
import { fairFetcherMove } from './fetcher-moves.ts';
import { fairOwnerMove } from './owner-moves.ts';
import { calm, hasLost, type Play } from './play.ts';
import { hashState, type State } from './state.ts';

/** More than any end takes. */
const fairMovesMax = 400;

/** Is the crawl over, for whoever looks at the log? */
export function isDeclared({ copies }: Play, state: State): boolean {
  const { positions, counters } = copies.at(state.changelog);
  const ends = { control: state.control.length, results: state.results.length, discovered: state.discovered.length };
  const look: Look = { partitions: [{ positions, counters, ends }], pageQuota: null };
  return crawlEnd(look, look) !== null;
}

/** Everything that could be fetched was: the page, once; the redirect was followed; the URL that fails was given up on. */
export function checkEnd(play: Play, state: State): void {
  if (!isDeclared(play, state)) return;
  const { admitted, page, redirected, dead } = play.copies.at(state.changelog).counters;
  const places = `${admitted} URLs, of them ${page} pages, ${redirected} redirects and ${dead} dead`;
  // Without the lost records nobody knows of a seed's request, and fetchers may fail the URL more often than is seen.
  const isRight = admitted === 3 && page === 1 && redirected === 1 && dead === 1;
  if (!isRight) throw new Violation(`end: the crawl is declared over with ${places}`);
  if (!hasLost(play, state) && state.contacts.some(({ isBusy }) => isBusy))
    throw new Violation('end: the crawl is declared over while a request is under way');
}

/** `check`: throws Violation where a rule does not hold. Throws Violation for a state from which no end is reached although nothing fails any more. */
export function endsFairly(
  play: Play,
  check: (state: State) => void,
  time: (state: State) => Move<State> | undefined,
): (state: State) => void {
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
    const history: string[] = [];
    let state = calm(from);
    for (;;) {
      const name = nameOf(state);
      if (ending.has(name)) break;
      way.push(name);
      const after = withHistory(history, () => {
        const move = next(state);
        if (move === undefined) return undefined;
        history.push(move.say());
        const reached = move.next();
        check(reached);
        return reached;
      });
      if (after === undefined) break;
      state = after;
      if (history.length >= fairMovesMax)
        throw new Violation(`end: after ${fairMovesMax} actions without faults, the crawl is not over`, history);
    }
    const isKnown = way.length === 0 || ending.has(nameOf(state));
    if (!isKnown && !isDeclared(play, state))
      throw new Violation('end: nothing can happen any more, and the crawl is not over', history);
    for (const name of way) ending.add(name);
  };
}

function withHistory<Result>(history: readonly string[], act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw new Violation(error instanceof Violation ? error.message : `threw: ${(error as Error).message}`, history);
  }
}
