/** Runs a partition's decisions: at once, or limited to a share of a process that serves others too. */
export interface StepRunner {
  /** Throws DECISION_TOO_SLOW for a decision that takes too long: the partition's memory is then void. */
  run<T>(decide: () => T): T;
  /** Time until the partition may decide again, ms. */
  restMs(): number;
}

export const plainSteps: StepRunner = { run: (decide) => decide(), restMs: () => 0 };
