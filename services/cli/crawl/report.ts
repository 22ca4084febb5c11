/** The report of a crawl that has ended: its status, what failed, and the commands that answer the next questions. */

import { countsOf } from '../../../topology/frontier/ask/crawl-counts.ts';
import { pagesFetched } from '../../../topology/frontier/changes/counters.ts';
import type { CrawlOutcome } from '../../application/crawl/crawl-outcome.ts';
import type { FailureLedger } from '../../hosting/crawl/failure-ledger.ts';
import { counted } from '../../runtime/counted.ts';
import { duplicatePagesText } from '../../runtime/crawl/duplicate-counts.ts';
import { clockText } from '../../runtime/figure-text.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { ownName } from '../../runtime/own-name.ts';
import { countsText } from '../inspect/counters-text.ts';
import { tlsLines } from './tls-lines.ts';
import { trapLines } from './trap-lines.ts';
import { whyFew } from './why-few.ts';

export interface Reported extends CrawlOutcome {
  /** The rule that stopped it (stop-rules.ts); undefined: none did. */
  readonly rule: string | undefined;
  /** Pages fetched when this run began; undefined: it was stopped before it looked. */
  readonly pagesBefore: number | undefined;
  /** Requests made when this run began; undefined: it was stopped before it looked. */
  readonly requestsBefore: number | undefined;
  /** The options that name the crawl to other commands. */
  readonly place: string;
  /** The command that continues it; null: the same command again. */
  readonly resume: string | null;
  readonly ledger: FailureLedger;
  readonly json?: boolean | undefined;
}

export function report(reported: Reported): void {
  const { end, rule, counters, traps, duplicates, seconds, pagesBefore, place, resume, ledger, json } = reported;
  const counts = countsOf(counters);
  const pagesNow = pagesBefore === undefined ? 0 : pagesFetched(counters) - pagesBefore;
  const rate = pagesNow > 0 && seconds > 0 ? ` (${(pagesNow / seconds).toFixed(1)} pages/s)` : '';
  const how = {
    done: 'The crawl is done',
    quotaSpent: 'The page quota is used up',
    stopped: rule === undefined ? 'Stopped' : `Stopped by ${rule},`,
  }[end];
  const say = json === true ? process.stderr : process.stdout;
  const name = ownName();
  say.write(`${how} after ${clockText(seconds)}${rate}.\n${countsText(counts)}\n`);
  const failures = ledger.lines();
  if (failures.length > 0)
    say.write(
      `\n  failed requests by kind, each with the first URL:\n${failures.map((line) => `    ${line}\n`).join('')}`,
    );
  const notRead = ledger.notRead();
  if (notRead !== null) say.write(`\n  skipped content types: ${notRead}\n`);
  if (ledger.cut !== null) say.write(`\n  ${cutText(ledger.cut)}\n`);
  const copies = duplicatePagesText(duplicates);
  if (copies !== null) say.write(`\n  ${copies}; to list them: ${name} duplicates ${place}\n`);
  const held = trapLines(traps, place);
  if (held.length > 0) say.write(`\n  URLs deferred by traps:\n${held.map((line) => `    ${line}\n`).join('')}`);
  for (const line of tlsLines(ledger.tlsHosts, place, resume)) say.write(`\n  ${line}\n`);
  if (counts.deferred > 0) say.write(`\n  ${deferredText(counts.deferred, name, place)}\n`);
  if (hadNothingToDo(reported)) say.write(`\n  ${nothingText(name, place)}\n`);
  if (end === 'done') for (const line of whyFew(counts, ledger, place)) say.write(`\n  ${line}\n`);
  say.write(`\n  pages:   ${name} pages ${place}\n`);
  if (counts.failed + counts.deadLettered + counts.denied + failures.length > 0) {
    say.write(`  failed:  ${name} pages --failed ${place}\n`);
    say.write(`  why:     ${name} explain ${inShell(ledger.example() ?? 'URL')} ${place}\n`);
  }
  if (end !== 'done' && resume === null) say.write('  resume:  the same command again\n');
  else if (end === 'stopped') say.write(`  resume:  ${name} ${resume}\n`);
  else if (end === 'quotaSpent')
    say.write(`  more:    ${name} ${resume} --max-pages ${2 * Math.max(1, counts.pages)}\n`);
  if (json === true)
    toStdout(
      `${JSON.stringify({ ...counts, seconds: Number(seconds.toFixed(3)), end, ...(rule === undefined ? {} : { rule }), ...(duplicates !== null && { duplicatePages: duplicates }) })}\n`,
    );
  if (end === 'stopped' && rule === undefined) process.exitCode = 130;
  else if (counts.pages === 0) process.exitCode = 1;
}

/** Returns whether an earlier run had ended all that the crawl knows. */
function hadNothingToDo({ end, counters, requestsBefore = 0 }: Reported): boolean {
  return end === 'done' && requestsBefore > 0 && counters.fetches === requestsBefore;
}

/** Options still count: they are kept, as part of the policy or in the data folder. */
function nothingText(name: string, place: string): string {
  return `Nothing was left to fetch: every URL of this crawl had ended before. The options of this command are kept for URLs that come later, as by ${name} inject URL ${place}, or ${name} requeue --outcome failed ${place} (--outcome page fetches all pages again)`;
}

/** Names the first cut page, the size at which it was cut, and the option that fetches whole pages. */
function cutText({ pages, url, bytes }: NonNullable<FailureLedger['cut']>): string {
  const size = `${bytes.toLocaleString('en-US')} bytes`;
  const which =
    pages === 1 ? `1 page was cut: ${url}` : `${pages.toLocaleString('en-US')} pages were cut, the first: ${url}`;
  return `${which}, after ${size}. To fetch whole pages, raise --max-body, and requeue them; pages --fields url,truncated lists them`;
}

/** A crawl ends although they are deferred: only an operator can release them. */
function deferredText(deferred: number, name: string, place: string): string {
  const urls = counted(deferred, 'URL', deferred.toLocaleString('en-US'));
  return `${urls} deferred by a block, a limit, a trap or a long Crawl-delay: ${name} hosts ${place} lists their hosts. After unblock, limit or release, the same command fetches these URLs`;
}
