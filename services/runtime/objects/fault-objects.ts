/**
 * The fault-injecting twin: any object store, with planned failures, for tests of code that uses one.
 *
 * Either the store goes away (`failAt`: this call and all later ones), or the process dies at a change, before it is
 * made or after it was made without an answer (`crashAt`, `when`). The inner store has the state that the next
 * process finds.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ObjectStore } from './objects.ts';

export interface ObjectFaults {
  /** This call, counted from 1, and all after it fail with `failCode`. */
  readonly failAt?: number;
  readonly failCode?: 'DESTINATION_UNREACHABLE' | 'DESTINATION_REFUSED';
  /** The process dies at this put or removal of one object, counted from 1. */
  readonly crashAt?: number;
  readonly when?: 'before' | 'after';
}

export interface FaultObjects extends ObjectStore {
  /** Puts and removals so far: run once without a plan to learn how many there are, then crash at each. */
  changes(): number;
}

export function createFaultObjects(inner: ObjectStore, plan: ObjectFaults = {}): FaultObjects {
  let [calls, changes, crashed] = [0, 0, false];

  const gone = () =>
    new CrawlstreamError(
      'DESTINATION_REFUSED',
      'planned crash (test only): the process that used this store has ended',
    );
  const call = async <T>(act: () => Promise<T>): Promise<T> => {
    if (crashed) throw gone();
    if (plan.failAt !== undefined && ++calls >= plan.failAt) {
      throw new CrawlstreamError(plan.failCode ?? 'DESTINATION_UNREACHABLE', `planned failure of call ${calls}`);
    }
    return act();
  };
  const change = (act: () => Promise<void>) =>
    call(async () => {
      const crashesHere = ++changes === plan.crashAt;
      if (!crashesHere || plan.when === 'after') await act();
      if (!crashesHere) return;
      crashed = true;
      throw gone();
    });

  return {
    place: inner.place,
    put: (name, bytes) => change(() => inner.put(name, bytes)),
    putFile: (name, path) => change(() => inner.putFile(name, path)),
    get: (name) => call(() => inner.get(name)),
    list: (folder) => call(() => inner.list(folder)),
    remove: async (names) => {
      for (const name of names) await change(() => inner.remove([name]));
    },
    close: () => inner.close(),
    changes: () => changes,
  };
}
