/**
 * The fault-injecting twin: any store, with planned failures, for tests of code that uses a store.
 *
 * Three things can go wrong with a write. It fails with an error (`failAt`: disk full); the process dies before it is
 * applied, or after it was applied but without an answer (`crashAt`, `when`). A crash may also undo the newest
 * unsynced writes, as on a real machine: a suffix, never a gap. After a crash, every call rejects; the inner store
 * has the state that the next process finds.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StateStore, StoreOp } from './store.ts';

export interface FaultPlan {
  /** This write, counted from 1, and all after it fail with `failCode`. */
  readonly failAt?: number;
  readonly failCode?: 'DISK_FULL' | 'STORE_FAILED';
  /** The process dies at this write, counted from 1. */
  readonly crashAt?: number;
  readonly when?: 'before' | 'after';
  /** Unsynced writes, newest first, that a crash undoes. Default 0; the write crashed `after` counts as one. */
  readonly loseUnsynced?: number;
}

export interface FaultStore extends StateStore {
  /** Writes seen so far: run once without a plan to learn how many there are, then crash at each. */
  writes(): number;
  /** The process dies now. Resolves when the inner store has the state that the next process will find. */
  crash(): Promise<void>;
}

export function createFaultStore(inner: StateStore, plan: FaultPlan = {}): FaultStore {
  let writeCount = 0;
  let crashed = false;
  /** For each unsynced write, newest last, the operations that undo it. */
  let unsynced: StoreOp[][] = [];
  /** Writes run one at a time: an undo is right only for the state just before its write. */
  let queue: Promise<unknown> = Promise.resolve();

  const gone = () =>
    new CrawlstreamError('STORE_FAILED', 'planned crash (test only): the process that used this store has ended');
  const alive = <T>(act: () => Promise<T>): Promise<T> => (crashed ? Promise.reject(gone()) : act());

  const takeBack = async () => {
    for (let left = plan.loseUnsynced ?? 0; left > 0 && unsynced.length > 0; left--) {
      await inner.write(unsynced.pop() as StoreOp[]);
    }
  };

  const applyOne = async (ops: readonly StoreOp[], sync: boolean, number: number) => {
    if (crashed) throw gone();
    if (plan.failAt !== undefined && number >= plan.failAt) {
      throw new CrawlstreamError(plan.failCode ?? 'STORE_FAILED', `planned failure of write ${number}`);
    }
    const crashesHere = number === plan.crashAt;
    if (!crashesHere || plan.when === 'after') {
      if ((plan.loseUnsynced ?? 0) > 0) {
        const before = await inner.getMany(ops.map((op) => op.key));
        unsynced.push(ops.map((op, i) => ({ key: op.key, value: before[i] ?? null })));
      }
      await inner.write(ops, { sync });
      if (sync) unsynced = [];
    }
    if (crashesHere) {
      crashed = true;
      await takeBack();
      throw gone();
    }
  };

  return {
    get: (key) => alive(() => inner.get(key)),
    getMany: (keys) => alive(() => inner.getMany(keys)),
    scan: async function* (range) {
      for await (const row of inner.scan(range)) {
        if (crashed) throw gone();
        yield row;
      }
    },
    write: (ops, options) => {
      const number = ++writeCount;
      const done = queue.then(() => applyOne(ops, options?.sync ?? false, number));
      queue = done.catch(() => {});
      return done;
    },
    close: async () => {
      await queue;
      if (!crashed) await inner.close();
    },
    writes: () => writeCount,
    crash: async () => {
      crashed = true;
      await queue;
      await takeBack();
    },
  };
}
