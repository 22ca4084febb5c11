/** Refuses a list of URLs in the place of a dump: one of two other commands was meant. */
import { CrawlstreamError } from '../../../topology/errors.ts';

/** `line`: the first of the file. Throws INVALID_ARGUMENT where it is a URL, or a comment as lists of seeds have them. */
export function refuseUrlList(file: string, line: string): void {
  if (!/^\uFEFF?\s*(https?:\/\/|#)/i.test(line)) return;
  const message = `${file} is a list of URLs, not a dump: to fetch them, run crawlstream inject ${file}; to never fetch them, crawlstream load --seen ${file}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
