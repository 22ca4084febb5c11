/**
 * CDXJ, the index of a WARC file: a line per response, sorted, of the URL's search key, its time, and where it lies.
 * Source: pywb's CDXJ format; SURT (sort-friendly URI reordering transform) as the Internet Archive writes it.
 */
import type { Response } from '../../schemas/types.ts';

export interface Place {
  /** File name, without folders. */
  readonly file: string;
  readonly offset: number;
  /** Length of the compressed member, bytes. */
  readonly length: number;
}

export function cdxjLine(response: Response, digest: string, mime: string, place: Place): string {
  const { url, status, fetchedAtMs } = response;
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
  return `${surtOf(url)} ${cdxTime(fetchedAtMs)} ${JSON.stringify(fields)}`;
}

/** 14 digits, UTC. */
export function cdxTime(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:T]|\..*/g, '');
}

/** `http://www.Example.org:8080/a?B` → `org,example:8080)/a?b`. `url` is normalised. */
export function surtOf(url: string): string {
  const { hostname, port, pathname, search } = new URL(url);
  const labels = /^[\d.]+$|^\[/.test(hostname) ? [hostname] : hostname.split('.').reverse();
  if (labels.length > 2 && labels.at(-1) === 'www') labels.pop();
  return `${labels.join(',')}${port === '' ? '' : `:${port}`})${`${pathname}${search}`.toLowerCase()}`;
}
