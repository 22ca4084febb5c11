/** Counts a process's requests to brokers, for metrics. */
import type { LogTallies } from '../log.ts';

export interface Tally extends LogTallies {
  request(api: string, ms: number, isAnswered: boolean): void;
  retry(): void;
  joined(group: string): void;
}

export function createTally(): Tally {
  const requests = new Map<string, { count: number; failures: number; seconds: number }>();
  const rebalances = new Map<string, number>();
  let produceRetries = 0;
  return {
    requests,
    rebalances,
    get produceRetries() {
      return produceRetries;
    },
    request(api, ms, isAnswered) {
      let tally = requests.get(api);
      if (tally === undefined) requests.set(api, (tally = { count: 0, failures: 0, seconds: 0 }));
      tally.count += 1;
      tally.seconds += ms / 1000;
      if (!isAnswered) tally.failures += 1;
    },
    retry() {
      produceRetries += 1;
    },
    joined: (group) => void rebalances.set(group, (rebalances.get(group) ?? 0) + 1),
  };
}
