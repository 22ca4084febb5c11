/**
 * A crawl may be deleted and created again under its name. Ids of events and cursors include the identity of their
 * crawl, so that a client of the former crawl gets the new one from its beginning, and misses nothing.
 *
 * Crawls of earlier releases have no such identity, so their ids contain none.
 */
import type { CrawlFile } from '../crawl-file.ts';
import { beginning, type EventPosition, positionOf, positionText } from './event-position.ts';

/** Distinguishes a crawl from others with its name. */
export type Incarnation = Pick<CrawlFile, 'incarnation'>;

/** Returns the id of the event before this position, such as `12-1-lk3j2x4a`. */
export function eventId({ incarnation = '' }: Incarnation, position: EventPosition): string {
  return named(positionText(position), incarnation);
}

/** Returns the position of an id: the beginning, if the id belongs to another crawl. undefined: not an id. */
export function positionIn({ incarnation = '' }: Incarnation, id: string): EventPosition | undefined {
  const [, place = '', of = ''] = /^(\d+-\d+)(?:-([0-9a-z]{1,12}))?$/.exec(id) ?? [];
  const position = positionOf(place);
  return position === undefined || of === incarnation ? position : beginning;
}

/** Returns the cursor after this number of page records, such as `120-lk3j2x4a`. */
export function cursorText({ incarnation = '' }: Incarnation, pages: number): string {
  return named(`${pages}`, incarnation);
}

/** Returns the number of page records to skip: 0, if the cursor belongs to another crawl. */
export function cursorIn({ incarnation = '' }: Incarnation, cursor: string): number {
  const [pages, of = ''] = cursor.split('-');
  return of === incarnation ? Number(pages) : 0;
}

function named(place: string, incarnation: string): string {
  return incarnation === '' ? place : `${place}-${incarnation}`;
}
