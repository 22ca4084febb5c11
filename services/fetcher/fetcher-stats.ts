/** What a fetcher tells of itself. */
import type { OutcomeKind } from '../../schemas/types.ts';
import type { Distribution } from '../runtime/metrics/distribution.ts';
import type { HookUse } from './hooks/run-hooks.ts';

export interface FetcherStats {
  readonly leasesMax: number;
  readonly leasesRunning: number;
  /** Tasks read and not started. */
  readonly tasksWaiting: number;
  /** Tasks on a partition that their host does not lead to: dead letters. */
  readonly tasksMisrouted: number;
  /** Tasks that nobody could read: dead letters. */
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
