/** Checks that this process has room for another crawl. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { descriptors } from '../../runtime/descriptors.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';

/**
 * Throws INVALID_ARGUMENT if another crawl would take files that running crawls need. `starting`: number of crawls that
 * have not opened their files yet.
 */
export function refuseWithoutRoom(starting: number): void {
  const there = descriptors();
  if (there === undefined) return;
  const { crawlFiles, descriptorShareMax } = fleetServiceLimits;
  if (there.open + crawlFiles * (starting + 1) <= descriptorShareMax * there.max) return;
  const message = `this process has ${there.open} of ${there.max} files open, too many for another crawl: raise its limit (ulimit -n), or pause or delete crawls`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
