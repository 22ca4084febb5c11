/**
 * What a fleet must not lose beside its crawls' own data: small documents by name, such as `crawls/docs/fleet.json`. In its folder
 * they are files of that name; on Kafka they are records of one topic.
 */
export interface Documents {
  /** undefined: there is none. */
  get(key: string): Promise<string | undefined>;
  /** In one step: a kill leaves the text of before or of after. It is durable once this resolves. */
  put(key: string, text: string): Promise<void>;
  /** One that is not there is passed over. */
  delete(key: string): Promise<void>;
  /** Documents with names that begin so, in order. */
  keys(prefix: string): Promise<string[]>;
  /** Where it is, in words for an operator. */
  placeOf(key: string): string;
}

/** For whoever only looks at them. */
export type ReadableDocuments = Pick<Documents, 'get' | 'keys' | 'placeOf'>;
