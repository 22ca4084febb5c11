/**
 * Reads pages of a crawl in the order of fetching, from an offset. A page that was fetched again occurs again. Pages
 * that were purged or withdrawn are left out.
 */
import { readRecord } from '../../../runtime/avro/read-record.ts';
import { plainPage } from '../../../runtime/crawl/plain-page.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import type { Counts } from '../kept-pages.ts';
import type { ReadLog } from '../running-crawl.ts';

export interface SomePages {
  /** One page a line, as JSON. */
  readonly lines: readonly string[];
  /** Offset at which to continue. */
  readonly cursor: number;
}

export async function readPages(
  { log, codec, crawl }: ReadLog,
  counts: Counts,
  from: number,
  most: number,
): Promise<SomePages> {
  const topic = `${crawl}.pages`;
  const { start, end } = await log.offsets(topic, 0);
  const lines: string[] = [];
  let cursor = Math.min(Math.max(from, start), end);
  let chars = 0;
  for await (const { offset, value } of recordsOf(log, topic, 0, cursor, end)) {
    cursor = offset + 1;
    const page = await readRecord(codec, 'pages', value, () => {});
    if (page === undefined || !counts(page, offset)) continue;
    const line = JSON.stringify(plainPage(page));
    lines.push(line);
    chars += line.length;
    if (lines.length >= most || chars >= fleetServiceLimits.pagesCharsSoft) break;
  }
  return { lines, cursor };
}
