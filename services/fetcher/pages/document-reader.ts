/**
 * A reader of documents that are no web pages. An extra offers it. A parser thread runs it, and is killed if it takes too
 * long. Plain data: it goes to workers.
 */
import type { ParsedPage, ParseOptions } from '../../../topology/parse/page.ts';

export interface DocumentReader {
  /** Name of the field in extraction rules that switches it on. */
  readonly name: string;
  /**
   * In lower case, without parameters. The fetcher itself reads `text/…`, `…+xml`, `application/xml`, `application/json`
   * and `application/feed+json`: no reader is asked for those.
   */
  readonly mediaTypes: readonly string[];
  /**
   * First bytes of its documents, as latin1: they decide if a response has no media type. Absent: they cannot. What begins
   * with `<`, also behind white space, is a page; and with a byte order mark, a page or text.
   */
  readonly mark?: string;
  /** Address of a module that exports a DocumentModule: a file with a name that ends in `-document.ts`. */
  readonly module: string;
}

export interface DocumentModule {
  /** Throws, or rejects, for a document that it cannot read. */
  read(body: Uint8Array, options: ParseOptions): ParsedPage | Promise<ParsedPage>;
}
