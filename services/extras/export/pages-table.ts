/** `export pages`: the newest record of each page, in the order of their URLs. */
import type { Page } from '../../../schemas/types.ts';
import { firstBarred, type Use } from '../../../topology/usage/statement.ts';
import { newestRows } from '../../runtime/table/newest-rows.ts';
import type { Column, Row, Table } from '../../runtime/table/table.ts';
import { pageRecords, type Source } from '../../runtime/table/topic-records.ts';

const columns: readonly (Column & { readonly of: (page: Page) => Row[number] })[] = [
  { name: 'url', type: 'string', of: ({ url }) => url },
  { name: 'host', type: 'string', of: ({ hostKey }) => hostKey },
  { name: 'fetchedAt', type: 'timestamp', of: ({ fetchedAtMs }) => fetchedAtMs },
  { name: 'status', type: 'int', of: ({ status }) => status },
  { name: 'depth', type: 'int', of: ({ depth }) => depth },
  { name: 'contentType', type: 'string', of: ({ contentType }) => contentType },
  { name: 'title', type: 'string', of: ({ title }) => title },
  { name: 'description', type: 'string', of: ({ description }) => description },
  { name: 'text', type: 'string', of: ({ text }) => text },
  { name: 'mainText', type: 'string', of: ({ mainText }) => mainText || null },
  { name: 'markdown', type: 'string', of: ({ markdown }) => markdown || null },
  { name: 'language', type: 'string', of: ({ language }) => language || null },
  { name: 'canonical', type: 'string', of: ({ canonical }) => canonical || null },
  { name: 'contentHash', type: 'string', of: ({ contentHash }) => contentHash },
  { name: 'etag', type: 'string', of: ({ etag }) => etag || null },
  { name: 'lastModified', type: 'string', of: ({ lastModified }) => lastModified || null },
  { name: 'bytes', type: 'int', of: ({ bytes }) => bytes },
  { name: 'truncated', type: 'boolean', of: ({ truncated }) => truncated },
  { name: 'noindex', type: 'boolean', of: ({ noindex }) => noindex },
  { name: 'nofollow', type: 'boolean', of: ({ nofollow }) => nofollow },
  { name: 'links', type: 'int', of: ({ links }) => links },
  { name: 'linksDropped', type: 'int', of: ({ linksDropped }) => linksDropped },
  { name: 'metadata', type: 'json', of: ({ metadata }) => metadata || null },
  { name: 'fields', type: 'json', of: ({ fields }) => (fields.length === 0 ? null : JSON.stringify(byName(fields))) },
  { name: 'tags', type: 'json', of: ({ tags }) => (tags.length === 0 ? null : JSON.stringify(tags)) },
  { name: 'usage', type: 'json', of: ({ usage }) => (usage.length === 0 ? null : JSON.stringify(usage)) },
];

/** Only pages for which none of these uses is barred at `atMs`, ms since the Unix epoch. */
export interface UsableFor {
  readonly uses: readonly Use[];
  readonly atMs: number;
}

/** `leftOut` is called with each page that is barred. */
export function pagesTable(
  source: Source,
  folder: string,
  unreadable: () => void,
  usable: UsableFor | null = null,
  leftOut: () => void = () => {},
): Table {
  const rows = newestRows(rowsOf(source, unreadable), folder);
  return { columns, rows: usable === null ? rows : onlyUsable(rows, usable, leftOut) };
}

const usageAt = columns.length - 1;

/** Uses only the newest record of each page: an earlier one that allowed more no longer counts. */
async function* onlyUsable(rows: AsyncIterable<Row>, { uses, atMs }: UsableFor, leftOut: () => void) {
  for await (const row of rows) {
    const usageValue = row[usageAt] ?? null;
    const usage = usageValue === null ? [] : (JSON.parse(usageValue as string) as Page['usage']);
    if (firstBarred(usage, uses, atMs) === undefined) yield row;
    else leftOut();
  }
}

async function* rowsOf(source: Source, unreadable: () => void): AsyncGenerator<readonly [string, Row | null]> {
  for await (const { url, page } of pageRecords(source, unreadable)) {
    if (page === null) yield [url, null];
    else if (!source.purges.refuses(url, page.fetchedAtMs)) yield [url, columns.map(({ of }) => of(page))];
  }
}

function byName(fields: Page['fields']): Record<string, readonly string[]> {
  return Object.fromEntries(fields.map(({ name, values }) => [name, values]));
}
