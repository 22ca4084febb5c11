/** Bounds on what is read of preferences. */
export const usageLimits = {
  /** Of a statement as written: the longest about every use has some 100 characters. */
  saidCharsMax: 300,
  /** Content-Usage and Content-Signal rules of one robots.txt group, a page being asked of each. */
  rulesMax: 1_000,
  /** Rules of a TDMRep file, a page being asked of each; a longer file is none. */
  tdmRulesMax: 1_000,
  /** Meta elements of one page that speak of use; beyond them, those that bar what is not barred yet. */
  metasMax: 20,
} as const;
