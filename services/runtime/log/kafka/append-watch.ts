/**
 * Partitions that take no appends, although their brokers answer: for probes, a metric, and a line in the log at the
 * beginning and the end.
 *
 * Partitions of a broker that is reported as away are left out, because that report has the cause. Once it is back,
 * they are given the usual time again.
 */
import { kafkaLimits } from './kafka-limits.ts';

export interface BlockedAppend {
  readonly topic: string;
  readonly partition: number;
  /** Since when nothing was acknowledged. Monotonic, ms. */
  readonly sinceMs: number;
  readonly why: string;
  /** Address of the partition's leader when an append was last sent; undefined: unknown. */
  readonly broker: string | undefined;
  /** True if no append waits any more, because all were rejected. */
  readonly isGivenUp: boolean;
}

export interface AppendWatch {
  /** Blocked appends in words; null: none. */
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
  /** `names`: of all partitions that were seen blocked since the line. */
  let said: { readonly sinceMs: number; readonly names: Set<string> } | undefined;
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
    } else if (wasBlocked && said !== undefined) {
      for (const one of blocked) said.names.add(nameOf(one));
    } else if (said !== undefined) {
      const all = blockedNow();
      // If a broker has gone away since, its report replaces this one.
      if (all.some((one) => !one.isGivenUp && said?.names.has(nameOf(one)))) return;
      say(endOf(said.sinceMs, said.names, all));
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

function namesOf(names: readonly string[]): string {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return `${names.slice(0, namedMax).join(', ')}${more}`;
}

/** `names`: reported partitions, which no longer wait. `all`: partitions that take no appends now. */
function endOf(sinceMs: number, names: ReadonlySet<string>, all: readonly BlockedAppend[]): string {
  const givenUp = all.filter((one) => names.has(nameOf(one)));
  if (givenUp.length > 0) {
    const others = givenUp.length < names.size ? '; the other reported partitions take appends again' : '';
    const firstMs = Math.min(...givenUp.map((one) => one.sinceMs));
    return `${namesOf(givenUp.map(nameOf))}: all waiting appends were given up after ${seconds(firstMs)}${others}`;
  }
  // The line of a broker that is away covers its partitions.
  const which =
    all.length > 0 ? `${namesOf([...names])} ${names.size === 1 ? 'takes' : 'take'}` : 'all partitions take';
  return `${which} appends again, after ${seconds(sinceMs)}`;
}

function textOf(blocked: readonly BlockedAppend[]): string {
  const [first] = blocked as [BlockedAppend];
  return `no append to ${namesOf(blocked.map(nameOf))} for ${seconds(first.sinceMs)} (${first.why})`;
}

function seconds(sinceMs: number): string {
  return `${Math.round((performance.now() - sinceMs) / 1000)} s`;
}
