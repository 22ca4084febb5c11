/** A bar for work of known length, on stderr and on a terminal only: elsewhere nothing is drawn. */
import { clockText } from '../../runtime/figure-text.ts';

export interface WorkBar {
  /** Adds to the amount of finished work. */
  add(count: number): void;
  /** Sets the amount of finished work. */
  set(done: number): void;
  /** Removes the bar from the terminal. */
  end(): void;
}

const redrawMs = 200;
const barChars = 30;

/** `total` 0: it is not known, and the bar only counts up. */
export function createWorkBar(
  what: string,
  total: number,
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'> = process.stderr,
  nowMs: () => number = () => performance.now(),
): WorkBar {
  const beganMs = nowMs();
  let done = 0;
  let drawnAtMs = beganMs;
  let isDrawn = false;
  const draw = () => {
    // Short work is not shown.
    if (!out.isTTY || nowMs() - drawnAtMs < redrawMs) return;
    drawnAtMs = nowMs();
    isDrawn = true;
    out.write(`\r${barText(what, done, total, drawnAtMs - beganMs).slice(0, (out.columns ?? 80) - 1)}\x1b[K`);
  };
  return {
    add: (count) => {
      done += count;
      draw();
    },
    set: (count) => {
      done = count;
      draw();
    },
    end: () => {
      if (isDrawn) out.write('\r\x1b[K');
      isDrawn = false;
    },
  };
}

export function barText(what: string, done: number, total: number, elapsedMs: number): string {
  const counted = done.toLocaleString('en-US');
  if (total <= 0) return `${counted} ${what}  ${clockText(elapsedMs / 1_000)}`;
  const share = Math.min(1, done / total);
  const full = Math.round(barChars * share);
  const leftMs = share === 0 ? 0 : elapsedMs / share - elapsedMs;
  const bar = `${'█'.repeat(full)}${'░'.repeat(barChars - full)} ${String(Math.floor(100 * share)).padStart(3)} %`;
  return `${bar}  ${counted} of ${total.toLocaleString('en-US')} ${what}  ${clockText(leftMs / 1_000)} left`;
}
