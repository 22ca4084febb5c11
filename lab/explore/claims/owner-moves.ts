/**
 * The actions of a process that owns the partition or is about to: the protocol of services/frontier/own and open, one
 * action at a time.
 *
 *   claim sent → claim lands → decide → commit lands, acknowledged at the expected offset → tasks published
 */

import { continues, logAt } from '../engine/append-only.ts';
import type { Move } from '../engine/explore.ts';
import { Violation } from '../engine/violation.ts';
import type { Changelog, Copies } from './copies.ts';
import type { Decider, StepInputs } from './deciders.ts';
import { hasLost, type Play } from './play.ts';
import { commitsUnderWay } from './setting.ts';
import { type NumberedTask, type Process, type State, withProcess } from './state.ts';

const names = ['P', 'Q'] as const;

export function ownerMoves(play: Play, state: State, at: number): Move<State>[] {
  const process = state.processes[at]!;
  switch (process.role) {
    case 'down':
      return state.assigned === at ? [beginOpening(play, state, at)] : [];
    case 'opening':
      return [claimLands(play, state, at), ...kills(play, state, at)];
    case 'open':
      return [...openMoves(play, state, at), ...kills(play, state, at)];
  }
}

/** In a calm state: the next action of the process. */
export function fairOwnerMove(play: Play, state: State, at: number): Move<State> | undefined {
  const process = state.processes[at]!;
  if (process.role === 'down') return state.assigned === at ? beginOpening(play, state, at) : undefined;
  if (process.role === 'opening') return claimLands(play, state, at);
  return openMoves(play, state, at)[0];
}

function beginOpening({ parts }: Play, state: State, at: number): Move<State> {
  const { changelog, nowMs } = state;
  return {
    say: () => `${names[at]} reads the changelog up to ${changelog.length} and sends its claim`,
    next: () => {
      const opening = { read: changelog, atMs: nowMs };
      return withProcess(state, at, parts.process({ ...state.processes[at]!, role: 'opening', opening }));
    },
  };
}

function claimLands({ copies, deciders, parts }: Play, state: State, at: number): Move<State> {
  const { changelog, nowMs } = state;
  const process = state.processes[at]!;
  return {
    say: () =>
      `the claim of ${names[at]} lands at ${changelog.length}${process.disk === null ? '' : ', and it starts from its checkpoint'}`,
    next: () => {
      const { read, atMs } = process.opening!;
      const bytes = deciders.claim(read, atMs, `${names[at]} ${changelog.length}`);
      const claimed = copies.append(changelog, bytes);
      copies.at(claimed);
      const decider = deciders.open(claimed, process.disk, nowMs);
      const open = { ...process, role: 'open', opening: null, decider, unacked: [decider] } as const;
      return withProcess({ ...state, changelog: claimed }, at, parts.process(open));
    },
  };
}

function openMoves(play: Play, state: State, at: number): Move<State>[] {
  const { left, assigned } = state;
  const process = state.processes[at]!;
  const { unacked, unpublished } = process;
  const isNoticed = `${names[at]} notices that the changelog has lost records, and drops its state`;
  const acked = logAt(process.decider!.log, process.decider!.log.length - unacked.length);
  if (play.noticesLosses && hasLost(play, state) && !continues(state.changelog, acked))
    return [drop(play, state, at, isNoticed)];
  const moves: Move<State>[] = [];
  if (unacked.length > 0) {
    moves.push(commitLands(play, state, at));
    if (left.acks > 0 && left.faults > 0) moves.push(...acksLost(play, state, at));
  }
  if (unpublished.length > 0) moves.push(publish(play, state, at));
  const isSettled = unacked.length + unpublished.length === 0;
  if (isSettled && assigned !== at)
    moves.push(drop(play, state, at, `${names[at]} learns that the partition is no longer its own, and closes it`));
  else if (isSettled && process.decider!.log.length > state.changelog.length)
    moves.push(drop(play, state, at, isNoticed));
  if (unacked.length < commitsUnderWay) {
    const decided = decide(play, state, process.decider!);
    if (decided !== null) moves.push(step(play, state, at, decided));
  }
  if (isSettled && left.saves > 0) moves.push(...saves(play, state, at));
  return moves;
}

function decide({ deciders }: Play, state: State, decider: Decider): Decider | null {
  const { control, results, discovered, tasks, tasksTaken, nowMs } = state;
  const { copy, wakeAtMs, seesTaken, taken } = decider;
  const inputs = { control, results, discovered };
  const news: number[] = [];
  for (let node = tasks; node.parent !== null; node = node.parent) {
    const { leaseId } = node.value.task;
    if (node.length <= tasksTaken && copy.leases.has(leaseId) && !taken.includes(leaseId)) news.unshift(leaseId);
  }
  const isNews = news.length > 0 || !seesTaken;
  const isUnread =
    control.length > copy.positions.control.offset ||
    results.length > copy.positions.results.offset ||
    discovered.length > copy.positions.discovered.offset;
  if (!isUnread && !isNews && (wakeAtMs === undefined || wakeAtMs > nowMs)) return null;
  const given: StepInputs = { inputs, nowMs, taken: isNews ? { position: tasksTaken, leases: news } : null };
  return deciders.step(decider, given);
}

function step({ parts }: Play, state: State, at: number, decided: Decider): Move<State> {
  const process = state.processes[at]!;
  const { tasks, log } = decided;
  const grants = tasks.map(({ leaseId, hostKey }) => `lease ${leaseId} of ${hostKey}`).join(' and ');
  return {
    say: () => `${names[at]} decides commit ${log.length - 1}${grants && `, which grants ${grants}`}`,
    next: () =>
      withProcess(state, at, parts.process({ ...process, decider: decided, unacked: [...process.unacked, decided] })),
  };
}

/** The record lands wherever the log ends; its owner acts on it only if that is where the owner expected it. */
function commitLands(play: Play, state: State, at: number): Move<State> {
  const { copies, parts } = play;
  const process = state.processes[at]!;
  const [landing, ...rest] = process.unacked;
  const expected = landing!.log.length - 1;
  const offset = state.changelog.length;
  const isExpected = offset === expected;
  return {
    say: () =>
      `the commit of ${names[at]} lands at ${offset}, and ${names[at]} hears of it${isExpected ? '' : `: it expected ${expected}, and drops its state`}`,
    next: () => {
      const landed = land(copies, state, landing!);
      if (!isExpected) return withProcess(landed, at, parts.process(down(process)));
      if (!hasLost(play, state)) expectOwn(landed.changelog, landing!);
      const granted = landing!.tasks.map((task) => parts.task(task, landing!.log));
      const unpublished = [...process.unpublished, ...granted];
      return withProcess(landed, at, parts.process({ ...process, unacked: rest, unpublished }));
    },
  };
}

function land(copies: Copies, state: State, { log, copy }: Decider): State {
  const changelog = copies.append(state.changelog, log.value);
  const { digest } = copies.at(changelog);
  if (changelog === log && digest !== copy.digest)
    throw new Violation(
      'copies',
      `after record ${log.length - 1}, a copy that read the changelog differs from the owner`,
    );
  return { ...state, changelog };
}

function expectOwn(changelog: Changelog, { log }: Decider): void {
  if (changelog === log) return;
  throw new Violation('acked', `an owner acts on commit ${log.length - 1}, which the changelog holds for void`);
}

function acksLost(play: Play, state: State, at: number): Move<State>[] {
  const { copies, parts } = play;
  const process = state.processes[at]!;
  const left = { ...state.left, acks: state.left.acks - 1, faults: state.left.faults - 1 };
  const failed = (after: State) => withProcess({ ...after, left }, at, parts.process(down(process)));
  const [first, second] = process.unacked;
  const { length } = state.changelog;
  const drops = `${names[at]} drops its state`;
  return [
    {
      say: () => `the commit of ${names[at]} lands at ${length}, but its ack is lost: ${drops}`,
      next: () => failed(land(copies, state, first!)),
    },
    { say: () => `the commit of ${names[at]} is lost on its way: ${drops}`, next: () => failed(state) },
    ...(second === undefined
      ? []
      : [
          {
            say: () => `a commit of ${names[at]} is lost on its way, and the next one lands in its place: ${drops}`,
            next: () => failed(land(copies, state, second)),
          },
        ]),
  ];
}

function publish(play: Play, state: State, at: number): Move<State> {
  const process = state.processes[at]!;
  const { unpublished } = process;
  const leases = unpublished.map(({ task }) => task.leaseId).join(' and ');
  return {
    say: () => `${names[at]} publishes the task of lease ${leases}`,
    next: () => {
      const published = unpublished.reduce((before, one) => appendTask(play, before, one), state);
      return withProcess(published, at, play.parts.process({ ...process, unpublished: [] }));
    },
  };
}

function appendTask(play: Play, state: State, one: NumberedTask): State {
  const { task, granted, id } = one;
  if (!hasLost(play, state) && !continues(state.changelog, granted))
    throw new Violation(
      'tasks',
      `the task of lease ${task.leaseId} is published before the commit that grants it is in the log`,
    );
  for (let node = state.tasks; node.parent !== null; node = node.parent)
    if (node.value === one) throw new Violation('tasks', `the task of lease ${task.leaseId} is published twice`);
  return { ...state, tasks: play.topics.tasks.append(state.tasks, `${id}`, one) };
}

function drop({ parts }: Play, state: State, at: number, say: string): Move<State> {
  return { say: () => say, next: () => withProcess(state, at, parts.process(down(state.processes[at]!))) };
}

function down({ disk }: Process): Omit<Process, 'id'> {
  return { role: 'down', opening: null, decider: null, unacked: [], unpublished: [], disk };
}

function saves(play: Play, state: State, at: number): Move<State>[] {
  const { deciders, parts } = play;
  const process = state.processes[at]!;
  const left = { ...state.left, saves: state.left.saves - 1 };
  return [false, true]
    .filter((isCut) => !isCut || process.disk !== null)
    .map((isCut) => ({
      say: () => `${names[at]} writes ${isCut ? 'the first slice of a checkpoint' : 'a checkpoint'}`,
      next: () => {
        const disk = deciders.save(process.decider!, process.disk, isCut);
        return withProcess({ ...state, left }, at, parts.process({ ...process, disk }));
      },
    }));
}

function kills({ parts }: Play, state: State, at: number): Move<State>[] {
  const { left } = state;
  if (left.kills === 0 || left.faults === 0) return [];
  const process = state.processes[at]!;
  const killed = { ...left, kills: left.kills - 1, faults: left.faults - 1 };
  const moves: Move<State>[] = [
    {
      say: () => `${names[at]} is killed`,
      next: () => withProcess({ ...state, left: killed }, at, parts.process(down(process))),
    },
  ];
  if (process.disk !== null && left.disks > 0)
    moves.push({
      say: () => `${names[at]} is killed, and its disk is lost`,
      next: () => {
        const after = { ...state, left: { ...killed, disks: left.disks - 1 } };
        return withProcess(after, at, parts.process({ ...down(process), disk: null }));
      },
    });
  return moves;
}
