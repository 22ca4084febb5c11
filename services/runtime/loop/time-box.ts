/**
 * Runs code whose cost a stranger decides for so long, and no longer.
 *
 * A page, a policy or a pattern can make plain code take minutes between two turns of the event loop, in loops of ours and in those of
 * the engine (a regular expression, a sort). Node's `vm` ends such code from a separate thread, whatever it is doing: there is nothing
 * to count in it, and nothing that it could catch. It costs a tenth of a millisecond a call.
 *
 * What was ended stays half done: whoever calls drops what it worked on.
 */
import { Script } from 'node:vm';

/** `ended`: time was up. */
export type Boxed<T> = { readonly ended: false; readonly value: T } | { readonly ended: true };

const global = globalThis as { crawlstreamBoxed?: (() => void) | undefined };
const script = new Script('crawlstreamBoxed()');

/** `timeMsMax`: of the whole thread's time, so that a machine that is busy ends it sooner. Throws what `act` throws. */
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
