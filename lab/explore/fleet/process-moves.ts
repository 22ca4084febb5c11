/**
 * The actions of a process of the world `fleet`: its crawls ask its arbiter for the host, and a request goes out with a permit
 * (services/fetcher/pace/fleet-pace.ts).
 */
import type { Move } from '../engine/explore.ts';
import { Violation } from '../engine/violation.ts';
import type { Arbiters } from './arbiters.ts';
import { type Crawl, contactOf, crawls, host, leastGapMs, marginMs, requestMs, retryAfterMs } from './setting.ts';
import { names, type Side, type State, withSide } from './state.ts';

export interface Play {
  readonly arbiters: Arbiters;
}

/** Once nothing fails any more, these come to an end. */
export function processMoves(play: Play, state: State): Move<State>[] {
  return [0, 1].flatMap((at) => [
    ...answers(play, state, at, false),
    ...sends(state, at),
    ...starts(play, state, at),
    ...decides(play, state, at),
    ...asks(play, state, at),
  ]);
}

export function pauses(play: Play, state: State): Move<State>[] {
  return state.left.pauses === 0 ? [] : [0, 1].flatMap((at) => answers(play, state, at, true));
}

/** Crawls without a permit ask again, wherever the host is then. */
export function sendAway(state: State, sent: readonly Crawl[]): State {
  const wants = { ...state.wants };
  for (const crawl of sent) wants[crawl] += 1;
  return { ...state, wants };
}

/** May it start a request? */
export function mayContact(state: State, side: Side): boolean {
  return isOwn(state, side) && !side.isMoving && !side.isVoid;
}

/** Could no other process have its host by now? */
function isOwn({ nowMs }: State, { status, holds, untilMs }: Side): boolean {
  return status !== 'dead' && holds === 'read' && nowMs < untilMs - marginMs;
}

function asks({ arbiters }: Play, state: State, at: number): Move<State>[] {
  const side = state.sides[at]!;
  if (!mayContact(state, side)) return [];
  const { granted, waiting } = arbiters.heard(side.calls);
  const asking = crawls.filter((crawl) => state.wants[crawl] > 0 && crawl !== granted && !waiting.includes(crawl));
  return asking.map((crawl) => ({
    say: () => `the ${crawl} crawl asks ${names[at]} for the host`,
    next: () => {
      const asked = arbiters.call(side.calls, { kind: 'ask', crawl }, state.nowMs);
      const wants = { ...state.wants, [crawl]: state.wants[crawl] - 1 };
      return withSide({ ...state, wants }, at, { calls: arbiters.call(asked, { kind: 'step' }, state.nowMs) });
    },
  }));
}

function decides({ arbiters }: Play, state: State, at: number): Move<State>[] {
  const side = state.sides[at]!;
  const { wakeAtMs = Number.POSITIVE_INFINITY } = arbiters.heard(side.calls);
  if (!mayContact(state, side) || wakeAtMs > state.nowMs) return [];
  return [
    {
      say: () => `${names[at]} decides who may contact the host`,
      next: () => withSide(state, at, { calls: arbiters.call(side.calls, { kind: 'step' }, state.nowMs) }),
    },
  ];
}

function starts(play: Play, state: State, at: number): Move<State>[] {
  const side = state.sides[at]!;
  const { granted } = play.arbiters.heard(side.calls);
  if (granted === null || side.openSinceMs > 0) return [];
  if (!mayContact(state, side))
    return [
      {
        say: () => `${names[at]} gives the permit of the ${granted} crawl back`,
        next: () => sendAway(ended(play, state, at, null), [granted]),
      },
    ];
  return [
    {
      say: () => `${names[at]} contacts the host for the ${granted} crawl`,
      next: () => {
        checkContact(state, at, granted);
        return withSide({ ...state, seen: { ...state.seen, by: granted } }, at, { openSinceMs: state.nowMs });
      },
    },
  ];
}

function checkContact({ sides, seen, nowMs }: State, at: number, crawl: Crawl): void {
  if (sides.some(({ openSinceMs }) => openSinceMs > 0))
    throw new Violation('early', `${host} is contacted while another request is under way`);
  const leastMs = seen.by === null ? 0 : leastGapMs(seen.by, crawl);
  if (seen.endMs > 0 && nowMs - seen.endMs < leastMs)
    throw new Violation('early', `${host} is contacted after ${nowMs - seen.endMs} ms, not ${leastMs} ms`);
  const isKnown = seen.known === 'all' || seen.known === termOf(sides[at]!, at);
  if (isKnown && nowMs < seen.pauseMs)
    throw new Violation('early', `${host} is contacted ${seen.pauseMs - nowMs} ms before the end of its pause`);
}

/** A process keeps what it heard while it has the host. */
export function termOf({ terms }: Side, at: number): string {
  return `${names[at]} ${terms}`;
}

function answers(play: Play, state: State, at: number, isPause: boolean): Move<State>[] {
  const { openSinceMs, status } = state.sides[at]!;
  if (openSinceMs === 0 || status === 'dead') return [];
  return [
    {
      say: () => `the host answers ${names[at]}${isPause ? ', and asks for a pause' : ''}`,
      next: () => {
        const { nowMs, seen, left } = state;
        const contact = contactOf(seen.by!, nowMs - openSinceMs, isPause);
        const after = { ...ended(play, state, at, contact), made: state.made + 1 };
        if (!isPause) return { ...after, seen: { ...seen, endMs: nowMs } };
        const known = termOf(after.sides[at]!, at);
        const paused = { ...seen, endMs: nowMs, pauseMs: nowMs + retryAfterMs, known };
        return { ...after, seen: paused, left: { ...left, pauses: left.pauses - 1 } };
      },
    },
  ];
}

/** The permit that is out ends, and the arbiter decides who is next. */
function ended({ arbiters }: Play, state: State, at: number, contact: ReturnType<typeof contactOf> | null): State {
  const { nowMs } = state;
  const side = state.sides[at]!;
  const calls = arbiters.call(side.calls, { kind: 'end', contact }, nowMs);
  const { fact } = arbiters.heard(calls);
  const after = { ...side, isVoid: false, openSinceMs: 0 };
  return withSide(state, at, {
    ...after,
    calls: mayContact(state, after) ? arbiters.call(calls, { kind: 'step' }, nowMs) : calls,
    unsent: (isOwn(state, after) ? fact : null) ?? side.unsent,
  });
}

function sends(state: State, at: number): Move<State>[] {
  const { unsent, status } = state.sides[at]!;
  if (unsent === null || status !== 'up') return [];
  return [
    {
      say: () => `${names[at]} writes what it knows of the host to the fleet's topic`,
      next: () => withSide({ ...state, fact: unsent, seen: { ...state.seen, known: 'all' } }, at, { unsent: null }),
    },
  ];
}

/** Longest time for which its request may still be under way. */
export function mustAnswerByMs({ openSinceMs }: Side): number {
  return openSinceMs === 0 ? Number.POSITIVE_INFINITY : openSinceMs + requestMs;
}
