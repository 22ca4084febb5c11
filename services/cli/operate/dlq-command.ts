/**
 * `crawlstream dlq`: lists dead letters, and replays them.
 *
 * A URL is forced into the frontier again, past the seen test; an unreadable or unhandled record is appended to its
 * original topic, byte by byte. The same append writes a mark to `dead-letters`: a letter with a mark is not replayed
 * again.
 */

import type { Command } from 'commander';
import { type DeadLetterReason, deadLetterReasons } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type ReadableCrawl, withCrawl } from '../../hosting/connect/open-crawl.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { deadLettersOf, type FoundDeadLetter } from '../../operation/dead-letters.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { hostFailures } from '../../runtime/crawl/host-failures.ts';
import { replayRequest } from '../../runtime/crawl/replay-dead-letter.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { oneOf } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';

interface DlqFlags extends KafkaFlags {
  readonly reason?: DeadLetterReason;
  readonly host?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Letters replayed by one request: it travels as one file, or one append. */
const deadLettersAtOnce = 500;

export function addDlqCommand(program: Command): void {
  const dlq = program.command('dlq').description('dead letters: what the crawl gave up on');
  const filtered = (command: Command) =>
    addCrawlOptions(command)
      .option(
        '--reason <reason>',
        `only dead letters with this reason: ${reasons.join(', ')}`,
        oneOf('--reason', reasons),
      )
      .option('--host <key>', 'only dead letters of this host');
  filtered(dlq.command('list').description('list URLs and records that the crawl gave up on, oldest first, one a line'))
    .option('--all', 'also list dead letters that were replayed')
    .option('--json', 'print one JSON object per dead letter')
    .action(list);
  addCrawlOptions(
    dlq.command('show').description('print one dead letter as JSON').argument('<id>', 'id as printed by dlq list'),
  )
    .option('--json', 'print the JSON on one line')
    .action(show);
  filtered(
    dlq
      .command('replay')
      .description('retry dead letters: the named ones, or all that match the options')
      .argument('[id...]'),
  )
    .option('--json', 'print the result as one JSON object')
    .action(replay);
}

const reasons = deadLetterReasons.filter((reason) => reason !== 'replayed');

async function list(flags: DlqFlags): Promise<void> {
  await withCrawl(flags, async (crawl) => {
    const because = reasonsOf(crawl);
    for await (const found of deadLettersOf(crawl, flags.data)) {
      if (!isWanted(found, flags) || (found.replayed && !flags.all)) continue;
      const output = await because(found);
      toStdout(`${flags.json ? JSON.stringify(plain(output)) : line(output)}\n`);
    }
  });
}

/**
 * Adds the reason to a dead letter of an unreachable host, if `results` still has it. The topic is read once, at the
 * first such letter.
 */
function reasonsOf({ log, codec, topics }: ReadableCrawl): (found: FoundDeadLetter) => Promise<FoundDeadLetter> {
  let failures: ReturnType<typeof hostFailures> | undefined;
  return async (found) => {
    const { deadLetter } = found;
    if (deadLetter.reason !== 'robotsUnreachable' && deadLetter.reason !== 'hostUnreachable') return found;
    failures ??= hostFailures(log, codec, topics);
    const failure = (await failures).get(deadLetter.hostKey);
    if (failure === undefined || failure.detail === '') return found;
    return { ...found, deadLetter: { ...deadLetter, detail: `${deadLetter.detail}; last failure: ${failure.detail}` } };
  };
}

async function show(id: string, flags: DlqFlags): Promise<void> {
  await withCrawl(flags, async (crawl) => {
    for await (const found of deadLettersOf(crawl, flags.data)) {
      if (found.id !== id) continue;
      const output = plain(await reasonsOf(crawl)(found));
      toStdout(`${JSON.stringify(output, null, flags.json ? 0 : 2)}\n`);
      return;
    }
    throw noSuchDeadLetter(id);
  });
}

async function replay(ids: string[], flags: DlqFlags): Promise<void> {
  if (ids.length === 0 && flags.reason === undefined && flags.host === undefined) {
    throw new CrawlstreamError('INVALID_ARGUMENT', 'no dead letters are selected: give their ids, --reason or --host');
  }
  let all = 0;
  const wanted = await withCrawl(flags, async (crawl) => {
    const found: FoundDeadLetter[] = [];
    for await (const one of deadLettersOf(crawl, flags.data)) {
      all += 1;
      if (ids.length > 0 ? ids.includes(one.id) : isWanted(one, flags)) found.push(one);
    }
    return found;
  });
  const missing = ids.find((id) => !wanted.some((one) => one.id === id));
  if (missing !== undefined) throw noSuchDeadLetter(missing);
  if (wanted.length === 0) throw nothingMatches(flags, all);
  const fresh = wanted.filter(({ replayed }) => !replayed);
  const clock = new SystemClock();
  for (let at = 0; at < fresh.length; at += deadLettersAtOnce) {
    const some = fresh.slice(at, at + deadLettersAtOnce);
    await sendRequest(flags, clock, (topics) => some.flatMap((one) => replayRequest(topics, one, clock.nowMs())));
  }
  const counts = { replayed: fresh.length, before: wanted.length - fresh.length };
  if (flags.json) toStdout(`${JSON.stringify(counts)}\n`);
  else toStdout(`${counts.replayed} replayed, ${counts.before} were already replayed\n`);
}

function nothingMatches({ reason, host }: DlqFlags, all: number): CrawlstreamError {
  const wanted = [
    ...(reason === undefined ? [] : [`for ${reason}`]),
    ...(host === undefined ? [] : [`of host ${host}`]),
  ];
  const there = all === 0 ? 'there are no dead letters' : `crawlstream dlq list prints all ${all}`;
  const message = `the crawl has no dead letter ${wanted.join(' ')}: nothing was done; ${there}`;
  return new CrawlstreamError('NO_MATCH', message);
}

function isWanted({ deadLetter }: FoundDeadLetter, { reason, host }: DlqFlags): boolean {
  return (reason === undefined || deadLetter.reason === reason) && (host === undefined || deadLetter.hostKey === host);
}

function plain({ id, deadLetter, replayed }: FoundDeadLetter): object {
  return { id, replayed, ...deadLetter, original: Buffer.from(deadLetter.original).toString('base64') };
}

function line({ id, deadLetter, replayed }: FoundDeadLetter): string {
  const { reason, url, attempts, status, detail, sourceTopic, sourcePartition, sourceOffset } = deadLetter;
  const what = url === '' ? `${sourceTopic}/${sourcePartition} at ${sourceOffset}` : url;
  const tried = attempts > 0 ? ` after ${counted(attempts, 'attempt')}` : '';
  const last = status > 0 ? `, last ${status}` : '';
  return `${id}  ${reason}${tried}${last}  ${what}${detail === '' ? '' : `  ${detail}`}${replayed ? '  (replayed)' : ''}`;
}

function noSuchDeadLetter(id: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `there is no dead letter ${id}: crawlstream dlq list prints all ids`);
}
