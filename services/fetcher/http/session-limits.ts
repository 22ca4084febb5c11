/** Bounds of kept cookies (sessions.ts). */
export const sessionLimits = {
  /** Cookies of one host: RFC 6265 §6.1 asks for 50 at least. */
  cookiesPerHostMax: 50,
  /** Hosts with cookies; the least recently used are forgotten. At the very most 2 GB, usually 10 MB. */
  hostsMax: 10_000,
  /**
   * Redirecting URLs that are remembered with the cookies of their requests: a redirect wall is passed within a few
   * requests.
   */
  redirectsMax: 10_000,
  /** Shortest time between two logins at a site: one that refuses us is not asked repeatedly. */
  loginEveryMs: 600_000,
} as const;
