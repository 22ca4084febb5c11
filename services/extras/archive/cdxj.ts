/**
 * CDXJ, the index of a WARC file: a line per response, sorted, with the URL's search key, its time, and its place.
 * Source: pywb's CDXJ format.
 */
import type { Response } from '../../../schemas/types.ts';
import { capturedAtMs } from './response-records.ts';
import { surtOf } from './surt.ts';

export interface Place {
  /** File name, without folders. */
  readonly file: string;
  readonly offset: number;
  /** Length of the compressed member, bytes. */
  readonly length: number;
}

export function cdxjLine(response: Response, digest: string, mime: string, place: Place): string {
  const { url, status } = response;
  const { file, offset, length } = place;
  const fields = {
    url,
    mime,
    status: `${status}`,
    digest,
    length: `${length}`,
    offset: `${offset}`,
    filename: file,
  };
  return `${surtOf(url)} ${cdxTime(capturedAtMs(response))} ${JSON.stringify(fields)}`;
}

/** Index of the fields of a line; -1: none. Both keys and URLs may contain braces. */
export function fieldsAt(line: string): number {
  return /^.*? \d{14} (?=\{)/.exec(line)?.[0].length ?? -1;
}

/** A time as 14 digits, UTC. */
export function cdxTime(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:T]|\..*/g, '');
}
