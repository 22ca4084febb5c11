/** Bounds of the Avro codec. */
export const avroLimits = {
  /** Items without bytes that an array of a foreign schema may claim; any other item needs at least a byte of input. */
  emptyItemsMax: 10_000,
  /** Ids of unknown schemas that are remembered, so that the registry is not asked for each junk record. */
  unknownIdsMax: 1_000,
  /** Interval of requests for an unknown schema: short, so that a recovered registry is noticed soon. */
  unknownAgainMs: 1_000,
  /** Schemas, as JSON, with compiled types in memory: about ten times those of a crawl's topics. */
  heldSchemaChars: 1_000_000,
} as const;
