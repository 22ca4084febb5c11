/**
 * Makes files private: a command writes pages, keys and credentials of crawls, which other users of the machine must
 * not read. CRAWLSTREAM_UMASK changes that, in octal digits as in the shell's `umask`: 022 lets all users read, 027 the
 * group.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';

const privateMask = 0o077;

/** Throws INVALID_ARGUMENT. Child processes have the same mask. */
export function keepFilesPrivate(given = process.env['CRAWLSTREAM_UMASK']): void {
  if (given !== undefined && given !== '' && !/^0?[0-7]{1,3}$/.test(given)) {
    const message = `CRAWLSTREAM_UMASK=${given}: give one to three octal digits, as in 022 (everybody may read) or 077 (nobody else)`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  process.umask(given ? Number.parseInt(given, 8) : privateMask);
}
