/**
 * Reads the pages that leases took from the schedule: from memory if they are not in the checkpoint yet, otherwise
 * all at once.
 */
import { CrawlstreamError } from '../../errors.ts';
import { entryOfPage, type PageRecord, readPageRecord, urlRowKey } from '../changes/page-record.ts';
import { unread } from '../hosts/lease.ts';
import type { PageRead } from '../recrawl/recrawl-state.ts';
import type { FrontierState } from '../state/state.ts';
import { ByteReader } from '../storage/bytes.ts';
import type { StoreJob } from '../storage/store-job.ts';

/** Throws INVALID_RECORD if the checkpoint lacks a scheduled page. */
export function* readPages(state: FrontierState): StoreJob {
  const { recrawl } = state;
  // A replay may have resolved them meanwhile.
  const wanted = recrawl.reads.filter(({ leaseId, index }) => state.leases.get(leaseId)?.entries[index] === unread);
  recrawl.reads = [];
  const missing: PageRead[] = [];
  for (const read of wanted) {
    const page = recrawl.pageAt(read.hi, read.lo);
    if (page === undefined) missing.push(read);
    else fill(state, read, page);
  }
  if (missing.length === 0) return;
  const values = yield { read: missing.map(({ hi, lo }) => urlRowKey(hi, lo)) };
  missing.forEach((read, i) => {
    const value = values[i];
    if (value == null) {
      const message = `the state folder lacks a page that lease ${read.leaseId} refetches: delete the folder`;
      throw new CrawlstreamError('INVALID_RECORD', `${message}; the next start rebuilds it from the changelog`);
    }
    fill(state, read, readPageRecord(new ByteReader(value)));
  });
}

function fill(state: FrontierState, { leaseId, index }: PageRead, page: PageRecord): void {
  const lease = state.leases.get(leaseId)!;
  lease.entries[index] = entryOfPage(page);
  lease.pages.set(index, page);
}
