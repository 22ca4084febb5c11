/** A crawl's data as a file of a kind that other programs read, made while it is taken. */
import type { CrawlFile } from '../crawl-file.ts';
import type { ReadLog } from '../running-crawl.ts';

export interface Output {
  /** Last part of its address, and the name under which it is saved. */
  readonly file: string;
  readonly type: string;
  /** Its content, as in its OpenAPI entry. */
  readonly about: string;
  /** Why a crawl has none of it, and what to do. Absent, or null: it has. */
  refusal?(file: CrawlFile): string | null;
  /** `folder`: where there is room for rows a second time. */
  bytes(reads: ReadLog, folder: string): AsyncIterable<Uint8Array>;
}
