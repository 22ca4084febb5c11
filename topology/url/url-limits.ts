/** Bounds on URLs and links. */
export const urlLimits = {
  /** Longer URLs are refused: servers and proxies cut at about this length, and traps grow beyond it. */
  urlCharsMax: 2048,
  /** Host keys of more characters are refused: a name has at most 253 (RFC 1035 §2.3.4), a port with its colon 6. */
  hostKeyCharsMax: 259,
  /** Redirect hops before a chain is given up: RFC 9110 §15.4 leaves it open, browsers stop at 20, crawlers at 5–10. */
  redirectHopsMax: 10,
} as const;
