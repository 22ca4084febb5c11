/**
 * Tombstones of `pages` (docs/decisions/0037-tombstones-on-pages.md): records of a URL without a page, which delete
 * everything that was published of it before.
 *
 * A handler receives the pages of a batch and the URLs that the batch deletes, never the same URL in both: a page
 * after its tombstone counts, and one before it is left out.
 */
import { canParse } from '../../../topology/url/can-parse.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { LogRecord } from '../log/log.ts';

export interface Forgotten {
  readonly url: string;
  readonly hostKey: string;
  readonly partition: number;
  readonly offset: number;
  /** Time of the deletion, ms since the Unix epoch. */
  readonly atMs: number;
}

/** Null: the record is not a tombstone, or its key is not a URL. */
export function forgottenOf({ key, value, partition, offset, timestampMs }: LogRecord): Forgotten | null {
  if (value.length > 0 || key === null) return null;
  const url = key.toString();
  const hostKey = canParse(url) ? hostKeyOf(url) : '';
  return hostKey === '' ? null : { url, hostKey, partition, offset, atMs: timestampMs };
}

/** The newest tombstones of URLs without a later page in the batch. */
export class ForgottenInBatch {
  readonly #newest = new Map<string, Forgotten>();

  add(forgotten: Forgotten): void {
    this.#newest.set(forgotten.url, forgotten);
  }

  get isEmpty(): boolean {
    return this.#newest.size === 0;
  }

  /**
   * Returns whether a page at this offset is deleted by a later tombstone. If it is not, the page counts from now on.
   */
  takesBack(url: string, offset: number): boolean {
    const forgotten = this.#newest.get(url);
    if (forgotten === undefined) return false;
    if (forgotten.offset > offset) return true;
    this.#newest.delete(url);
    return false;
  }

  all(): readonly Forgotten[] {
    return [...this.#newest.values()];
  }
}
