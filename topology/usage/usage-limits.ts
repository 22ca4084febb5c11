/** Bounds on the reading of usage preferences. */
export const usageLimits = {
  /** Text of a statement. The longest useful one has about 100 characters. */
  saidCharsMax: 300,
  /** Content-Usage and Content-Signal rules of one robots.txt group; each page is matched against all. */
  rulesMax: 1_000,
  /** Rules of a TDMRep file; each page is matched against all. A file with more is ignored. */
  tdmRulesMax: 1_000,
  /** Meta elements of one page with usage preferences. Beyond them, only elements that bar another use count. */
  metasMax: 20,
} as const;
