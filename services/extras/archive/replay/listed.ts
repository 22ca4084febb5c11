/** Lists of the content of an archive, one page at a time. */
import type { ArchiveIndex } from './archive-index.ts';
import type { Capture } from './capture.ts';
import { replayLimits } from './replay-limits.ts';

/** The first hosts. Each takes one search, without reading their captures. */
export async function hostsOf(index: ArchiveIndex): Promise<{ readonly hosts: string[]; readonly isMore: boolean }> {
  const hosts: string[] = [];
  for (let key: string | null = '0'; key !== null; ) {
    const first: Capture | undefined = await firstOf(index.from(key));
    if (first === undefined) break;
    if (hosts.length === replayLimits.rowsMax) return { hosts, isMore: true };
    hosts.push(new URL(first.url).host);
    const end = first.key.indexOf(')');
    // The character after `)`.
    key = end < 0 ? null : `${first.key.slice(0, end)}*`;
  }
  return { hosts, isMore: false };
}

async function firstOf(captures: AsyncGenerator<Capture>): Promise<Capture | undefined> {
  for await (const capture of captures) return capture;
  return undefined;
}

/** A page's parts, which nobody looks for in a list: styles, scripts, fonts, images, sound and films. */
const ofParts =
  /^(?:image|font|audio|video)\/|^(?:text|application)\/(?:css|(?:x-)?(?:java|ecma)script|(?:x-)?font\b)/i;

/**
 * The first capture of each URL with a key that begins with that of `prefix`; `next`: where to continue, null: at the
 * end. `withParts`: also the parts of pages.
 */
export async function searched(
  index: ArchiveIndex,
  prefix: string,
  after: string,
  withParts = true,
): Promise<{ readonly found: Capture[]; readonly next: string | null }> {
  // A host alone selects all its pages, and those of its subdomains.
  const begin = prefix.endsWith(')/') ? prefix.slice(0, -2) : prefix;
  const fits = (key: string) =>
    key.startsWith(begin) && (begin.includes(')') || /^[),:]/.test(key.slice(begin.length)));
  const found: Capture[] = [];
  let [key, read] = ['', 0];
  for await (const capture of index.from(after > begin ? after : begin)) {
    if (!capture.key.startsWith(begin)) break;
    if (capture.key === key || capture.key === after || !fits(capture.key)) continue;
    if (found.length === replayLimits.rowsMax || read === replayLimits.searchedMax) return { found, next: key };
    key = capture.key;
    read += 1;
    if (withParts || !ofParts.test(capture.mime)) found.push(capture);
  }
  return { found, next: null };
}

/** Number of captures per month, as in `2026-01`. */
export async function monthsOf(index: ArchiveIndex, url: string): Promise<Map<string, number>> {
  const months = new Map<string, number>();
  for await (const { time } of index.of(url)) {
    const month = `${time.slice(0, 4)}-${time.slice(4, 6)}`;
    months.set(month, (months.get(month) ?? 0) + 1);
  }
  return months;
}

/** Captures from a time on. `next`: the time at which the next page begins. */
export async function shownCaptures(
  index: ArchiveIndex,
  url: string,
  fromMs: number,
): Promise<{ readonly rows: Capture[]; readonly next: string | null }> {
  const rows: Capture[] = [];
  for await (const capture of index.of(url)) {
    if (capture.atMs < fromMs) continue;
    // Captures of one second stay together.
    if (rows.length >= replayLimits.rowsMax && capture.time !== rows.at(-1)!.time) return { rows, next: capture.time };
    rows.push(capture);
  }
  return { rows, next: null };
}
