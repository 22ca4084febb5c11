/**
 * A position in the events of a crawl: the number of page records and of changes of the crawl before it. As text:
 * `12-1`. The id of the event before this position begins with this text (incarnation.ts).
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

/** undefined: the text is not a position. */
export function positionOf(text: string): EventPosition | undefined {
  const match = positionPattern.exec(text);
  return match === null ? undefined : { pages: Number(match[1]), changes: Number(match[2]) };
}

export function isBefore(a: EventPosition, b: EventPosition): boolean {
  return a.pages < b.pages || (a.pages === b.pages && a.changes < b.changes);
}
