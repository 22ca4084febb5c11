/** A state of the world `claims`: all its processes, logs and hosts at one moment. */
import type { Control, Discovered, Outcome, Result, Task } from '../../../schemas/types.ts';
import type { LogNode } from '../engine/append-only.ts';
import { hashNumbers } from '../engine/hash-numbers.ts';
import { Interner } from '../engine/interner.ts';
import type { Changelog } from './copies.ts';
import type { Decider, Disk } from './deciders.ts';

/** A process that may own the partition. */
export interface Process {
  readonly id: number;
  readonly role: 'down' | 'opening' | 'open';
  /** How far the process had read the changelog when it sent its claim, and when. */
  readonly opening: { readonly read: Changelog; readonly atMs: number } | null;
  /** Its decisions; the newest commits may not be acknowledged yet. */
  readonly decider: Decider | null;
  /** Commits in flight, oldest first. */
  readonly unacked: readonly Decider[];
  /** Tasks of acknowledged commits. */
  readonly unpublished: readonly NumberedTask[];
  readonly disk: Disk | null;
}

/** A task, with a number that equal tasks share. */
export interface NumberedTask {
  readonly number: number;
  readonly task: Task;
  /** The changelog up to the commit that granted its lease. */
  readonly granted: Changelog;
}

export interface Fetcher {
  readonly id: number;
  readonly holds: NumberedTask | null;
  /** `holding`: it has made no request. `reporting`: the links are published, the outcomes not yet. */
  readonly phase: 'idle' | 'holding' | 'asking' | 'answered' | 'reporting';
  readonly askedAtMs: number;
  readonly endedAtMs: number;
  readonly outcomes: readonly Outcome[];
}

export interface HostContacts {
  readonly isBusy: boolean;
  /** When the last contact ended. */
  readonly endedAtMs: number;
  /** The delay in force at the last contact. */
  readonly delayMs: number;
}

/** Remaining numbers of possible events. */
export interface Left {
  readonly kills: number;
  /** Kills that also delete the disk. */
  readonly disks: number;
  /** Acks that are lost, with or without the record. */
  readonly acks: number;
  /** Newest records that the changelog loses although they were acknowledged. */
  readonly losses: number;
  readonly moves: number;
  readonly events: number;
  readonly saves: number;
  /** The sum of the faults above. */
  readonly faults: number;
}

export interface State {
  readonly nowMs: number;
  readonly changelog: Changelog;
  readonly control: LogNode<Control>;
  readonly results: LogNode<Result>;
  readonly discovered: LogNode<Discovered>;
  readonly tasks: LogNode<NumberedTask>;
  /** Tasks that fetchers have taken. */
  readonly tasksTaken: number;
  /** The process that the group has assigned the partition to. */
  readonly assigned: number;
  readonly processes: readonly [Process, Process];
  /** How far the standby has read, and the records that it read. */
  readonly standby: Changelog;
  readonly fetchers: readonly [Fetcher, Fetcher];
  readonly contacts: readonly HostContacts[];
  readonly left: Left;
}

/** Gives equal parts one number. */
export class Parts {
  readonly #processes = new Interner<Process>();
  readonly #fetchers = new Interner<Fetcher>();
  readonly #tasks = new Interner<NumberedTask>();

  process(one: Omit<Process, 'id'>): Process {
    const { role, opening, decider, unacked, unpublished, disk } = one;
    const opens = opening === null ? '' : `${opening.read.id} ${opening.atMs}`;
    const commits = unacked.map(({ id }) => id).join();
    const text = `${role} ${opens} ${decider?.id} ${commits} ${unpublished.map(({ number }) => number).join()} ${disk?.id}`;
    return this.#processes.at(this.#processes.number(text, () => ({ ...one, id: this.#processes.size })));
  }

  fetcher(one: Omit<Fetcher, 'id'>): Fetcher {
    const { holds, phase, askedAtMs, endedAtMs, outcomes } = one;
    const text = `${phase} ${holds?.number} ${askedAtMs} ${endedAtMs} ${outcomes.map(({ kind }) => kind).join()}`;
    return this.#fetchers.at(this.#fetchers.number(text, () => ({ ...one, id: this.#fetchers.size })));
  }

  task(task: Task, granted: Changelog): NumberedTask {
    const text = `${granted.id} ${task.leaseId}`;
    return this.#tasks.at(this.#tasks.number(text, () => ({ number: this.#tasks.size, task, granted })));
  }
}

export const idle: Omit<Fetcher, 'id'> = { holds: null, phase: 'idle', askedAtMs: 0, endedAtMs: 0, outcomes: [] };

export function withProcess(state: State, at: number, process: Process): State {
  const [first, second] = state.processes;
  return { ...state, processes: at === 0 ? [process, second] : [first, process] };
}

/** Fetchers are interchangeable: the one with the lower number comes first. */
export function withFetcher(state: State, at: number, fetcher: Fetcher): State {
  const other = state.fetchers[1 - at]!;
  return { ...state, fetchers: fetcher.id <= other.id ? [fetcher, other] : [other, fetcher] };
}

/** Writes two words that are equal for equal states. */
export function hashState(state: State, words: Uint32Array): void {
  const { contacts, left, processes, fetchers } = state;
  const numbers = [
    state.nowMs,
    state.changelog.id,
    state.control.id,
    state.results.id,
    state.discovered.id,
    state.tasks.id,
    state.tasksTaken,
    state.assigned,
    processes[0].id,
    processes[1].id,
    state.standby.id,
    fetchers[0].id,
    fetchers[1].id,
    left.kills + 8 * left.disks + 64 * left.acks + 512 * left.losses,
    left.moves + 8 * left.events + 64 * left.saves + 512 * left.faults,
  ];
  for (const { isBusy, endedAtMs, delayMs } of contacts) numbers.push(2 * endedAtMs + (isBusy ? 1 : 0), delayMs);
  hashNumbers(numbers, words);
}
