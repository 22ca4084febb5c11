/** How a partition's decisions are run: at once, or held to a share of a process that others use too. */
export interface StepRunner {
  /** Throws DECISION_TOO_SLOW for a decision that takes too long: the partition's memory is void then. */
  run<T>(decide: () => T): T;
  /** ms until the partition may decide again, from now. */
  restMs(): number;
}

export const plainSteps: StepRunner = { run: (decide) => decide(), restMs: () => 0 };
