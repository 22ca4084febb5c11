/** Figures of a fetcher. */
import type { OutcomeKind } from '../../schemas/types.ts';
import { Distribution, secondsBounds, waitBounds } from '../runtime/metrics/distribution.ts';
import type { HookUse } from './hooks/run-hooks.ts';

export interface FetcherStats {
  readonly leasesMax: number;
  readonly leasesRunning: number;
  /** Tasks read and not started. */
  readonly tasksWaiting: number;
  /** 1: no host answers, as this fetcher's own network is away. 0: it is there. */
  readonly networksAway: number;
  /** Tasks on a partition that their host does not lead to: dead letters. */
  readonly tasksMisrouted: number;
  /** Unreadable tasks, which became dead letters. */
  readonly tasksUndecodable: number;
  readonly requestsInFlight: number;
  readonly requestsWaiting: number;
  readonly requests: number;
  readonly bytes: number;
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly openOrigins: number;
  readonly pacedHosts: number;
  readonly requestSeconds: Distribution;
  /** Times from the start of a contact to the start of the next one to the same host. */
  readonly hostIntervalSeconds: Distribution;
  /** Records other than pages that were too large for their topics. */
  readonly tooLarge: number;
  /** Costs of each hook of each plugin. */
  readonly hooks: readonly Readonly<HookUse>[];
}

/** The stats of a fetcher that has done nothing. */
export function emptyStats(): FetcherStats {
  return {
    ...{ leasesMax: 0, leasesRunning: 0, tasksWaiting: 0, tasksMisrouted: 0, tasksUndecodable: 0 },
    networksAway: 0,
    ...{ requestsInFlight: 0, requestsWaiting: 0, requests: 0, bytes: 0, outcomes: {}, openOrigins: 0, pacedHosts: 0 },
    ...{ tooLarge: 0, hooks: [] },
    requestSeconds: new Distribution(secondsBounds),
    hostIntervalSeconds: new Distribution(waitBounds),
  };
}
