/** Bounds of the Avro codec. */
export const avroLimits = {
  /** Items of no width that an array of a foreign schema may claim; any other item needs at least a byte of input. */
  emptyItemsMax: 10_000,
  /** Schemas of other records remembered, so that junk does not ask the registry each time. */
  unknownIdsMax: 1_000,
  /** A schema that nobody knows is asked for again after this: a registry that comes back is noticed at once. */
  unknownAgainMs: 1_000,
} as const;
