/** Refuses a list of URLs in the place of a dump: one of two other commands was meant. */
import { CrawlstreamError } from '../../../topology/errors.ts';

/** `line`: the first of the file. Throws INVALID_ARGUMENT where it is a URL, or a comment as lists of seeds have them. */
export function refuseUrlList(file: string, line: string): void {
  if (!/^\uFEFF?\s*(https?:\/\/|#)/i.test(line)) return;
  const message = `${file} is a list of URLs, no dump: crawlstream inject ${file} has them fetched, load --seen ${file} has them never fetched`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
