/** Ends: a crawl that is declared over is over; and from every state, if nothing fails any more, the crawl ends. */
import { crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import type { Move } from '../engine/explore.ts';
import { Violation } from '../engine/violation.ts';
import { fairFetcherMove } from './fetcher-moves.ts';
import { fairOwnerMove } from './owner-moves.ts';
import { hasLost, type Play } from './play.ts';
import type { State } from './state.ts';

/** True if the crawl is over according to the log. */
export function isDeclared({ copies }: Play, state: State): boolean {
  const { positions, counters } = copies.at(state.changelog);
  const ends = { control: state.control.length, results: state.results.length, discovered: state.discovered.length };
  const look: Look = { partitions: [{ positions, counters, ends }], pageQuota: null };
  return crawlEnd(look, look) !== null;
}

/**
 * Everything that can be fetched was fetched: the page, once; the redirect was followed; the failing URL was given up.
 */
export function checkEnd(play: Play, state: State): void {
  if (!isDeclared(play, state)) return;
  const { admitted, page, redirected, dead } = play.copies.at(state.changelog).counters;
  const places = `${admitted} URLs, of them ${page} pages, ${redirected} redirects and ${dead} dead`;
  // After the loss of records, no process knows of a seed's request, and fetchers may fail the URL more often than is
  // recorded.
  const isRight = admitted === 3 && page === 1 && redirected === 1 && dead === 1;
  if (!isRight) throw new Violation('end', `the crawl is declared over with ${places}`);
  if (!hasLost(play, state) && state.contacts.some(({ isBusy }) => isBusy))
    throw new Violation('end', 'the crawl is declared over while a request is under way');
}

/** In a calm state: the next action of any process. */
export function fairMove(
  play: Play,
  state: State,
  time: (state: State) => Move<State> | undefined,
): Move<State> | undefined {
  return (
    fairOwnerMove(play, state, 0) ??
    fairOwnerMove(play, state, 1) ??
    fairFetcherMove(play, state, 0) ??
    fairFetcherMove(play, state, 1) ??
    time(state)
  );
}
