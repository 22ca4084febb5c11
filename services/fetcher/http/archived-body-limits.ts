/** Bounds of bodies that fetchers publish for an archive. */
export const archivedBodyLimits = {
  /** Bytes of a response's body in its message: the topic takes messages of 8 MB, and longer ones are files. */
  messageBytesMax: 2 * 1024 * 1024,
  /** Bytes of a body that an archive of all gets, unless another limit is set: nearly all that pages link to is shorter. */
  bodyBytesOfAll: 100 * 1024 * 1024,
  /** The largest limit that an operator may set: a record that is read back whole must fit in memory. */
  bodyBytesMost: 1024 * 1024 * 1024,
} as const;
