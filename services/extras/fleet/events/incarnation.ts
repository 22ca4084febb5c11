/**
 * A crawl may be deleted and made again under its name. Ids of events and cursors name the crawl that they are of, so that a
 * client of the former crawl is shown the new one from its beginning, and misses nothing.
 *
 * Crawls that an earlier release made have no such name, and neither have their ids.
 */
import type { CrawlFile } from '../crawl-file.ts';
import { beginning, type EventPosition, positionOf, positionText } from './event-position.ts';

/** Distinguishes a crawl from others of its name. */
export type Incarnation = Pick<CrawlFile, 'incarnation'>;

/** `12-1-lk3j2x4a`: the id of the event behind which a place is. */
export function eventId({ incarnation = '' }: Incarnation, position: EventPosition): string {
  return named(positionText(position), incarnation);
}

/** Where an id leads in this crawl: to its beginning if it belongs to another; undefined: it is no id. */
export function positionIn({ incarnation = '' }: Incarnation, id: string): EventPosition | undefined {
  const [, place = '', of = ''] = /^(\d+-\d+)(?:-([0-9a-z]{1,12}))?$/.exec(id) ?? [];
  const position = positionOf(place);
  return position === undefined || of === incarnation ? position : beginning;
}

/** `120-lk3j2x4a`: what a client gives to go on behind so many records of pages. */
export function cursorText({ incarnation = '' }: Incarnation, pages: number): string {
  return named(`${pages}`, incarnation);
}

/** Records of pages to skip: none if the cursor belongs to another crawl. */
export function cursorIn({ incarnation = '' }: Incarnation, cursor: string): number {
  const [pages, of = ''] = cursor.split('-');
  return of === incarnation ? Number(pages) : 0;
}

function named(place: string, incarnation: string): string {
  return incarnation === '' ? place : `${place}-${incarnation}`;
}
