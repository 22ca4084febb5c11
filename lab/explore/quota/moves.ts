/**
 * The actions of the world `quota`. A partition decides, and its commit counts at once; then it sends the commit's
 * messages to the partitions, one by one. Its owner may be killed before that, and the next owner repeats what the
 * quota needs.
 */
import type { Control, Discovered, Result } from '../../../schemas/types.ts';
import type { Copies } from '../claims/copies.ts';
import type { Decider, Deciders } from '../claims/deciders.ts';
import { fetchedResult } from '../claims/fetched-result.ts';
import { linkTo } from '../claims/setting.ts';
import type { LogTree } from '../engine/append-only.ts';
import type { Move } from '../engine/explore.ts';
import { hasPage, linkOf, type Setting } from './setting.ts';
import { type Sides, type State, withSide } from './state.ts';

export interface Play {
  readonly setting: Setting;
  readonly copies: Copies;
  /** Of each partition. */
  readonly deciders: readonly Deciders[];
  readonly sides: Sides;
  readonly control: LogTree<Control>;
  readonly results: LogTree<Result>;
  readonly discovered: LogTree<Discovered>;
}

export function moves(play: Play, state: State): Move<State>[] {
  return [0, 1].flatMap((at) => [
    ...fairMoves(play, state, at),
    ...sendsTwice(play, state, at),
    ...killed(play, state, at),
  ]);
}

/** The actions of a partition and its fetcher while nothing fails. */
export function fairMoves(play: Play, state: State, at: number): Move<State>[] {
  const side = state.sides[at]!;
  const decided = decide(play, state, at);
  return [
    ...(decided === null ? [] : [step(play, state, at, decided)]),
    ...(side.unsent.length === 0 ? [] : [send(play, state, at)]),
    ...(side.tasks.length === 0 ? [] : [fetch(play, state, at)]),
  ];
}

/** Time advances to the next time at which a partition acts by itself. */
export function timePasses(state: State): Move<State> | undefined {
  const times = state.sides.map(({ decider }) => decider.wakeAtMs ?? Number.POSITIVE_INFINITY);
  const next = Math.min(...times.filter((time) => time > state.nowMs));
  if (!Number.isFinite(next)) return undefined;
  return { say: () => `${(next - state.nowMs) / 1000} s pass`, next: () => ({ ...state, nowMs: next }) };
}

function decide({ deciders }: Play, { sides, nowMs }: State, at: number): Decider | null {
  const { decider, control, results, discovered } = sides[at]!;
  const { positions } = decider.copy;
  const isUnread =
    control.length > positions.control.offset ||
    results.length > positions.results.offset ||
    discovered.length > positions.discovered.offset;
  if (!isUnread && (decider.wakeAtMs === undefined || decider.wakeAtMs > nowMs)) return null;
  return deciders[at]!.step(decider, { inputs: { control, results, discovered }, nowMs, taken: null });
}

function step({ sides }: Play, state: State, at: number, decided: Decider): Move<State> {
  const side = state.sides[at]!;
  const { controls, tasks } = decided;
  const says = controls.map(({ partition, record }) => `${record.kind} for ${partition}`).join(' and ');
  return {
    say: () =>
      `partition ${at} decides${tasks.map(({ leaseId }) => `, grants lease ${leaseId}`).join('')}${says && `, and has to send ${says}`}`,
    next: () =>
      withSide(
        state,
        at,
        sides.side({
          ...side,
          decider: decided,
          unsent: [...side.unsent, ...controls],
          tasks: [...side.tasks, ...tasks],
        }),
      ),
  };
}

function send(play: Play, state: State, at: number, more = ''): Move<State> {
  const side = state.sides[at]!;
  const { partition, record } = side.unsent[0]!;
  return {
    say: () => `partition ${at} sends ${record.kind} to partition ${partition}: ${record.amount}${more}`,
    next: () => {
      const isSent = more === '';
      const sent = isSent
        ? withSide(state, at, play.sides.side({ ...side, unsent: side.unsent.slice(1) }))
        : { ...state, left: { ...state.left, repeats: state.left.repeats - 1 } };
      const to = sent.sides[partition]!;
      const control = play.control.append(to.control, JSON.stringify(record), record);
      return withSide(sent, partition, play.sides.side({ ...to, control }));
    },
  };
}

function sendsTwice(play: Play, state: State, at: number): Move<State>[] {
  if (state.left.repeats === 0 || state.sides[at]!.unsent.length === 0) return [];
  return [send(play, state, at, ', and the ack is lost')];
}

function killed({ copies, deciders, sides }: Play, state: State, at: number): Move<State>[] {
  const { left, nowMs } = state;
  const side = state.sides[at]!;
  if (left.kills === 0) return [];
  return [
    {
      say: () => `the owner of partition ${at} is killed, and another one opens it`,
      next: () => {
        const { log } = side.decider;
        const claimed = copies.append(log, deciders[at]!.claim(log, nowMs, `after ${log.length}`));
        const decider = deciders[at]!.open(claimed, null, nowMs);
        const after = { ...state, left: { ...left, kills: left.kills - 1 } };
        return withSide(after, at, sides.side({ ...side, decider, unsent: decider.controls }));
      },
    },
  ];
}

/** Links are published before the outcome. */
function fetch({ sides, results, discovered }: Play, state: State, at: number): Move<State> {
  const side = state.sides[at]!;
  const [task, ...rest] = side.tasks;
  const { url } = task!.urls[0]!;
  return {
    say: () => `${url} is fetched: ${hasPage(url) ? 'a page' : 'a failure'}`,
    next: () => {
      const [kind, status] = hasPage(url) ? (['fetched', 200] as const) : (['serverError', 500] as const);
      const link = linkOf(url);
      const result = fetchedResult(task!, { kind, status, links: link === undefined ? 0 : 1 }, state.nowMs);
      const log = results.append(side.results, JSON.stringify(result), result);
      const reported = withSide(state, at, sides.side({ ...side, tasks: rest, results: log }));
      if (link === undefined) return reported;
      const to = reported.sides[link.partition]!;
      const found = linkTo(link.url, { depth: 1 });
      const grown = discovered.append(to.discovered, JSON.stringify(found), found);
      return withSide(reported, link.partition, sides.side({ ...to, discovered: grown }));
    },
  };
}
