/**
 * Keeps a frequent fault from filling the log. Of lines that differ only in their numbers, it writes the first few of
 * each minute, and after the minute one line with the number of the others.
 *
 * Lines of traced URLs and of progress are all written: a person asked for each.
 */

import { lineLimits } from './line-limits.ts';
import type { LogLine } from './log-line.ts';

export interface RepeatedLinesOptions {
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  readonly write: (line: LogLine) => void;
  /** Calls `act` after this time, ms, unless the process has ended by then. */
  readonly later: (ms: number, act: () => void) => void;
}

interface Kind {
  readonly first: LogLine;
  readonly sinceMs: number;
  count: number;
}

export class RepeatedLines {
  readonly #options: RepeatedLinesOptions;
  /** By shape, the oldest first. */
  readonly #kinds = new Map<string, Kind>();

  constructor(options: RepeatedLinesOptions) {
    this.#options = options;
  }

  take(line: LogLine): void {
    const { nowMs, write, later } = this.#options;
    if (line.component === 'trace' || line.component === 'progress') return write(line);
    const shape = `${line.component} ${line.level} ${line.text.replaceAll(/\d+/g, '#')}`;
    let kind = this.#kinds.get(shape);
    if (kind !== undefined && nowMs() - kind.sinceMs >= lineLimits.windowMs) {
      this.#end(shape, kind);
      kind = undefined;
    }
    if (kind === undefined) {
      const [oldest] = this.#kinds;
      if (oldest !== undefined && this.#kinds.size >= lineLimits.kindsMax) this.#end(...oldest);
      const begun = { first: line, sinceMs: nowMs(), count: 1 };
      this.#kinds.set(shape, begun);
      later(lineLimits.windowMs, () => {
        if (this.#kinds.get(shape) === begun) this.#end(shape, begun);
      });
      return write(line);
    }
    kind.count += 1;
    if (kind.count <= lineLimits.repeatsWritten) write(line);
  }

  /** Writes the counts of the omitted lines now. */
  flush(): void {
    for (const [shape, kind] of this.#kinds) this.#end(shape, kind);
  }

  #end(shape: string, { first, count, sinceMs }: Kind): void {
    this.#kinds.delete(shape);
    const repeated = count - lineLimits.repeatsWritten;
    if (repeated <= 0) return;
    const seconds = Math.round((this.#options.nowMs() - sinceMs) / 1000);
    const { component, level } = first;
    const text = `repeated ${repeated} more times in ${seconds} s: ${first.text}`;
    this.#options.write({ component, level, text, fields: { repeated } });
  }
}
