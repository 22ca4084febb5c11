/** Partitions that take no appends, although brokers answer: for probes, a metric, and a line in the log at begin and end. */
import { kafkaLimits } from './kafka-limits.ts';

export interface BlockedAppend {
  readonly topic: string;
  readonly partition: number;
  /** Since when nothing was acknowledged. Monotonic, ms. */
  readonly sinceMs: number;
  readonly why: string;
}

export interface AppendWatch {
  /** In words; null: none is blocked. */
  readonly blocked: { readonly text: string; readonly count: number } | null;
  close(): void;
}

/** Partitions that are named one by one. */
const namedMax = 3;

export function watchAppends(
  blockedNow: () => readonly BlockedAppend[],
  say: (text: string) => void,
  lookMs: number = kafkaLimits.slowAppendMs,
): AppendWatch {
  let saidSinceMs: number | undefined;
  const look = () => {
    const blocked = blockedNow();
    if (blocked.length > 0 && saidSinceMs === undefined) {
      saidSinceMs = Math.min(...blocked.map(({ sinceMs }) => sinceMs));
      say(`${textOf(blocked)}; appends are tried again, and other partitions go on`);
    } else if (blocked.length === 0 && saidSinceMs !== undefined) {
      say(`all partitions take appends again, after ${seconds(saidSinceMs)}`);
      saidSinceMs = undefined;
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    get blocked() {
      const blocked = blockedNow();
      return blocked.length === 0 ? null : { text: textOf(blocked), count: blocked.length };
    },
    close: () => clearInterval(timer),
  };
}

function textOf(blocked: readonly BlockedAppend[]): string {
  const [first] = blocked as [BlockedAppend];
  const names = blocked.slice(0, namedMax).map(({ topic, partition }) => `${topic}/${partition}`);
  const more = blocked.length > namedMax ? ` and ${blocked.length - namedMax} more` : '';
  return `no append to ${names.join(', ')}${more} for ${seconds(first.sinceMs)} (${first.why})`;
}

function seconds(sinceMs: number): string {
  return `${Math.round((performance.now() - sinceMs) / 1000)} s`;
}
