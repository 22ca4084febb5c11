/**
 * `export urls`: the newest outcome of each URL that was requested, or refused before a request, in the order of URLs.
 */

import type { UrlRecord } from '../../../topology/frontier/changes/changes.ts';
import { abandonedUrls } from '../crawl/abandoned-urls.ts';
import { newestRows } from './newest-rows.ts';
import type { Column, Row, Table } from './table.ts';
import { type Source, topicRecords } from './topic-records.ts';

const columns: readonly Column[] = [
  { name: 'url', type: 'string' },
  { name: 'host', type: 'string' },
  { name: 'outcome', type: 'string' },
  { name: 'status', type: 'int' },
  { name: 'at', type: 'timestamp' },
  { name: 'bytes', type: 'int' },
  { name: 'contentHash', type: 'string' },
  { name: 'redirectUrl', type: 'string' },
  { name: 'links', type: 'int' },
  { name: 'noindex', type: 'boolean' },
  { name: 'soft404', type: 'boolean' },
  { name: 'detail', type: 'string' },
  { name: 'tags', type: 'json' },
];

export function urlsTable(source: Source, folder: string, unreadable: () => void): Table {
  return { columns, rows: newestRows(rowsOf(source, unreadable), folder) };
}

async function* rowsOf(source: Source, unreadable: () => void): AsyncGenerator<readonly [string, Row]> {
  // Abandoned URLs come first: the outcome of a request is more useful.
  for (let partition = 0; partition < source.partitions; partition++)
    for await (const { hostKey, record } of abandonedUrls(source.log, source.crawl, partition))
      if (!source.purges.refuses(record.url, record.atMs)) yield [record.url, abandonedRow(hostKey, record)];
  for await (const { hostKey, completedAtMs, outcomes } of topicRecords(source, 'results', unreadable)) {
    for (const one of outcomes) {
      // The URL was given back without a request: it will come again.
      if (one.kind === 'returned' || source.purges.refuses(one.url, completedAtMs)) continue;
      yield [
        one.url,
        [
          one.url,
          hostKey,
          one.kind,
          one.status || null,
          completedAtMs,
          one.bytes,
          one.contentHash || null,
          one.redirectUrl || null,
          one.links,
          one.noindex,
          one.soft404,
          one.detail || null,
          one.tags.length === 0 ? null : JSON.stringify(one.tags),
        ],
      ];
    }
  }
}

/** The row of a URL without a request. */
function abandonedRow(hostKey: string, { url, outcome, atMs }: UrlRecord): Row {
  return [url, hostKey, outcome, null, atMs, 0, null, null, 0, false, false, 'given up with its host', null];
}
