/**
 * Spreads answers over turns of the event loop. Hundreds of answers can be ready at once; read in one turn, they would
 * keep everything else of the process from its turn for as long, such as a probe of whether it lives.
 *
 * In each turn answers are read as they come until they have taken `budgetMs`; the rest waits for later turns, in order.
 */
import { performance } from 'node:perf_hooks';

export interface LoopTurns {
  /** Waits for the caller's turn. Undefined: it is now. The work before the caller's next `await` counts. */
  take(): Promise<void> | undefined;
}

export function createLoopTurns(budgetMs: number, nowMs: () => number = () => performance.now()): LoopTurns {
  let waiting: (() => void)[] = [];
  let at = 0;
  let isOpen = false;
  let beganMs = 0;

  const wakeNext = () => {
    if (at === waiting.length || nowMs() - beganMs >= budgetMs) return;
    waiting[at++]!();
    // After the work of this turn, and all that follows from it.
    queueMicrotask(() => process.nextTick(wakeNext));
  };
  const begin = () => {
    isOpen = at < waiting.length;
    if (at >= waiting.length / 2) {
      waiting = waiting.slice(at);
      at = 0;
    }
    if (!isOpen) return;
    beganMs = nowMs();
    setImmediate(begin);
    wakeNext();
  };
  return {
    take() {
      if (!isOpen) {
        isOpen = true;
        beganMs = nowMs();
        setImmediate(begin);
      }
      if (at === waiting.length && nowMs() - beganMs < budgetMs) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
