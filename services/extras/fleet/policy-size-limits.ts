/** Bounds of the policy that a call to a fleet gives (policy-size.ts). */
export const policySizeLimits = {
  /** Entries of one list of rules (overlays, metadata, recrawl.rules, …): each may be tried for a URL. */
  rulesMax: 200,
  /** Texts in all: names of hosts, prefixes, parameters, patterns. */
  textsMax: 20_000,
  /** No policy is nested deeper than overlays[].set.filters.include[]. */
  nestingMax: 8,
} as const;
