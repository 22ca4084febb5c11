/**
 * What follows for a crawl when a site bars one of the uses that its pages are wanted for (policy `uses`, `usesBarred`).
 *
 * | usesBarred | a page of which a wanted use is barred |
 * | --- | --- |
 * | skip | is not fetched where robots.txt says so; where only the response says so, it is not published |
 * | withhold | is fetched, and its links are followed; neither the page nor its raw response is published |
 * | mark | is published, and its record says what is barred |
 *
 * What nobody spoke of is not barred. Without `uses`, all is published, and records say what was said all the same.
 */
import { firstBarred, type Stated, type Statement, type Use } from './statement.ts';

export const whenBarred = ['skip', 'withhold', 'mark'] as const;
export type WhenBarred = (typeof whenBarred)[number];

export interface UsesPolicy {
  readonly uses?: readonly Use[] | undefined;
  /** Absent: withhold. */
  readonly usesBarred?: WhenBarred | undefined;
}

/** What makes that a URL is not fetched at all; undefined: nothing does. `said`: by robots.txt. */
export function skipsFor(
  { uses, usesBarred }: UsesPolicy,
  said: readonly Statement[],
  atMs: number,
): Statement | undefined {
  return uses === undefined || usesBarred !== 'skip' ? undefined : firstBarred(said, uses, atMs);
}

/** What makes that a page is not published; undefined: nothing does. */
export function withheldFor<S extends Stated>(
  { uses, usesBarred }: UsesPolicy,
  said: readonly S[],
  atMs: number,
): S | undefined {
  return uses === undefined || usesBarred === 'mark' ? undefined : firstBarred(said, uses, atMs);
}

/** In one line, as outcomes have it. */
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
