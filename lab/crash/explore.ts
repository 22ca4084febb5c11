/**
 * Runs a way of writing against a disk that attacks, cuts the power after each of its steps, recovers each resulting
 * state and checks it. One seed is one run: its faults and its cuts are drawn from the seed.
 */
import type { Fault, Plan, PowerDisk } from './power-disk.ts';
import { Random } from './random.ts';

export interface Exploration {
  /** States of power cuts that recovery was run on. */
  states: number;
  readonly violations: string[];
}

export interface Attack {
  readonly random: Random;
  /** Fails some calls; after `calm`, none. */
  readonly plan: Plan;
  calm(): void;
  /** Cuts the power `cutsEach` times. `take` is called in the same step, and resolves once recovery was checked. */
  onStep(take: (how: 'all' | 'none' | 'some') => () => Promise<void>): () => void;
  /** Recovers and checks all states that were taken. */
  check(): Promise<Exploration>;
}

const kinds: readonly Fault[] = ['short', 'EINTR', 'ENOSPC', 'EIO', 'EMFILE'];

/** `calls`: about the number of calls of the run, over which the faults are spread. */
export function attack(name: string, seed: number, calls: number, cutsEach = 3): Attack {
  const random = new Random(seed);
  // A third of the runs meet no fault, so that they acknowledge many writes.
  const faultAt = new Set(Array.from({ length: random.below(3) }, () => random.below(calls)));
  let call = 0;
  let isCalm = false;
  const taken: (() => Promise<void>)[] = [];
  const violations: string[] = [];
  return {
    random,
    plan: (which) => {
      if (isCalm || !faultAt.has(call++)) return undefined;
      const fault = kinds[random.below(kinds.length)]!;
      if (which !== 'writev' && (fault === 'short' || fault === 'EINTR')) return 'EIO';
      return fault === 'EMFILE' && which !== 'open' ? 'ENOSPC' : fault;
    },
    calm: () => {
      isCalm = true;
    },
    onStep: (take) => () => {
      for (let cut = 0; cut < cutsEach; cut++) taken.push(take(cut === 0 ? 'none' : cut === 1 ? 'all' : 'some'));
    },
    async check() {
      for (const [at, one] of taken.entries()) {
        try {
          await one();
        } catch (error) {
          violations.push(`${name}, seed ${seed}, state ${at}: ${(error as Error).message}`);
          if (violations.length >= 3) break;
        }
      }
      return { states: taken.length, violations };
    },
  };
}

export function attackDisk(disk: PowerDisk, { plan }: Attack, onStep: () => void): void {
  disk.plan = plan;
  disk.onStep = onStep;
}
