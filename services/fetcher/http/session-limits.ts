/** Bounds of kept cookies (sessions.ts). */
export const sessionLimits = {
  /** Cookies of one host: RFC 6265 §6.1 asks for 50 at least. */
  cookiesPerHostMax: 50,
  /** Hosts with cookies, of which those that were not used the longest are forgotten: 2 GB at the very most, 10 MB as hosts are. */
  hostsMax: 10_000,
  /** URLs that redirected, with the cookies they were asked with: a wall is passed within a few requests. */
  redirectsMax: 10_000,
  /** Shortest time between two logins at a site: one that refuses us is not asked again and again. */
  loginEveryMs: 600_000,
} as const;
