/** A message of results, filled in where a test says nothing. */
import { blankHostFacts, blankOutcome, blankRequest, blankResult } from '../../../../../schemas/blank.ts';
import type { Outcome, OutcomeKind, Request, Result } from '../../../../../schemas/types.ts';
import { key, urlAt } from '../deciding.ts';

export const nowMs = 1_000_000;
export const hourMs = 3_600_000;
export const ok: Partial<Outcome> = { kind: 'fetched', status: 200 };
export const failed = (kind: OutcomeKind): Partial<Outcome> => ({ kind, status: 0 });

/** Of a lease that is over, completed now, where nothing else is said. */
export function resultOf(leaseId: number, outcomes: readonly Partial<Outcome>[], more: Partial<Result> = {}): Result {
  return {
    ...{ ...blankResult, leaseId, hostKey: key, last: true, completedAtMs: nowMs },
    outcomes: outcomes.map((one, index) => ({ ...blankOutcome, index, url: urlAt(index), ...one })),
    ...more,
  };
}

export const requestOf = (more: Partial<Request>): Request => ({ ...blankRequest, ...more });
export const robots = (more: Partial<Result['host']>) => ({ host: { ...blankHostFacts, ...more } });
