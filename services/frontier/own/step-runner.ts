/** Runs a partition's decisions: at once, or limited to a share of a process that serves others too. */
export interface StepRunner {
  /**
   * Throws DECISION_TOO_SLOW for a decision that takes too long: the partition's memory is then void. `mayBeLong`: the
   * owner of the policy controls how long it takes.
   */
  run<T>(decide: () => T, mayBeLong: boolean): T;
  /** Time until the partition may decide again, ms. */
  restMs(): number;
}

export const plainSteps: StepRunner = { run: (decide) => decide(), restMs: () => 0 };
