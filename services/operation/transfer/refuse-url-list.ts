/** Refuses a list of URLs instead of a dump: the user meant one of two other commands. */
import { CrawlstreamError } from '../../../topology/errors.ts';

/** `line`: the first line of the file. Throws INVALID_ARGUMENT if it is a URL, or a comment as in lists of seeds. */
export function refuseUrlList(file: string, line: string): void {
  if (!/^\uFEFF?\s*(https?:\/\/|#)/i.test(line)) return;
  const message = `${file} is a list of URLs, not a dump: to fetch them, run crawlstream inject ${file}; to never fetch them, crawlstream load --seen ${file}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
