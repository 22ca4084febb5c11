/**
 * Limits the time of code with a cost that a stranger controls.
 *
 * A page, a policy or a pattern can make plain code take minutes between two turns of the event loop, in our loops
 * and in those of the engine (a regular expression, a sort). Node's `vm` ends such code from a separate thread,
 * whatever it is doing, so the code needs no checks and cannot catch the end. It costs a tenth of a millisecond a
 * call.
 *
 * Ended code leaves its work half done: the caller must drop it.
 */
import { Script } from 'node:vm';

/** `ended`: the time ran out. */
export type Boxed<T> = { readonly ended: false; readonly value: T } | { readonly ended: true };

const global = globalThis as { crawlstreamBoxed?: (() => void) | undefined };
const script = new Script('crawlstreamBoxed()');

/** `timeMsMax`: of the whole thread's time, so a busy machine ends the code sooner. Throws what `act` throws. */
export function withinTime<T>(timeMsMax: number, act: () => T): Boxed<T> {
  let result: { readonly value: T } | undefined;
  const before = global.crawlstreamBoxed;
  global.crawlstreamBoxed = () => {
    result = { value: act() };
  };
  try {
    script.runInThisContext({ timeout: timeMsMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { ended: true };
    throw error;
  } finally {
    global.crawlstreamBoxed = before;
  }
  return { ended: false, value: result!.value };
}
