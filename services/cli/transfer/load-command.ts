/** `crawlstream load`: loads a dump into a new crawl, of any partition count, or known URLs into an existing crawl. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { DumpHead, DumpTotals } from '../../../topology/frontier/transfer/dump-line.ts';
import { parseDumpHead } from '../../../topology/frontier/transfer/parse-dump-line.ts';
import { type ScheduleName, scheduleNames } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { storedPolicy } from '../../../topology/policy/validate.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { loadCaptures } from '../../frontier/transfer/load-captures.ts';
import { loadCrawl } from '../../frontier/transfer/load-crawl.ts';
import { loadSeen } from '../../frontier/transfer/load-seen.ts';
import { readRequest, writeRequest } from '../../hosting/connect/crawl-folder.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { changedRecrawl } from '../../hosting/policy/changed-recrawl.ts';
import { createWorkBar, type WorkBar } from '../../hosting/progress/work-bar.ts';
import { capturesOfIndexes } from '../../operation/transfer/captures-of-index.ts';
import { withTarget } from '../../operation/transfer/load-target.ts';
import { refuseUrlList } from '../../operation/transfer/refuse-url-list.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { readLines } from '../../runtime/lines/read-lines.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { duration, oneOf } from '../flags/arguments.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { totalsText } from './dump-command.ts';

export interface LoadFlags extends KafkaFlags {
  readonly key?: KeyMode;
  readonly seen?: string;
  readonly fromCc?: readonly string[];
  readonly recrawl?: ScheduleName;
  readonly recrawlEvery?: number;
  readonly json?: boolean;
}

const printEveryMs = 5_000;

export function addLoadCommand(program: Command): void {
  const command = program
    .command('load')
    .description('load a dump into a new crawl, or lists of known URLs into a new or existing crawl')
    .argument('[file]', 'file written by crawlstream dump; - for standard input')
    .option('--seen <file>', 'file of URLs, one a line, never to fetch, such as another crawler’s seen set')
    .option(
      '--from-cc <file...>',
      'mark URLs in archive indexes as fetched: Common Crawl’s columnar index (Parquet), CDXJ, or folders of them',
    )
    .option(
      '--recrawl <schedule>',
      `with --from-cc: revisit these URLs, by this schedule (default: the policy’s, if it has one): ${scheduleNames.join(', ')}`,
      oneOf('--recrawl', scheduleNames),
    )
    .option(
      '--recrawl-every <duration>',
      'with --from-cc: time between visits of a page, on average (default: the policy’s, or 7d)',
      duration('--recrawl-every'),
    )
    .option(
      '--key <mode>',
      'partition by host or domain (default: as in the dump)',
      oneOf('--key', ['host', 'domain']),
    );
  addCompressionOption(addKafkaOptions(command, 'data folder to load into'))
    .option('--json', 'print the totals as one JSON object')
    .action((file: string | undefined, flags: LoadFlags) => load(file, flags));
}

async function load(file: string | undefined, flags: LoadFlags): Promise<void> {
  const { seen, fromCc, recrawl, recrawlEvery } = flags;
  if ([file, seen, fromCc].filter((one) => one !== undefined).length !== 1) {
    const message = 'give exactly one of: a dump file, --seen with a list of URLs, --from-cc with archive indexes';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  if (fromCc === undefined && (recrawl !== undefined || recrawlEvery !== undefined)) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--recrawl works only with --from-cc, since a dump contains its schedule: remove it',
    );
  }
  if (fromCc !== undefined) return loadIndexes(fromCc, flags);
  if (file === undefined) return loadList(seen!, flags);
  const totals = await loadFrom(file, flags);
  toStdout(flags.json ? `${JSON.stringify(totals)}\n` : `loaded: ${totalsText(totals)}\n`);
}

export async function loadFrom(file: string, flags: LoadFlags): Promise<DumpTotals> {
  const clock = new SystemClock();
  const { head, lines } = await openDump(file);
  const { partitions, fingerprintKey } = head;
  const fresh = { partitions, keyMode: flags.key ?? head.keyMode, fingerprintKey };
  let totals: DumpTotals | undefined;
  await withTarget(flags, clock, fresh, head.id, async (target) => {
    const bar = progressLines(clock);
    totals = await loadCrawl({ ...target, clock, head, lines, onProgress: bar.set });
    bar.end();
    const { folder } = target;
    // `crawl`'s request is copied, too, so that the same options change nothing.
    if (folder === null || head.asked === null || (await readRequest(folder)).policy !== null) return;
    await writeRequest(folder, { seeds: head.seeds, policy: storedPolicy(head.asked) });
  });
  return totals!;
}

async function loadList(file: string, flags: LoadFlags): Promise<void> {
  const clock = new SystemClock();
  const fresh = { keyMode: flags.key };
  await withTarget(flags, clock, fresh, null, async (target) => {
    const bar = progressLines(clock);
    const totals = await loadSeen({ ...target, clock, lines: readLines(file), onProgress: bar.set });
    bar.end();
    const { urls, imported, invalid, firstInvalid } = totals;
    if (flags.json) toStdout(`${JSON.stringify(totals)}\n`);
    else toStdout(`${counted(urls, 'URL')} read, ${imported} of them new\n`);
    if (invalid > 0) toStderr(`crawlstream: ${counted(invalid, 'line')} without a URL, the first: ${firstInvalid}\n`);
    if (urls === 0) process.exitCode = 1;
  });
}

async function loadIndexes(paths: readonly string[], flags: LoadFlags): Promise<void> {
  const clock = new SystemClock();
  await withTarget(flags, clock, { keyMode: flags.key }, null, async (target) => {
    const bar = progressLines(clock);
    const totals = await loadCaptures({
      ...target,
      captures: capturesOfIndexes(paths),
      recrawlOf: (before) => changedRecrawl(flags, before),
      onProgress: bar.set,
    });
    bar.end();
    const { captures, known, scheduled, failed, other } = totals;
    if (flags.json) return void toStdout(`${JSON.stringify(totals)}\n`);
    const again = scheduled > 0 ? `, ${scheduled} of them scheduled for refetch` : '';
    toStdout(`${counted(captures, 'capture')} read: ${counted(known, 'URL')} newly known${again}\n`);
    if (failed > 0) toStdout(`${counted(failed, 'URL')} with temporary failures: still unknown, and to be fetched\n`);
    if (other > 0) toStdout(`${counted(other, 'capture')} skipped: robots.txt, or not http or https\n`);
  });
}

/** The first line, and what follows it. */
async function openDump(file: string): Promise<{ readonly head: DumpHead; readonly lines: AsyncGenerator<string[]> }> {
  const lines = readLines(file);
  const first = await lines.next();
  const [text = '', ...others] = first.done ? [] : first.value;
  refuseUrlList(file, text);
  const head = parseDumpHead(text);
  return {
    head,
    lines: (async function* () {
      yield others;
      yield* lines;
    })(),
  };
}

/** On a terminal a count that goes up, elsewhere a line on stderr every few seconds. */
function progressLines(clock: SystemClock): Pick<WorkBar, 'set' | 'end'> {
  if (process.stderr.isTTY) return createWorkBar('lines loaded', 0);
  let printedMs = clock.nowMs();
  return {
    set(lines) {
      if (clock.nowMs() - printedMs < printEveryMs) return;
      printedMs = clock.nowMs();
      toStderr(`crawlstream: ${counted(lines, 'line', lines.toLocaleString('en-US'))} loaded\n`);
    },
    end: () => {},
  };
}
