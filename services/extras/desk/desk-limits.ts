/** Bounds of the desk for webmasters, which any person on the web may call. */
export const deskLimits = {
  /** A form: the name of a host, a choice, a number. */
  formBytesMax: 4 * 1024,
  /** Longest host as typed, in characters: names have at most 253, and a port. */
  hostCharsMax: 260,
  /** Bytes read of the well-known file: a hundred lines of proofs. */
  fileBytesMax: 16 * 1024,
  /** Lines of the file, or DNS texts, that are compared with the challenge. */
  proofsReadMax: 100,
  /** Timeout of one exchange with a site, ms. */
  fileMs: 5_000,
  /** Days for which a challenge may be answered: changes of a DNS zone take a day or two. */
  challengeDays: 7,
  /** Hosts that one visitor has proven at once: they are in a cookie, which browsers limit to 4 KB. */
  hostsPerVisitorMax: 10,
  /** Calls of one address per minute. */
  callsPerMinute: 120,
  /** Proofs checked for one address per minute: each is a request on behalf of a stranger. */
  proofsPerMinute: 10,
  /** The same for one host, from all addresses, so that the service does not flood it. */
  proofsOfHostPerMinute: 30,
  /** Proofs checked at the same time, in all. */
  proofsAtOnce: 16,
  /** Orders for one host per hour: each is an event on `control`, which is kept. */
  ordersPerHour: 10,
  /** The same for a registrable domain, since its owner can have any number of hosts. */
  ordersOfDomainPerHour: 60,
  /** Addresses, hosts and domains with a counter; the oldest is forgotten first. */
  countedMax: 20_000,
  /** Requests that may wait while records are read, which happens one at a time. */
  waitingMax: 16,
  /** Time for which an account of a host is reused, ms: making it reads all records of its partition. */
  accountMs: 60_000,
  /** Requests listed in an account, the newest ones. */
  requestsMax: 200,
} as const;
