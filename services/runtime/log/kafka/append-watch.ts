/**
 * Partitions that take no appends, although their brokers answer: for probes, a metric, and a line in the log at begin and end.
 *
 * Partitions whose broker is reported as away are left out, since that report has the cause. Once it is back they have the
 * same patience as any other.
 */
import { kafkaLimits } from './kafka-limits.ts';

export interface BlockedAppend {
  readonly topic: string;
  readonly partition: number;
  /** Since when nothing was acknowledged. Monotonic, ms. */
  readonly sinceMs: number;
  readonly why: string;
  /** The broker that led the partition when an append was last sent; undefined: none was known. */
  readonly broker: string | undefined;
  /** Nothing waits any more: all that did was rejected. */
  readonly isGivenUp: boolean;
}

export interface AppendWatch {
  /** In words; null: none is blocked. */
  readonly blocked: { readonly text: string; readonly count: number } | null;
  close(): void;
}

/** Partitions that are named one by one. */
const namedMax = 3;

/** `lastAwayMs`: when a broker was last away (monotonic); undefined: it never was. Without a broker: all of them. */
export function watchAppends(
  blockedNow: () => readonly BlockedAppend[],
  lastAwayMs: (broker: string | undefined) => number | undefined,
  say: (text: string) => void,
  lookMs: number = kafkaLimits.slowAppendMs,
): AppendWatch {
  let said: { readonly sinceMs: number; readonly names: ReadonlySet<string> } | undefined;
  const ofBrokersThatAnswer = () => {
    const beforeMs = performance.now() - kafkaLimits.blockedAppendMs;
    return blockedNow().filter(({ broker }) => (lastAwayMs(broker) ?? Number.NEGATIVE_INFINITY) <= beforeMs);
  };
  /** A broker that gives no answer at all is known as away a moment later than its partitions are as blocked. */
  let wasBlocked = false;
  const waiting = () => ofBrokersThatAnswer().filter(({ isGivenUp }) => !isGivenUp);
  const look = () => {
    const blocked = waiting();
    const isSecondLook = wasBlocked;
    wasBlocked = blocked.length > 0;
    if (wasBlocked && said === undefined) {
      if (!isSecondLook) return;
      said = { sinceMs: Math.min(...blocked.map(({ sinceMs }) => sinceMs)), names: new Set(blocked.map(nameOf)) };
      say(`${textOf(blocked)}; appends are tried again, and other partitions go on`);
    } else if (blocked.length === 0 && said !== undefined) {
      const { sinceMs, names } = said;
      const all = blockedNow().filter((one) => names.has(nameOf(one)));
      // A broker that has gone away since is the cause now: what is said of it goes on where this ends.
      if (all.some(({ isGivenUp }) => !isGivenUp)) return;
      if (all.length > 0) say(`${namesOf(all)}: all waiting appends were given up after ${seconds(sinceMs)}`);
      else say(`all partitions take appends again, after ${seconds(sinceMs)}`);
      said = undefined;
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    get blocked() {
      const blocked = waiting();
      return blocked.length === 0 ? null : { text: textOf(blocked), count: blocked.length };
    },
    close: () => clearInterval(timer),
  };
}

function nameOf({ topic, partition }: BlockedAppend): string {
  return `${topic}/${partition}`;
}

function namesOf(blocked: readonly BlockedAppend[]): string {
  const more = blocked.length > namedMax ? ` and ${blocked.length - namedMax} more` : '';
  return `${blocked.slice(0, namedMax).map(nameOf).join(', ')}${more}`;
}

function textOf(blocked: readonly BlockedAppend[]): string {
  const [first] = blocked as [BlockedAppend];
  return `no append to ${namesOf(blocked)} for ${seconds(first.sinceMs)} (${first.why})`;
}

function seconds(sinceMs: number): string {
  return `${Math.round((performance.now() - sinceMs) / 1000)} s`;
}
