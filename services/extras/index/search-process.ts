/**
 * A process for one search: SQLite holds its thread until the end, and a thread that is ended meanwhile takes its whole
 * process with it.
 */
import { CrawlstreamError, type ErrorCode } from '../../../topology/errors.ts';
import { type Hit, searchFolder } from './sqlite-index.ts';

export interface SearchOrder {
  readonly folder: string;
  readonly words: string;
  readonly limit: number;
}

export type SearchAnswer =
  | { readonly hits: readonly Hit[] }
  | { readonly code: ErrorCode | null; readonly message: string };

process.once('message', ({ folder, words, limit }: SearchOrder) => {
  process.send?.(
    answerOf(() => searchFolder(folder, words, { limit })),
    () => process.disconnect?.(),
  );
});

function answerOf(search: () => readonly Hit[]): SearchAnswer {
  try {
    return { hits: search() };
  } catch (error) {
    return { code: error instanceof CrawlstreamError ? error.code : null, message: (error as Error).message };
  }
}
