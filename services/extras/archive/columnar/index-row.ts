/** One capture as a row of the columnar index. */

import { basename } from 'node:path';
import { canParse } from '../../../../topology/url/can-parse.ts';
import type { Cell, Row } from '../../../runtime/table/table.ts';
import { headerOf } from '../http-message.ts';
import type { IndexedRecord } from '../indexed-record.ts';
import type { IndexLine } from '../merged-index.ts';
import { hostColumns } from './host-columns.ts';

/** Bytes read of a payload. */
export interface Content {
  /** Null: it has no declared one. */
  readonly mimeDetected: string | null;
  /** The charset in the spelling of the index, for example `UTF-8`. */
  readonly charset: string | null;
  /** ISO 639-3, the most used first, comma-separated. */
  readonly languages: string | null;
}

/** Subsets of Common Crawl's index: fetched pages, other responses, and robots.txt files. */
export const subsets = ['warc', 'crawldiagnostics', 'robotstxt'] as const;
export type Subset = (typeof subsets)[number];

export function subsetOf({ url }: IndexLine, { fields, message }: IndexedRecord): Subset {
  if (new URL(url).pathname === '/robots.txt') return 'robotstxt';
  return message.status === 200 && fields.get('warc-type') !== 'revisit' ? 'warc' : 'crawldiagnostics';
}

/** `segment`: of the crawl, as its files are divided. */
export function indexRow(line: IndexLine, { fields, message }: IndexedRecord, content: Content, segment: string): Row {
  const { url, file, offset, length } = line;
  const { hostname, protocol, port, pathname, search } = new URL(url);
  const { status, headers } = message;
  return [
    line.text.slice(0, line.text.indexOf(' ')),
    url,
    hostname,
    ...hostColumns(hostname),
    protocol.slice(0, -1),
    port === '' ? null : Number(port),
    pathname,
    search === '' ? null : search.slice(1),
    Date.parse(fields.get('warc-date') ?? '') || 0,
    status,
    status >= 300 && status < 400 ? targetOf(headerOf(headers, 'location'), url) : null,
    fields.get('warc-payload-digest')?.replace(/^sha1:/i, '') ?? null,
    typeOf(headerOf(headers, 'content-type')),
    content.mimeDetected,
    content.charset,
    content.languages,
    fields.get('warc-truncated') ?? null,
    basename(file),
    offset,
    length,
    segment,
  ];
}

function typeOf(value: string): Cell {
  return value.split(';')[0]!.trim().toLowerCase() || null;
}

function targetOf(location: string, base: string): Cell {
  return location !== '' && canParse(location, base) ? new URL(location, base).href : null;
}
