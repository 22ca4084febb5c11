/**
 * Counts how many pages of a path prefix are duplicates of others under it, and reports that to the frontier by
 * `control` as the count doubles.
 *
 * Prefixes are those of the frontier's traps: of a URL's shape, up to its last segment or without its values. Each URL counts once, with the
 * verdict it got when it was first read.
 */
import type { Control } from '../../../schemas/types.ts';
import { contentLimits } from '../../../topology/content/content-limits.ts';
import { shapeOf } from '../../../topology/policy/traps/shape.ts';
import { prefixOf } from '../../../topology/policy/traps/step-contents.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { controlEvent } from '../../runtime/crawl/control-log.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { fromJson, jsonRow, type Rate, rateKey } from './rows.ts';

export interface PageSample {
  readonly url: string;
  readonly hostKey: string;
  /** Empty: the page is not a duplicate. */
  readonly representative: string;
}

export interface RateUpdate {
  readonly ops: readonly StoreOp[];
  readonly events: readonly Control[];
}

/** Reads and counts; the caller writes the rows once the events are acked. */
export async function countRates(
  store: StateStore,
  samples: readonly PageSample[],
  nowMs: number,
): Promise<RateUpdate> {
  const byPrefix = new Map<
    string,
    { hostKey: string; prefix: string; key: Buffer; pages: number; duplicates: number }
  >();
  for (const { url, hostKey, representative } of samples) {
    const prefix = prefixOf(shapeOf(url));
    const name = `${hostKey}\0${prefix}`;
    let count = byPrefix.get(name);
    if (count === undefined) {
      count = { hostKey, prefix, key: rateKey(hostKey, prefix), pages: 0, duplicates: 0 };
      byPrefix.set(name, count);
    }
    count.pages += 1;
    if (isSibling(representative, hostKey, prefix)) count.duplicates += 1;
  }
  const counts = [...byPrefix.values()];
  const before = await store.getMany(counts.map(({ key }) => key));
  const ops: StoreOp[] = [];
  const news = new Map<string, (Rate & { prefix: string })[]>();
  for (const [i, { hostKey, prefix, key, pages, duplicates }] of counts.entries()) {
    const old = fromJson<Rate>(before[i]) ?? { pages: 0, duplicates: 0 };
    const rate: Rate = { pages: old.pages + pages, duplicates: old.duplicates + duplicates };
    ops.push(jsonRow(key, rate));
    if (stepOf(rate.pages) === stepOf(old.pages)) continue;
    const list = news.get(hostKey) ?? [];
    list.push({ prefix, ...rate });
    news.set(hostKey, list);
  }
  const events = [...news].map(([hostKey, prefixes]) =>
    controlEvent({ kind: 'duplicates', atMs: nowMs, by: 'dedup', hostKey, payload: JSON.stringify({ prefixes }) }),
  );
  return { ops, events };
}

/**
 * True if both pages are under this prefix. Duplicates elsewhere do not count against the prefix: translated manuals
 * contain untranslated pages once for each language.
 */
function isSibling(representative: string, hostKey: string, prefix: string): boolean {
  return representative !== '' && hostKeyOf(representative) === hostKey && prefixOf(shapeOf(representative)) === prefix;
}

/** Rises when the count first suffices for a report, and at each doubling. */
function stepOf(pages: number): number {
  return pages < contentLimits.ratePagesMin ? 0 : Math.floor(Math.log2(pages / contentLimits.ratePagesMin)) + 1;
}
