/**
 * Tombstones of `pages` (docs/decisions/0037-tombstones-on-pages.md): records of a URL without a page, which take back what
 * was published of it before.
 *
 * A handler is given a batch's pages and the URLs that the batch takes back, and no URL in both: a page behind its tombstone
 * counts, one before it is not handed over.
 */
import { canParse } from '../../../topology/url/can-parse.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { LogRecord } from '../log/log.ts';

export interface Forgotten {
  readonly url: string;
  readonly hostKey: string;
  readonly partition: number;
  readonly offset: number;
  /** When it was taken back, ms since the Unix epoch. */
  readonly atMs: number;
}

/** Null: it is none, or its key is no URL. */
export function forgottenOf({ key, value, partition, offset, timestampMs }: LogRecord): Forgotten | null {
  if (value.length > 0 || key === null) return null;
  const url = key.toString();
  const hostKey = canParse(url) ? hostKeyOf(url) : '';
  return hostKey === '' ? null : { url, hostKey, partition, offset, atMs: timestampMs };
}

/** Of the URLs' newest tombstones, those after which the batch has no page. */
export class ForgottenInBatch {
  readonly #newest = new Map<string, Forgotten>();

  add(forgotten: Forgotten): void {
    this.#newest.set(forgotten.url, forgotten);
  }

  get isEmpty(): boolean {
    return this.#newest.size === 0;
  }

  /** Is a page, which stands there, taken back further on? If it is not, it counts from now on. */
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
