/**
 * A fleet's durable data besides that of its crawls: small documents by name, such as `crawls/docs/fleet.json`. In a
 * folder they are files of that name; on Kafka they are records of one topic.
 */
export interface Documents {
  /** undefined: it does not exist. */
  get(key: string): Promise<string | undefined>;
  /** Atomic: a kill leaves the previous or the new text. Durable once it resolves. */
  put(key: string, text: string): Promise<void>;
  /** Does nothing if the document does not exist. */
  delete(key: string): Promise<void>;
  /** Returns the keys of documents with this prefix, in order. */
  keys(prefix: string): Promise<string[]>;
  /** Returns the location of a document, for an operator. */
  placeOf(key: string): string;
}

/** The part of `Documents` for readers. */
export type ReadableDocuments = Pick<Documents, 'get' | 'keys' | 'placeOf'>;
