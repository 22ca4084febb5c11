/**
 * A process of the simulation: code that may be killed or frozen at each wait.
 *
 * All waits go through here: `call` for requests to the world, the clock for time. A killed process gets no answer any
 * more, so it never continues: its memory is gone. A frozen one gets its answers when it wakes, like a process that was
 * stopped or swapped out; records that it sent before are in flight all the same.
 */
import { SystemClock } from '../../services/runtime/clock.ts';
import type { Chance } from './chance.ts';
import type { Owner, Scheduler } from './scheduler.ts';

export interface SimProcess extends Owner {
  readonly name: string;
  readonly clock: SystemClock;
  readonly state: 'running' | 'frozen' | 'dead';
  readonly chance: Chance;
  /**
   * Asks the world for something: `act` happens after a moment, and its answer returns after another. Rejects with the
   * error of `act`.
   */
  call<T>(what: string, act: () => T | Promise<T>, latencyMs?: number): Promise<T>;
  /** Counts one step, at which the process may be killed; never returns then. For code without another crash point. */
  step(what: string): Promise<void> | undefined;
  /** The wall clock is set, ms forwards or backwards. */
  jump(byMs: number): void;
  freeze(): void;
  thaw(): void;
  kill(): void;
  /** Plans an event at the `after`-th step from now on, before or after the step takes effect. */
  atStep(after: number, when: 'before' | 'after', act: () => void): void;
}

export interface ProcessOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  /** Error of its wall clock, ms. */
  readonly clockOffMs: number;
}

/**
 * A promise that never settles. One for each waiter: a promise keeps its waiters in memory, and with them their world.
 */
const never = () => new Promise<never>(() => {});

export function createProcess({ name, scheduler, chance, clockOffMs }: ProcessOptions): SimProcess {
  let state: SimProcess['state'] = 'running';
  let offsetMs = clockOffMs;
  let held: (() => void)[] = [];
  const planned: { left: number; readonly when: 'before' | 'after'; readonly act: () => void }[] = [];

  /** Plans that are due at this step. */
  const due = (): readonly (typeof planned)[number][] => {
    for (const plan of planned) plan.left -= 1;
    const now = planned.filter((plan) => plan.left < 0);
    for (const plan of now) planned.splice(planned.indexOf(plan), 1);
    return now;
  };
  const isDead = () => state === 'dead';

  const process: SimProcess = {
    name,
    chance,
    get state() {
      return state;
    },
    clock: new SystemClock({
      wallMs: () => scheduler.nowMs() + offsetMs,
      monotonicMs: () => scheduler.nowMs(),
      pause: (ms, signal) =>
        new Promise((resolve) => {
          const done = () => {
            cancel();
            signal?.removeEventListener('abort', done);
            resolve();
          };
          const cancel = scheduler.at(scheduler.nowMs() + ms, done, process);
          signal?.addEventListener('abort', done, { once: true });
        }),
    }),
    takes(act) {
      if (state === 'frozen') held.push(act);
      return state === 'running';
    },
    async call(what, act, latencyMs = chance.between(0, 3)) {
      const plans = due();
      for (const plan of plans) if (plan.when === 'before') plan.act();
      if (isDead()) return never();
      scheduler.note(`${name} ${what}`);
      return new Promise((resolve, reject) => {
        const answer = () => {
          let result: ReturnType<typeof act>;
          try {
            result = act();
          } catch (error) {
            return reject(error);
          }
          for (const plan of plans) if (plan.when === 'after') plan.act();
          // Killed as the act took effect: its result reaches no process.
          if (isDead()) Promise.resolve(result).catch(() => {});
          else resolve(result);
        };
        scheduler.at(scheduler.nowMs() + latencyMs, answer, process);
      });
    },
    step(what) {
      for (const plan of due()) plan.act();
      if (isDead()) return never();
      scheduler.note(`${name} ${what}`);
      return undefined;
    },
    jump(byMs) {
      offsetMs += byMs;
    },
    freeze() {
      if (state === 'running') state = 'frozen';
    },
    thaw() {
      if (state !== 'frozen') return;
      state = 'running';
      const acts = held;
      held = [];
      for (const act of acts) scheduler.at(scheduler.nowMs(), act, process);
    },
    kill() {
      state = 'dead';
      held = [];
    },
    atStep(after, when, act) {
      planned.push({ left: after, when, act });
    },
  };
  return process;
}
