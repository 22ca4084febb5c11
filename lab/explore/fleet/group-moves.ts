/**
 * Events between the processes of the world `fleet`: the host moves by request, or because its process was not heard
 * of for a session (services/extras/fleet/fetchers/task-share.ts).
 */
import type { Move } from '../engine/explore.ts';
import { type Play, sendAway, termOf } from './process-moves.ts';
import { marginMs, sessionMs } from './setting.ts';
import { names, type Side, type State, withSide } from './state.ts';

/** Once nothing fails any more, these come to an end. */
export function groupMoves(play: Play, state: State): Move<State>[] {
  return [0, 1].flatMap((at) => [
    ...lapses(play, state, at),
    ...givesUp(play, state, at),
    ...isReplaced(state, at),
    ...returns(play, state, at),
    ...takes(play, state, at),
  ]);
}

export function groupFaults(play: Play, state: State): Move<State>[] {
  return [...isAskedToMove(state), ...[0, 1].flatMap((at) => [...isCutOff(state, at), ...isKilled(play, state, at)])];
}

/** Did the time come at which it must count its host as another's? */
export function mustLapse({ nowMs }: State, { status, untilMs, holds }: Side): boolean {
  return status === 'cut' && holds !== 'no' && nowMs >= untilMs - marginMs;
}

function lapses(play: Play, state: State, at: number): Move<State>[] {
  const side = state.sides[at]!;
  // A request under way is broken off first.
  if (!mustLapse(state, side) || side.openSinceMs > 0) return [];
  return [
    {
      say: () => `${names[at]} counts its host as another's, since no broker answers`,
      next: () => without(play, state, at),
    },
  ];
}

/** Its host is no longer its own. A permit that is out is void. */
function without(play: Play, state: State, at: number): State {
  const side = state.sides[at]!;
  const calls = play.arbiters.call(side.calls, { kind: 'gone' }, state.nowMs);
  const { sentAway, granted } = play.arbiters.heard(calls);
  const change = { calls, holds: 'no', isMoving: false, isVoid: granted !== null, unsent: null } as const;
  return sendAway(withSide(state, at, change), sentAway);
}

function isAskedToMove(state: State): Move<State>[] {
  const { owner, sides, left } = state;
  const { holds, isMoving } = sides[owner];
  if (left.moves === 0 || sides.some(({ status }) => status !== 'up') || holds !== 'read' || isMoving) return [];
  return [
    {
      say: () => `the group asks ${names[owner]} to give its host to the other process`,
      next: () => withSide({ ...state, left: { ...left, moves: left.moves - 1 } }, owner, { isMoving: true }),
    },
  ];
}

function givesUp(play: Play, state: State, at: number): Move<State>[] {
  const { isMoving, status, calls, unsent } = state.sides[at]!;
  if (!isMoving || status !== 'up' || unsent !== null || play.arbiters.heard(calls).granted !== null) return [];
  return [
    {
      say: () => `${names[at]} is at rest, and gives its host up`,
      next: () => assigned(without(play, handedOver(state, at), at), 1 - at),
    },
  ];
}

/** A process that is at rest has passed on all that it heard. */
function handedOver(state: State, at: number): State {
  const { seen, sides } = state;
  return seen.known === termOf(sides[at]!, at) ? { ...state, seen: { ...seen, known: 'all' } } : state;
}

/** The group gives the host to a process. */
function assigned(state: State, to: number): State {
  return withSide({ ...state, owner: to as State['owner'] }, to, { holds: 'given' });
}

function isReplaced(state: State, at: number): Move<State>[] {
  const { status, untilMs } = state.sides[at]!;
  const isOver = status !== 'up' && state.nowMs >= untilMs && state.owner === at;
  if (!isOver || state.sides[1 - at]!.status !== 'up') return [];
  return [
    {
      say: () => `the session of ${names[at]} is over, and the group gives its host to the other process`,
      next: () => assigned(state, 1 - at),
    },
  ];
}

function takes({ arbiters }: Play, state: State, at: number): Move<State>[] {
  const { calls, holds, status, terms } = state.sides[at]!;
  if (holds !== 'given' || status !== 'up') return [];
  const { fact, nowMs } = state;
  return [
    {
      say: () => `${names[at]} takes the host, and reads ${fact === null ? 'no fact' : 'a fact'} about it`,
      next: () =>
        withSide(state, at, {
          ...{ holds: 'read', terms: terms + 1 },
          calls: arbiters.call(calls, { kind: 'taken', fact }, nowMs),
        }),
    },
  ];
}

function isCutOff(state: State, at: number): Move<State>[] {
  const { left, nowMs } = state;
  if (left.cuts === 0 || state.sides[at]!.status !== 'up' || state.owner !== at) return [];
  return [
    {
      say: () => `${names[at]} is cut off from the brokers`,
      next: () =>
        withSide({ ...state, left: { ...left, cuts: left.cuts - 1 } }, at, {
          ...{ status: 'cut', isMoving: false },
          untilMs: nowMs + sessionMs,
        }),
    },
  ];
}

function isKilled(play: Play, state: State, at: number): Move<State>[] {
  const { left, nowMs, seen } = state;
  const side = state.sides[at]!;
  if (left.kills === 0 || side.status === 'dead' || state.owner !== at) return [];
  return [
    {
      say: () => `${names[at]} is killed`,
      next: () => {
        const { waiting, granted } = play.arbiters.heard(side.calls);
        const lost = granted === null ? waiting : [...waiting, granted];
        const after = sendAway({ ...state, left: { ...left, kills: left.kills - 1 } }, lost);
        // The host sees its connection end.
        const ended = side.openSinceMs > 0 ? { ...after, seen: { ...seen, endMs: nowMs } } : after;
        return withSide(ended, at, {
          ...{ status: 'dead', calls: play.arbiters.none, holds: 'no', isMoving: false, isVoid: false, openSinceMs: 0 },
          ...{ untilMs: nowMs + sessionMs, unsent: null },
        });
      },
    },
  ];
}

/** The brokers answer again, or a process has started in its place. */
function returns(play: Play, state: State, at: number): Move<State>[] {
  const side = state.sides[at]!;
  const { owner, nowMs } = state;
  const isKnownGone = nowMs >= side.untilMs || owner !== at;
  if (side.status === 'up' || mustLapse(state, side) || (side.status === 'dead' && !isKnownGone)) return [];
  return [
    {
      say: () => (side.status === 'cut' ? `the brokers answer ${names[at]} again` : `${names[at]} starts again`),
      next: () => {
        const isGone = owner !== at && side.holds !== 'no';
        const before = isGone ? without(play, state, at) : state;
        const { holds, calls } = before.sides[at]!;
        const held = holds === 'no' ? 'given' : holds;
        return withSide(before, at, {
          ...{ status: 'up', untilMs: Number.POSITIVE_INFINITY, holds: owner === at ? held : 'no' },
          calls: side.status === 'dead' ? play.arbiters.call(play.arbiters.none, { kind: 'starts' }, nowMs) : calls,
        });
      },
    },
  ];
}
