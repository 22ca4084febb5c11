/**
 * Decides on a page if its site bars an intended use of the crawl (policy `uses`, `usesBarred`).
 *
 * | usesBarred | a page with a barred intended use |
 * | --- | --- |
 * | skip | is not fetched if robots.txt bars the use; if only the response does, it is not published |
 * | withhold | is fetched, and its links are followed; neither the page nor its raw response is published |
 * | mark | is published, and its record lists the barred uses |
 *
 * A use without a statement is not barred. Without `uses`, all pages are published, with the statements in the records.
 */
import { firstBarred, type Stated, type Statement, type Use } from './statement.ts';

export const whenBarred = ['skip', 'withhold', 'mark'] as const;
export type WhenBarred = (typeof whenBarred)[number];

export interface UsesPolicy {
  readonly uses?: readonly Use[] | undefined;
  /** Absent: withhold. */
  readonly usesBarred?: WhenBarred | undefined;
}

/** Returns the statement for which a URL is not fetched; undefined: none. `said`: statements of robots.txt. */
export function skipsFor(
  { uses, usesBarred }: UsesPolicy,
  said: readonly Statement[],
  atMs: number,
): Statement | undefined {
  return uses === undefined || usesBarred !== 'skip' ? undefined : firstBarred(said, uses, atMs);
}

/** Returns the statement for which a page is not published; undefined: none. */
export function withheldFor<S extends Stated>(
  { uses, usesBarred }: UsesPolicy,
  said: readonly S[],
  atMs: number,
): S | undefined {
  return uses === undefined || usesBarred === 'mark' ? undefined : firstBarred(said, uses, atMs);
}

/** Describes the statement in one line, for outcomes. */
export function barredText({
  use,
  source,
  said,
}: {
  readonly use: string;
  readonly source: string;
  readonly said: string;
}): string {
  return `${source} bars ${use}: ${said}`;
}
