/** Limits of the policy in a call to a fleet (policy-size.ts). */
export const policySizeLimits = {
  /** Most entries of one list of rules (overlays, metadata, recrawl.rules, …): each may be tried for a URL. */
  rulesMax: 200,
  /** Most strings in total: names of hosts, prefixes, parameters, patterns. */
  textsMax: 20_000,
  /** No policy is nested deeper than overlays[].set.filters.include[]. */
  nestingMax: 8,
} as const;
