/**
 * The world `fleet`: two processes of a fleet, with the real arbiter each, share a host between two crawls. The host moves
 * from one to the other by request, after a kill, or because one is cut off.
 */
import type { Move, World } from '../engine/explore.ts';
import { endsFairly } from '../engine/fair-end.ts';
import { Violation } from '../engine/violation.ts';
import { Arbiters } from './arbiters.ts';
import { groupFaults, groupMoves, mustLapse } from './group-moves.ts';
import { mayContact, mustAnswerByMs, type Play, pauses, processMoves } from './process-moves.ts';
import { crawls, marginMs, startMs, wanted } from './setting.ts';
import { hashState, type Left, type Side, type State } from './state.ts';

const requests = crawls.reduce((sum, crawl) => sum + wanted[crawl], 0);

export const fleetAllowed: Left = { moves: 2, cuts: 1, kills: 1, pauses: 1 };

export function createFleetWorld(allowed: Left): World<State> {
  const play: Play = { arbiters: new Arbiters() };
  const fair = (state: State): Move<State>[] => [
    ...groupMoves(play, state),
    ...processMoves(play, state),
    ...timePasses(play, state),
  ];
  return {
    first: firstState(play, allowed),
    moves: (state) => [...fair(state), ...pauses(play, state), ...groupFaults(play, state)],
    hash: hashState,
    check,
    checkEnd: endsFairly({
      calm: (state) => ({ ...state, left: { moves: 0, cuts: 0, kills: 0, pauses: 0 } }),
      next: (state) => fair(state)[0],
      isOver: (state) =>
        crawls.every((crawl) => state.wants[crawl] === 0) && state.sides.every((side) => asking(side) === 0),
      check,
      hash: hashState,
    }),
  };

  function asking({ calls }: Side): number {
    const { granted, waiting } = play.arbiters.heard(calls);
    return waiting.length + (granted === null ? 0 : 1);
  }

  function check({ wants, sides, made }: State): void {
    const wanting = crawls.reduce((sum, crawl) => sum + wants[crawl], 0);
    const known = wanting + asking(sides[0]) + asking(sides[1]) + made;
    if (known !== requests) throw new Violation('permit', `${known} requests of ${requests}`);
  }
}

/** The fleet has just started, and P has the host. */
function firstState({ arbiters }: Play, left: Left): State {
  const side: Side = {
    ...{ status: 'up', holds: 'no', isMoving: false, isVoid: false, openSinceMs: 0, unsent: null, terms: 0 },
    calls: arbiters.call(arbiters.none, { kind: 'starts' }, startMs),
    untilMs: Number.POSITIVE_INFINITY,
  };
  return {
    nowMs: startMs,
    sides: [{ ...side, holds: 'given' }, side],
    owner: 0,
    fact: null,
    seen: { endMs: 0, by: null, pauseMs: 0, known: '' },
    wants: wanted,
    made: 0,
    left,
  };
}

/** Time advances to the next time at which a process or the group acts by itself, or a request under way must end. */
function timePasses({ arbiters }: Play, state: State): Move<State>[] {
  const { nowMs, sides } = state;
  if (sides.some((side) => mustLapse(state, side) || mustAnswerByMs(side) <= nowMs)) return [];
  const times = sides.flatMap((side) => {
    const { wakeAtMs = 0 } = arbiters.heard(side.calls);
    const isGoing = side.status !== 'up' && Number.isFinite(side.untilMs);
    return [
      mustAnswerByMs(side),
      mayContact(state, side) ? wakeAtMs : 0,
      ...(isGoing ? [side.untilMs - marginMs, side.untilMs] : []),
    ];
  });
  const next = Math.min(...times.filter((time) => time > nowMs));
  if (!Number.isFinite(next)) return [];
  return [{ say: () => `${(next - nowMs) / 1000} s pass`, next: () => ({ ...state, nowMs: next }) }];
}
