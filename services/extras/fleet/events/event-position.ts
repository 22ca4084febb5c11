/**
 * A place among the events of a crawl: how many records of its pages and how many changes of the crawl itself are before
 * it. `12-1` as text, with which the id of the event begins that ends there (incarnation.ts).
 */
export interface EventPosition {
  readonly pages: number;
  readonly changes: number;
}

export const beginning: EventPosition = { pages: 0, changes: 0 };

const positionPattern = /^(\d{1,15})-(\d{1,9})$/;

export function positionText({ pages, changes }: EventPosition): string {
  return `${pages}-${changes}`;
}

/** undefined: it is none. */
export function positionOf(text: string): EventPosition | undefined {
  const match = positionPattern.exec(text);
  return match === null ? undefined : { pages: Number(match[1]), changes: Number(match[2]) };
}

export function isBefore(a: EventPosition, b: EventPosition): boolean {
  return a.pages < b.pages || (a.pages === b.pages && a.changes < b.changes);
}
