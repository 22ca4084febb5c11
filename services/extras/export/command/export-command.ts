/** `crawlstream export`: a crawl's pages, URLs, hosts or links as JSON lines, CSV or Parquet, during it and after. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Use } from '../../../../topology/usage/statement.ts';
import { useList } from '../../../cli/flags/arguments.ts';
import { addCrawlOptions, addSkipDamaged } from '../../../cli/flags/kafka-flags.ts';
import { type ReadableCrawl, withCrawl } from '../../../hosting/connect/open-crawl.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { createWorkBar } from '../../../hosting/progress/work-bar.ts';
import { storedSchedules } from '../../../hosting/state/freshness-stats.ts';
import { counted } from '../../../runtime/counted.ts';
import { readPurges } from '../../../runtime/crawl/purges.ts';
import { readDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import { makeFolder } from '../../../runtime/disk/durable-names.ts';
import {
  folderBeside,
  isStandardOutput,
  type NamedFile,
  openNamedFile,
  streamInto,
  writeNamedFile,
} from '../../../runtime/disk/named-file.ts';
import { toStderr, toStdout } from '../../../runtime/logging/door.ts';
import { bad } from '../../../runtime/option-text.ts';
import { openStateStore } from '../../../runtime/store/open-store.ts';
import type { StateStore } from '../../../runtime/store/store.ts';
import { duplicatesTable } from '../../../runtime/table/duplicates-table.ts';
import { parquetBytes } from '../../../runtime/table/parquet-writer.ts';
import type { Column, RowWriter, Table } from '../../../runtime/table/table.ts';
import type { Source } from '../../../runtime/table/topic-records.ts';
import { urlsTable } from '../../../runtime/table/urls-table.ts';
import { readHostGraph, readPages } from '../../graph/link-graph.ts';
import { authorityList, hostEdges, pageEdges } from '../graph-tables.ts';
import { hostsTable } from '../hosts-table.ts';
import { type Format, formatOf, formats } from '../output-format.ts';
import { pagesTable } from '../pages-table.ts';
import { rateList } from '../rate-list.ts';
import { csv, jsonLines, rawCsv } from '../text-writers.ts';

const kinds = ['pages', 'urls', 'hosts', 'duplicates', 'graph', 'authority', 'rates'] as const;

interface ExportFlags extends KafkaFlags {
  readonly csvFormulas?: boolean;
  readonly format?: Format;
  readonly out?: string;
  readonly of: 'hosts' | 'pages';
  readonly uses?: Use[];
  readonly json?: boolean;
}

export function addExportCommand(program: Command): void {
  addSkipDamaged(
    addCrawlOptions(
      program
        .command('export')
        .description('write the pages, URLs, hosts, duplicates or links of a crawl as JSON lines, CSV or Parquet')
        .addArgument(new Argument('<what>', 'what to write').choices(kinds)),
    ),
  )
    .addOption(
      new Option(
        '--format <format>',
        'format of the rows: jsonl, csv or parquet (default: by the name of --out, else jsonl)',
      ).choices(formats),
    )
    .option('--out <file>', 'file to write (default: stdout; Parquet needs a file)')
    .addOption(
      new Option('--of <nodes>', 'with graph: nodes of the graph').choices(['hosts', 'pages']).default('hosts'),
    )
    .option('--csv-formulas', 'CSV: do not escape text that begins with = + - @, which spreadsheets run as a formula')
    .option(
      '--uses <list>',
      'pages: only those that may be used for these purposes, as in search,ai-input',
      useList('--uses'),
    )
    .option('--json', 'print a summary as one JSON object, on stderr if the rows go to stdout')
    .addHelpText(
      'after',
      `
Pages and URLs come in the order of their URLs, each once, as of its newest fetch. Duplicates (of --with dedup) come with
the page that represents their cluster, and their kind: exact, near, or syndicated on another domain. A graph needs a crawl made with
--with graph (on Kafka: fetchers with --outlinks and crawlstream graph); hosts then have inDegree and pageRank too, and
authority is the PageRank of hosts as a list for a policy's score.lists. Rates are the changes per day of each page that was
visited twice, as npm run bench -- freshness --rates takes them.

Example:
  $ crawlstream export pages --data crawl-data/example.org --format parquet --out pages.parquet`,
    )
    .action(exportTable);
}

async function exportTable(what: (typeof kinds)[number], flags: ExportFlags): Promise<void> {
  const { out } = flags;
  // Lists for a policy are plain text, whatever their names.
  const isList = what === 'authority' || what === 'rates';
  const format = isList ? (flags.format ?? 'jsonl') : formatOf(flags.format, out);
  if (format === 'parquet' && out === undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--out is missing: Parquet is written to a file, as in --out x.parquet',
    );
  }
  let unreadable = 0;
  if (flags.uses !== undefined && what !== 'pages')
    throw bad('--uses', flags.uses.join(','), 'it works only for pages, as in export pages --uses search');
  let rows = 0;
  let barred = 0;
  await withCrawl(flags, async (readable) => {
    const { log, codec, topics } = readable;
    const { crawl, partitions } = topics;
    if (what === 'rates') {
      rows = await writeLines(rateList(await storedSchedules(withStates(readable), partitions)), out);
      return;
    }
    const source: Source = { log, codec, crawl, partitions, purges: await readPurges(log, codec, topics) };
    await withGraph(what, flags, async (graph) => {
      if (what === 'authority') {
        rows = await writeLines(authorityList(await readHostGraph(graph!)), out);
        return;
      }
      const usable = flags.uses === undefined ? null : { uses: flags.uses, atMs: Date.now() };
      const scratch = await scratchFor(out);
      const unread = () => (unreadable += 1);
      const table =
        what === 'pages'
          ? pagesTable(source, scratch, unread, usable, () => (barred += 1))
          : await tableOf(what, flags.of, source, graph, scratch, unread);
      const toCsv = flags.csvFormulas === true ? rawCsv : csv;
      rows = await writeTable(table, format, out, toCsv);
    });
  });
  const summary = {
    what,
    ...(what !== 'authority' && what !== 'rates' && { format }),
    rows,
    unreadable,
    ...(flags.uses !== undefined && { barred }),
    ...(out !== undefined && { file: out }),
  };
  const text = `${counted(rows, 'row')}${unreadable === 0 ? '' : `, ${unreadable} unreadable records skipped`}${barred === 0 ? '' : `, ${barred} pages left out, whose sites forbid these uses`}`;
  const isOutput = out === undefined || (await isStandardOutput(out));
  const stream = isOutput ? process.stderr : process.stdout;
  if (flags.json) stream.write(`${JSON.stringify(summary)}\n`);
  else toStderr(`${text}${out === undefined ? '' : ` in ${out}`}\n`);
}

/** The times of next visits are only in the state, and on no topic that others read. */
function withStates(readable: ReadableCrawl): ReadableCrawl {
  if (readable.folder !== null) return readable;
  const message = 'rates need a data folder: give the --data of a crawl, without --brokers';
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

async function scratchFor(out: string | undefined): Promise<string> {
  if (out === undefined) return tmpdir();
  await makeFolder(dirname(out));
  return (await folderBeside(out)) ?? tmpdir();
}

async function tableOf(
  what: Exclude<(typeof kinds)[number], 'pages'>,
  of: ExportFlags['of'],
  source: Source,
  graph: StateStore | null,
  scratch: string,
  unreadable: () => void,
): Promise<Table> {
  if (what === 'urls') return urlsTable(source, scratch, unreadable);
  if (what === 'duplicates') return duplicatesTable(source, scratch, unreadable);
  if (what === 'hosts') return hostsTable(source, graph === null ? null : await readHostGraph(graph), unreadable);
  return of === 'hosts' ? hostEdges(await readHostGraph(graph!)) : pageEdges(readPages(graph!));
}

/** Null: no graph is kept, or none is wanted. */
async function withGraph(
  what: (typeof kinds)[number],
  flags: ExportFlags,
  act: (graph: StateStore | null) => Promise<void>,
): Promise<void> {
  const wanted = what === 'graph' || what === 'hosts' || what === 'authority';
  const folder = wanted && flags.data !== undefined ? (await readDataFolder(flags.data)).part('graph') : null;
  if (folder === null || !existsSync(folder)) {
    if (what !== 'graph' && what !== 'authority') return act(null);
    const remedy = 'crawl with --with graph, or run crawlstream graph, then give that --data folder';
    throw new CrawlstreamError('INVALID_ARGUMENT', `there is no link graph: ${remedy}`);
  }
  const store = await openStateStore(folder, { readOnly: true });
  try {
    await act(store);
  } finally {
    await store.close();
  }
}

async function writeLines(lines: readonly string[], out: string | undefined): Promise<number> {
  const text = lines.map((line) => `${line}\n`).join('');
  if (out === undefined) toStdout(text);
  else {
    await makeFolder(dirname(out));
    await writeNamedFile(out, text);
  }
  return lines.length;
}

/** A file appears under its name once it is whole. */
async function writeTable(table: Table, format: Format, out: string | undefined, toCsv: typeof csv): Promise<number> {
  const toText = format === 'csv' ? toCsv : jsonLines;
  if (out === undefined) return pour(table, toText(process.stdout, table.columns));
  const file = await openNamedFile(out);
  try {
    const rows = await (format === 'parquet' ? pourParquet(table, file) : pourText(table, toText, file));
    await file.finish();
    return rows;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

async function pourText(
  table: Table,
  writer: (out: Writable, columns: readonly Column[]) => RowWriter,
  file: NamedFile,
): Promise<number> {
  const stream = streamInto(file);
  const ended = finished(stream);
  // A write may fail at any time; waiting only for the stream to drain would then never end.
  const rows = await Promise.race([pour(table, writer(stream, table.columns)), ended.then(() => 0)]);
  stream.end();
  await ended;
  return rows;
}

async function pourParquet({ columns, rows }: Table, file: NamedFile): Promise<number> {
  const bar = createWorkBar('rows written', 0);
  let count = 0;
  async function* counted() {
    for await (const row of rows) {
      yield row;
      count += 1;
      bar.add(1);
    }
  }
  for await (const bytes of parquetBytes({ columns, rows: counted() })) await file.write(bytes);
  bar.end();
  return count;
}

async function pour({ rows }: Table, writer: RowWriter): Promise<number> {
  let count = 0;
  const bar = createWorkBar('rows written', 0);
  for await (const row of rows) {
    await writer.write(row);
    count += 1;
    bar.add(1);
  }
  bar.end();
  await writer.end();
  return count;
}
