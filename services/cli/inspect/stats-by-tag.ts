/** `crawlstream stats --by tag`: outcomes of a crawl's URLs, by tags of seeds. */
import { tmpdir } from 'node:os';
import type { ReadableCrawl } from '../../hosting/connect/open-crawl.ts';
import { counted } from '../../runtime/counted.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { rows } from '../../runtime/rows-text.ts';
import { countByTag, type TagCounts } from '../../runtime/table/by-tag.ts';
import { urlsTable } from '../../runtime/table/urls-table.ts';
import { print } from '../terminal/print.ts';

export async function printByTag({ log, codec, topics }: ReadableCrawl, json: boolean | undefined): Promise<void> {
  const { crawl, partitions } = topics;
  const source = { log, codec, crawl, partitions, purges: await readPurges(log, codec, topics) };
  let unreadable = 0;
  const groups = await countByTag(urlsTable(source, tmpdir(), () => (unreadable += 1)));
  const lost = unreadable === 0 ? [] : [['', `${unreadable} unreadable records skipped`] as const];
  const text = groups.length === 0 ? 'no URL has been requested yet' : rows([...groups.map(lineOf), ...lost]);
  print({ json: { by: 'tag', groups, unreadable }, text }, json);
}

function lineOf({ tag, urls, pages, bytes, outcomes }: TagCounts): readonly [string, string] {
  const others = Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'fetched' && outcome !== 'notModified')
    .map(([outcome, count]) => `, ${count} ${outcome}`);
  return [
    tag || '(no tag)',
    `${counted(urls, 'URL')}, ${counted(pages, 'page')}, ${(bytes / 1e6).toFixed(1)} MB${others.join('')}`,
  ];
}
