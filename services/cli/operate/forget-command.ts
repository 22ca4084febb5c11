/**
 * `crawlstream forget`: removes purged pages, and pages with withdrawn permission, from every store of copies, and
 * writes a signed receipt.
 *
 * Each step can be repeated, so the next run completes one that was killed. No crawl may run on a data folder; on
 * brokers the roles keep running and catch up themselves.
 */
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Place } from '../../application/processor/holding.ts';
import { consumers } from '../../application/topology.ts';
import { needData } from '../../hosting/connect/folder-log.ts';
import { findMarks } from '../../operation/forget/find-marks.ts';
import { type ForgetFlags, type Found, forgetInFolder, forgetOnBrokers } from '../../operation/forget/forget.ts';
import { type Receipt, receiptKey, signReceipt } from '../../operation/forget/receipt.ts';
import { type Clock, SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { makeFolders } from '../../runtime/disk/make-folders.ts';
import { writeNamedFile } from '../../runtime/disk/named-file.ts';
import { rows } from '../../runtime/rows-text.ts';
import { addOperatorOptions, operatorsGroup } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

export function addForgetCommand(program: Command): void {
  const command = addOperatorOptions(program.command('forget').helpGroup(operatorsGroup))
    .description('erase the data of purged and no longer permitted pages; a signed receipt lists copies left')
    .option('--receipt <file>', 'file for the signed receipt (default: receipts/ in the data folder)')
    .option(
      '--receipt-key <key>',
      'private Ed25519 key, env:NAME or file:PATH (default: a key of the crawl, created once)',
    )
    .option('--verify', 'change nothing; search every file of the data folder for --mark (required)')
    .option('--mark <text...>', 'text to search for with --verify: a line of a forgotten page, or its URL')
    .addHelpText(
      'after',
      `

Pages: a tombstone for each; in a data folder their records are erased, on brokers compaction forgets them. Dedup, index and

graph follow, WARC files are rewritten without the records. A data folder's crawl must have ended (Ctrl-C, and go on

afterwards). The receipt is a JSON Web Signature: what was ordered, what went where, what was not reached.

Example:
  $ crawlstream purge https://example.org/about --data crawl-data/example.org
  $ crawlstream forget --data crawl-data/example.org
  $ crawlstream forget --verify --mark "a line of its text" --data crawl-data/example.org`,
    )
    .action(forget);
  for (const { holds } of consumers) {
    if (typeof holds === 'object' && holds.option) command.option(holds.option.flags, holds.option.about);
  }
}

async function forget(flags: ForgetFlags): Promise<void> {
  const clock = new SystemClock();
  if (flags.verify) return verify(flags);
  const found = await (flags.brokers === undefined ? forgetInFolder(flags, clock) : forgetOnBrokers(flags, clock));
  await give(flags, found, clock);
}

/** Throws INVALID_RECORD if a mark is found, or a file could not be searched. */
async function verify(flags: ForgetFlags): Promise<void> {
  const { mark: marks = [] } = flags;
  if (flags.brokers !== undefined || marks.length === 0 || marks.includes('')) {
    const message =
      'forget --verify searches a data folder: name it (--data), and what to search for (--mark "a line of the page")';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const { path } = await readDataFolder(await needData(flags));
  const searched = await findMarks(path, marks);
  const { files, bytes, found, unread } = searched;
  const text = [
    `${counted(files, 'file')}, ${counted(bytes, 'byte')} searched: ${found.length === 0 ? 'no mark is found' : `${found.length} found`}`,
    rows(found.map(({ file, mark }): [string, string] => [`  ${file}`, mark])),
    rows(unread.map(({ file, why }): [string, string] => [`  ${file}`, `could not be searched: ${why}`])),
  ];
  print({ json: searched, text: text.filter((part) => part !== '').join('\n') }, flags.json);
  if (found.length + unread.length === 0) return;
  const message = `${path} still has ${counted(found.length, 'mark')}, and ${counted(unread.length, 'file')} that could not be searched: stop the crawl, and run crawlstream forget (URLs stay in topics of state until those are trimmed)`;
  throw new CrawlstreamError('INVALID_RECORD', message);
}

async function give(flags: ForgetFlags, found: Found, clock: Clock): Promise<void> {
  const { crawl, folder, isWhole, purged, withdrawn, places, notReached } = found;
  const atMs = clock.nowMs();
  const receipt: Receipt = {
    receipt: 'crawlstream-forget-1',
    crawl,
    at: new Date(atMs).toISOString(),
    by: flags.by,
    purged,
    withdrawn,
    places,
    notReached,
  };
  const signed = signReceipt(receipt, await receiptKey(flags.receiptKey, join(folder, 'receipts', 'key.pem')));
  const file = flags.receipt ?? join(folder, 'receipts', `${receipt.at.replaceAll(/[:.]/g, '-')}.jws`);
  await makeFolders(dirname(file), { recursive: true });
  await writeNamedFile(file, `${signed}\n`);
  print({ json: { ...receipt, file }, text: textOf(receipt, file) }, flags.json);
  const left = places.filter((one) => one.left > 0 && isWhole);
  if (left.length === 0) return;
  const where = left.map(({ place }) => place).join(', ');
  throw new CrawlstreamError(
    'INVALID_RECORD',
    `some data could not be removed from ${where}: run the same command again`,
  );
}

function textOf({ purged, withdrawn, places, notReached }: Receipt, file: string): string {
  const line = ({ place, removed, left, more = {} }: Place): [string, string] => {
    const also = Object.entries(more)
      .filter(([, value]) => (Array.isArray(value) ? value.length : value) !== 0)
      .map(([name, value]) => `, ${name} ${Array.isArray(value) ? value.length : value}`);
    return [`  ${place}`, `${removed === undefined ? '' : `${removed} removed, `}${left} left${also.join('')}`];
  };
  return [
    `${counted(purged.length, 'order')} to purge, ${counted(withdrawn, 'page')} withdrawn`,
    rows(places.map(line)),
    'not reached:',
    rows(notReached.map(({ place, why }): [string, string] => [`  ${place}`, why])),
    `signed receipt: ${file}`,
  ].join('\n');
}
