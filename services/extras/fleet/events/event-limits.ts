/** Limits of event streams (services/extras/fleet/events). */
export const eventLimits = {
  /** How often a stream checks for more events, ms: up to two hundred streams do so. */
  lookMs: 250,
  /** Interval of empty lines that keep a stream open, ms: proxies close a silent one after about a minute. */
  beatMs: 15_000,
  /** Most events of one read, and the number of characters after which a read ends. */
  readMax: 200,
  readCharsSoft: 1 << 20,
  /** How long a new stream waits for a fleet that is starting, ms. */
  upWaitMs: 20_000,
  /** Most streams of one owner, and of all owners: each has a socket, and reads a log. */
  ofOwnerMax: 20,
  streamsMax: 200,
} as const;
