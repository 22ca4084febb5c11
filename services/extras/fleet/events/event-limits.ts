/** Bounds of telling events (services/extras/fleet/events). */
export const eventLimits = {
  /** How often a stream looks for more, ms: two hundred streams do so at once. */
  lookMs: 250,
  /** A line that says nothing keeps proxies from cutting a stream, ms: they wait for a minute. */
  beatMs: 15_000,
  /** Events that are read at once, and characters after which a reading is over. */
  readMax: 200,
  readCharsSoft: 1 << 20,
  /** How long a stream that is asked for waits for a fleet that starts, ms. */
  upWaitMs: 20_000,
  /** Streams of one owner, and of all: each is a socket, and looks at a log. */
  ofOwnerMax: 20,
  streamsMax: 200,
} as const;
