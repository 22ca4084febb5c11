/**
 * The world `claims`: two processes that may own one partition, a standby, two fetchers, two hosts with three URLs, one
 * operator's event and one move of the partition. The partition is the real one; its owners, fetchers and logs are played,
 * one action at a time.
 */
import { continues, logAt } from '../engine/append-only.ts';
import type { Move, World } from '../engine/explore.ts';
import { endsFairly } from '../engine/fair-end.ts';
import { Violation } from '../engine/violation.ts';
import { checkEnd, fairMove, isDeclared } from './ends.ts';
import { fetcherMoves, fetcherTimes } from './fetcher-moves.ts';
import { ownerMoves } from './owner-moves.ts';
import { calm, createPlay, hasLost, type Play } from './play.ts';
import { hosts, linkTo, operatorsEvent, policyEvent, requestTimeoutMs, seeds, startMs } from './setting.ts';
import { standbyMoves } from './standby-moves.ts';
import { hashState, idle, type Left, type State } from './state.ts';

/** One fault of each kind, and two faults in one run. No acknowledged record is lost. */
export const claimsAllowed: Left = { kills: 2, disks: 1, acks: 1, losses: 0, moves: 1, events: 1, saves: 2, faults: 2 };
/** The changelog may lose its newest record. */
export const lossesAllowed: Left = { kills: 1, disks: 0, acks: 1, losses: 1, moves: 1, events: 0, saves: 1, faults: 2 };

export interface ClaimsWorld extends World<State> {
  readonly play: Play;
}

/** `noticesLosses`: an owner does not act once the changelog has lost one of its acknowledged records. */
export function createClaimsWorld(allowed: Left, noticesLosses = true): ClaimsWorld {
  const play = createPlay(allowed, noticesLosses);
  const check = (state: State) => {
    checkPositions(play, state);
    checkReported(play, state);
    checkEnd(play, state);
  };
  return {
    play,
    first: firstState(play),
    moves(given) {
      const state = caughtUp(given);
      return [
        ...ownerMoves(play, state, 0),
        ...ownerMoves(play, state, 1),
        ...fetcherMoves(play, state, 0),
        ...fetcherMoves(play, state, 1),
        ...standbyMoves(play, state),
        ...outside(play, state),
      ];
    },
    hash: (state, words) => hashState(caughtUp(state), words),
    check,
    checkEnd: endsFairly({
      calm,
      next: (state) => fairMove(play, state, timePasses),
      isOver: (state) => isDeclared(play, state),
      check,
      hash: hashState,
    }),
  };
}

/**
 * If the changelog can lose nothing any more, the time at which the standby reads makes no difference, so it reads at
 * once. States that differ only in that time are then one.
 */
function caughtUp(state: State): State {
  const { left, standby, changelog } = state;
  if (standby === changelog || (left.losses > 0 && left.faults > 0) || !continues(changelog, standby)) return state;
  return { ...state, standby: changelog };
}

/** The first owner has claimed the partition, with the policy and the seeds in its inputs. */
function firstState({ copies, deciders, parts, topics, allowed }: Play): State {
  const policy = policyEvent();
  const links = seeds.map((url) => linkTo(url));
  const claimed = copies.append(copies.tree.empty, deciders.claim(copies.tree.empty, startMs, 'P'));
  const decider = deciders.open(claimed, null, startMs);
  const nothing = { opening: null, unacked: [], unpublished: [], disk: null };
  const fetcher = parts.fetcher(idle);
  return {
    nowMs: startMs,
    changelog: decider.log,
    control: topics.control.append(topics.control.empty, 'policy', policy),
    results: topics.results.empty,
    discovered: links.reduce(
      (log, one) => topics.discovered.append(log, JSON.stringify(one), one),
      topics.discovered.empty,
    ),
    tasks: topics.tasks.empty,
    tasksTaken: 0,
    assigned: 0,
    processes: [
      parts.process({ ...nothing, role: 'open', decider }),
      parts.process({ ...nothing, role: 'down', decider: null }),
    ],
    standby: copies.tree.empty,
    fetchers: [fetcher, fetcher],
    contacts: hosts.map(() => ({ isBusy: false, endedAtMs: 0 })),
    left: allowed,
  };
}

/** Actions of neither owners nor fetchers. */
function outside(play: Play, state: State): Move<State>[] {
  const { left, nowMs, control, changelog, assigned, processes } = state;
  const moves: Move<State>[] = [];
  const time = timePasses(state);
  if (time !== undefined) moves.push(time);
  if (left.events > 0)
    moves.push({
      say: () => 'an operator asks for a longer delay',
      next: () => {
        const grown = play.topics.control.append(control, `event ${nowMs}`, operatorsEvent(nowMs));
        return { ...state, control: grown, left: { ...left, events: left.events - 1 } };
      },
    });
  if (left.moves > 0)
    moves.push({
      say: () => 'the partition is given to the other process',
      next: () => ({ ...state, assigned: 1 - assigned, left: { ...left, moves: left.moves - 1 } }),
    });
  // While commits are under way, a record of a former owner could take the place of the lost one.
  const isUnderWay = processes.some(({ unacked }) => unacked.length > 0);
  if (left.losses > 0 && left.faults > 0 && !isUnderWay)
    moves.push({
      say: () => `the changelog loses its newest record, ${changelog.length - 1}`,
      next: () => {
        const after = { ...left, losses: left.losses - 1, faults: left.faults - 1 };
        return { ...state, changelog: logAt(changelog, changelog.length - 1), left: after };
      },
    });
  return moves;
}

/** Time advances to the next due time. A request in flight ends first. */
function timePasses(state: State): Move<State> | undefined {
  const { nowMs, processes, fetchers } = state;
  if (fetchers.some(({ phase, askedAtMs }) => phase === 'asking' && askedAtMs + requestTimeoutMs <= nowMs))
    return undefined;
  let next = Number.POSITIVE_INFINITY;
  const at = (time: number | undefined) => {
    if (time !== undefined && time > nowMs && time < next) next = time;
  };
  for (const { decider } of processes) at(decider?.wakeAtMs);
  for (const fetcher of fetchers) for (const time of fetcherTimes(fetcher)) at(time);
  if (next === Number.POSITIVE_INFINITY) return undefined;
  return { say: () => `${(next - nowMs) / 1000} s pass`, next: () => ({ ...state, nowMs: next }) };
}

function checkPositions({ copies }: Play, { changelog, control, results, discovered }: State): void {
  const { positions } = copies.at(changelog);
  for (const [topic, log] of Object.entries({ control, results, discovered })) {
    const { offset } = positions[topic as keyof typeof positions];
    if (offset > log.length)
      throw new Violation('positions', `${topic} was read up to ${offset}, and ends at ${log.length}`);
  }
}

/** A lease is over once its last report was read. Once its grant was lost, another lease may have its number. */
function checkReported(play: Play, state: State): void {
  if (hasLost(play, state)) return;
  const { copies } = play;
  const { changelog, results } = state;
  const { positions, leases } = copies.at(changelog);
  for (
    let node = logAt(results, Math.min(results.length, positions.results.offset));
    node.parent !== null;
    node = node.parent
  )
    if (leases.has(node.value.leaseId))
      throw new Violation('reported', `lease ${node.value.leaseId} is out, although its report was read`);
}
