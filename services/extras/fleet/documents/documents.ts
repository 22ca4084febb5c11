/**
 * A fleet's durable data besides that of its crawls: small documents by name, such as `crawls/docs/fleet.json`. In a
 * folder they are files of that name; on Kafka they are records of one topic.
 */
export interface Documents {
  /** undefined: it does not exist. */
  get(key: string): Promise<string | undefined>;
  /** Atomic: a kill leaves the previous or the new text. Durable once it resolves. */
  put(key: string, text: string): Promise<void>;
  /** A missing document is skipped. */
  delete(key: string): Promise<void>;
  /** Documents with this prefix, in order. */
  keys(prefix: string): Promise<string[]>;
  /** Location of a document, in words for an operator. */
  placeOf(key: string): string;
}

/** For readers only. */
export type ReadableDocuments = Pick<Documents, 'get' | 'keys' | 'placeOf'>;
