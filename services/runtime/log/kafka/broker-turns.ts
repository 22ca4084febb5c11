/**
 * The order of brokers for requests that any broker can answer: the one asked longest ago comes first, because a
 * broker that was cut off from the others still answers, with stale data. Brokers that failed lately come last.
 */
import { kafkaLimits } from './kafka-limits.ts';

export interface BrokerTurns {
  /** Returns the keys in the order of the requests. */
  order(keys: Iterable<string>): string[];
  /** Call after a request, or to move the broker behind the others. */
  asked(key: string): void;
  failed(key: string): void;
  answered(key: string): void;
}

/** `nowMs`: monotonic. */
export function createBrokerTurns(nowMs: () => number = () => performance.now()): BrokerTurns {
  const turns = new Map<string, number>();
  /** End of the time for which a failed broker comes last, by broker. Monotonic, ms. */
  const failing = new Map<string, number>();
  let turn = 0;
  const isFailing = (key: string) => (failing.get(key) ?? Number.NEGATIVE_INFINITY) > nowMs();
  const rank = (key: string) => (isFailing(key) ? Number.MAX_SAFE_INTEGER / 2 : 0) + (turns.get(key) ?? 0);
  return {
    order: (keys) => [...keys].sort((a, b) => rank(a) - rank(b)),
    asked: (key) => void turns.set(key, ++turn),
    failed: (key) => void failing.set(key, nowMs() + kafkaLimits.failedBrokerMs),
    answered: (key) => void failing.delete(key),
  };
}

/**
 * Resolves to the first success. The next try begins when the previous one has failed, or has not returned for
 * `afterMs`. Throws what `worst` picks of two failures, the earlier one given first.
 */
export async function firstOf<T>(
  tries: readonly (() => Promise<T>)[],
  afterMs: number,
  worst: (earlier: unknown, later: unknown) => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let [next, left] = [0, tries.length];
    let failure: unknown;
    let timer: NodeJS.Timeout | undefined;
    const begin = () => {
      clearTimeout(timer);
      const one = tries[next++];
      if (one === undefined) return;
      if (next < tries.length) timer = setTimeout(begin, afterMs);
      one().then(
        (value) => {
          next = tries.length;
          clearTimeout(timer);
          resolve(value);
        },
        (error) => {
          failure = failure === undefined ? error : worst(failure, error);
          if (--left === 0) reject(failure);
          else begin();
        },
      );
    };
    begin();
  });
}

/** The first `needed` successes; throws the last failure once that many are impossible. */
export async function enoughOf<T>(asked: readonly Promise<T>[], needed: number): Promise<T[]> {
  return new Promise<T[]>((resolve, reject) => {
    const answers: T[] = [];
    let left = asked.length;
    for (const one of asked) {
      one.then(
        (answer) => {
          left--;
          if (answers.push(answer) === needed) resolve(answers);
        },
        (error) => {
          left--;
          if (answers.length + left < needed) reject(error);
        },
      );
    }
  });
}
