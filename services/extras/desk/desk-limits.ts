/** Bounds of the desk for webmasters: anybody on the web may ask it. */
export const deskLimits = {
  /** A form: the name of a host, a choice, a number. */
  formBytesMax: 4 * 1024,
  /** As it is typed. Names have 253 characters, and a port. */
  hostCharsMax: 260,
  /** Read of the well-known file: a hundred lines of proofs. */
  fileBytesMax: 16 * 1024,
  /** Lines of the file, or texts at the name in the DNS, that are held against what was asked for. */
  proofsReadMax: 100,
  /** One exchange with a site, ms. */
  fileMs: 5_000,
  /** Days for which what was asked for may be answered: changes of a DNS zone take a day or two. */
  challengeDays: 7,
  /** Hosts that one visitor has proven at once: they are in a cookie, which browsers cut at 4 KB. */
  hostsPerVisitorMax: 10,
  /** Calls of one address in a minute. */
  callsPerMinute: 120,
  /** Proofs looked at for one address in a minute: each is a request that we make for a stranger. */
  proofsPerMinute: 10,
  /** The same for one host, whoever asks: the desk must not be what floods it. */
  proofsOfHostPerMinute: 30,
  /** Proofs looked at in one moment, over all. */
  proofsAtOnce: 16,
  /** Orders for one host in an hour: each is an event on `control`, which is kept. */
  ordersPerHour: 10,
  /** The same for a registrable domain, since its owner can have any number of hosts. */
  ordersOfDomainPerHour: 60,
  /** Addresses, hosts and domains that are counted at once; the one that came first is forgotten. */
  countedMax: 20_000,
  /** Who waits for records to be read, which is done for one at a time. */
  waitingMax: 16,
  /** An account of a host is shown again for so long, ms: it is made of all records of its partition. */
  accountMs: 60_000,
  /** Requests that an account lists, the newest. */
  requestsMax: 200,
} as const;
