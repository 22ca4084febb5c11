/** A crawl's data as a file for other programs. It is made while a client reads it. */
import type { CrawlFile } from '../crawl-file.ts';
import type { ReadLog } from '../running-crawl.ts';

export interface Output {
  /** Last part of the URL, and of the name under which the file is saved. */
  readonly file: string;
  readonly type: string;
  /** Summary of the content, for the OpenAPI document. */
  readonly about: string;
  /** Returns the reason why a crawl has no such file, with the remedy. Absent, or null: it has one. */
  refusal?(file: CrawlFile): string | null;
  /** Returns the bytes of the file. `folder`: a scratch folder, large enough for a second copy of the rows. */
  bytes(reads: ReadLog, folder: string): AsyncIterable<Uint8Array>;
}
