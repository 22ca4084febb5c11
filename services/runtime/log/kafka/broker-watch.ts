/**
 * Brokers that do not answer: for probes, and for a line in the log when a broker goes away and when it is back.
 *
 * It observes existing connections, and sends no requests. A connection that is open again soon, as when a broker
 * restarts, is not reported.
 */
export interface BrokerWatch {
  answered(address: string): void;
  failed(address: string, why: string): void;
  /** Sets the brokers that the cluster lists; a broker that has not been listed for long no longer counts. */
  listed(addresses: readonly string[]): void;
  /** The brokers that do not answer, in words; null: all answer. */
  readonly away: BrokersAway | null;
  /**
   * Time when a broker was last away, monotonic ms: now if it is away, even if not reported yet. Past absences count if
   * they were reported. Without an address: the last time when all were away. Undefined: never.
   */
  lastAwayMs(address: string | undefined): number | undefined;
  close(): void;
}

export interface BrokersAway {
  readonly text: string;
  readonly count: number;
  /** No broker answers, so nothing can be done. */
  readonly isCutOff: boolean;
}

interface Absence {
  readonly sinceMs: number;
  readonly why: string;
  readonly timer: NodeJS.Timeout;
}

/** A shorter absence is not reported. ms */
const saidAfterMs = 2_000;
/** A broker that left the cluster for good is forgotten. ms */
const forgottenAfterMs = 600_000;

/**
 * `say`: receives one line at a time. `said`: addresses with a reported absence, and since when (monotonic, ms). It
 * is passed on when the log is opened again during an outage, so that the outage has one line at its beginning and
 * one at its end.
 */
export function createBrokerWatch(say: (text: string) => void, said = new Map<string, number>()): BrokerWatch {
  const absences = new Map<string, Absence>();
  /** Brokers that answered and have not failed since. */
  const answering = new Set<string>();
  /** End of reported absences, by address. */
  const endedMs = new Map<string, number>();
  let allAwayUntilMs: number | undefined;
  let known: ReadonlySet<string> = new Set();

  const answered = (address: string) => {
    if (answering.size === 0 && said.size > 0) allAwayUntilMs = performance.now();
    answering.add(address);
    const absence = absences.get(address);
    if (absence !== undefined) {
      absences.delete(address);
      clearTimeout(absence.timer);
    }
    const sinceMs = said.get(address);
    if (sinceMs === undefined) return;
    said.delete(address);
    endedMs.set(address, performance.now());
    say(`broker ${address} answers again, after ${seconds({ sinceMs })}`);
  };

  return {
    answered,
    failed(address, why) {
      answering.delete(address);
      if (absences.has(address)) return;
      const timer = setTimeout(() => {
        if (said.has(address)) return;
        said.set(address, absence.sinceMs);
        say(`broker ${address} does not answer: ${why}; work that needs this broker waits`);
      }, saidAfterMs);
      timer.unref();
      const absence: Absence = { sinceMs: said.get(address) ?? performance.now(), why, timer };
      absences.set(address, absence);
    },
    listed(addresses) {
      const now = new Set(addresses);
      for (const [address, { sinceMs }] of absences) {
        if (now.has(address) && !known.has(address)) answered(address);
        else if (!now.has(address) && performance.now() - sinceMs > forgottenAfterMs) {
          absences.delete(address);
          said.delete(address);
          endedMs.set(address, performance.now());
        }
      }
      known = now;
    },
    get away() {
      return awayOf(absences, answering.size === 0);
    },
    lastAwayMs(address) {
      const now = performance.now();
      const isAway = (one: string) => said.has(one) || absences.has(one);
      const areAllAway = answering.size === 0 && absences.size + said.size > 0;
      if (areAllAway || (address !== undefined && isAway(address))) return now;
      const ended = address === undefined ? undefined : endedMs.get(address);
      return ended === undefined ? allAwayUntilMs : Math.max(ended, allAwayUntilMs ?? 0);
    },
    close() {
      for (const { timer } of absences.values()) clearTimeout(timer);
      absences.clear();
    },
  };
}

function awayOf(absences: ReadonlyMap<string, Absence>, isCutOff: boolean): BrokersAway | null {
  if (absences.size === 0) return null;
  const parts = [...absences].map(
    ([address, absence]) => `broker ${address} does not answer (${absence.why}), since ${seconds(absence)}`,
  );
  return { text: parts.join('; '), count: absences.size, isCutOff };
}

function seconds({ sinceMs }: Pick<Absence, 'sinceMs'>): string {
  return `${Math.round((performance.now() - sinceMs) / 1000)} s`;
}
