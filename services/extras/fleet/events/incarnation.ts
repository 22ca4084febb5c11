/**
 * A crawl may be deleted and created again under its name. Ids of events and cursors include the identity of their
 * crawl, so that a client of the former crawl gets the new one from its beginning, and misses nothing.
 *
 * Crawls of earlier releases have no such identity, and neither have their ids.
 */
import type { CrawlFile } from '../crawl-file.ts';
import { beginning, type EventPosition, positionOf, positionText } from './event-position.ts';

/** Distinguishes a crawl from others with its name. */
export type Incarnation = Pick<CrawlFile, 'incarnation'>;

/** `12-1-lk3j2x4a`: the id of the event before this position. */
export function eventId({ incarnation = '' }: Incarnation, position: EventPosition): string {
  return named(positionText(position), incarnation);
}

/** The position of an id in this crawl: the beginning if the id belongs to another crawl; undefined: not an id. */
export function positionIn({ incarnation = '' }: Incarnation, id: string): EventPosition | undefined {
  const [, place = '', of = ''] = /^(\d+-\d+)(?:-([0-9a-z]{1,12}))?$/.exec(id) ?? [];
  const position = positionOf(place);
  return position === undefined || of === incarnation ? position : beginning;
}

/** `120-lk3j2x4a`: the cursor after this many records of pages. */
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
