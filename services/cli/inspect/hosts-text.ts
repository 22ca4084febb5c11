/** Prints `hosts` for people: a table of hosts, or one host and a page of its queue. */
import type { HostRow } from '../../../topology/frontier/ask/list-hosts.ts';
import { queueName } from '../../../topology/frontier/queues/held-queues.ts';
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import type { HostsAnswer } from '../../frontier/query/host-lists.ts';
import type { CrawlObstacle } from '../../hosting/inspect/crawl-obstacle.ts';
import { nothingToFetch } from '../../hosting/inspect/host-status.ts';
import type { PlacedAnswer } from '../../hosting/inspect/hosts.ts';
import { counted } from '../../runtime/counted.ts';
import { rows } from '../../runtime/rows-text.ts';
import { whenText } from '../../runtime/when-text.ts';
import { holdNames } from '../../runtime/words.ts';

const heads = [
  'host',
  'queued',
  'deferred',
  'fetched',
  'pages',
  'no page',
  'in a row',
  'delay',
  'next contact',
] as const;

/** `nowMs`: about the time of the processes that answered. `obstacle`: why no host is requested now. */
export function hostsText(
  { hosts, matched, known, missing }: HostsAnswer,
  nowMs: number,
  obstacle: CrawlObstacle | null,
): string {
  const table = [heads, ...hosts.map((host) => cells(host, nowMs, obstacle))];
  const widths = heads.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  const lines = table.map((line) =>
    line
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  const of = matched === known ? `${count(known)} known` : `${count(matched)} found, ${count(known)} known`;
  lines.push(`${count(hosts.length)} of ${of}`);
  if (obstacle !== null && hosts.some(({ queued }) => queued > 0))
    lines.push(`no host is requested now: ${obstacle.text}`);
  if (missing.length > 0) lines.push(`incomplete: no frontier answered for partitions ${missing.join(', ')}`);
  return lines.join('\n');
}

function cells(host: HostRow, nowMs: number, obstacle: CrawlObstacle | null): string[] {
  const { queued, deferred, fetched, pages, failures, throttles, delayMs } = host;
  const counts = [queued, deferred, fetched, pages, fetched - pages, failures + throttles].map(count);
  return [host.host, ...counts, `${(delayMs / 1000).toFixed(1)} s`, nextText(host, nowMs, obstacle)];
}

function isNumber(column: number): boolean {
  return column > 0 && column < heads.length - 1;
}

function nextText(host: HostRow, nowMs: number, obstacle: CrawlObstacle | null): string {
  const { hold, deadUntilMs, readyAtMs, leases, queued } = host;
  if (hold !== '') return `none: ${holdNames[hold]}${limitText(host)}`;
  if (deadUntilMs !== null && deadUntilMs > nowMs) return `dead until ${time(deadUntilMs)}`;
  if (readyAtMs === null && leases > 0) return 'being fetched';
  if (queued > 0 && obstacle !== null) return `none: ${obstacle.short}`;
  if (readyAtMs === null) return 'nothing to do';
  return readyAtMs <= nowMs ? 'now' : `in ${((readyAtMs - nowMs) / 1000).toFixed(1)} s`;
}

/** Empty: it is at no limit, or an older frontier answered. */
function limitText({ hold, pages, pagesMax }: HostRow): string {
  if (hold !== 'limit' || pagesMax === undefined) return '';
  return pagesMax !== null && pages >= pagesMax
    ? `, ${count(pages)} of ${count(pagesMax)} pages`
    : ', of bytes or of its domain';
}

/** `why`: the present obstacle, or the reason of the next contact's time; empty: unknown. */
export function hostText(answer: PlacedAnswer, nowMs: number, why = '', obstacle: CrawlObstacle | null = null): string {
  const { host, facts, frontQueues, again, leases, parallel, refresh, queue, next } = answer;
  const waiting = frontQueues.map(
    ({ frontQueue, urls, held }) =>
      `${frontQueue < frontQueueCount ? 'front queue ' : ''}${queueName(frontQueue)}: ${count(urls)}${held ? ', deferred' : ''}`,
  );
  const nothing = facts.hold === '' && leases.length === 0 ? nothingToFetch(answer) : null;
  const isFree = facts.hold === '' && nothing === null && obstacle === null;
  const isReady = isFree && leases.length === 0 && facts.readyAtMs > 0 && facts.readyAtMs <= nowMs;
  const table = rows([
    ['host', host],
    ['hold', facts.hold === '' ? null : holdNames[facts.hold]],
    ['dead until', facts.deadUntilMs > nowMs ? time(facts.deadUntilMs) : null],
    ['ready', !isFree ? null : facts.readyAtMs === 0 ? 'never contacted' : whenText(facts.readyAtMs, nowMs)],
    ['waits', why === '' ? nothing : isReady ? null : why],
    ['fetched', `${count(facts.fetched)}, ${count(facts.pages)} of them pages`],
    ['fetch time', facts.fetchMs === 0 ? null : `${facts.fetchMs} ms`],
    ['Crawl-delay', facts.crawlDelayMs === null ? null : `${facts.crawlDelayMs / 1000} s`],
    ['own delay', facts.ownDelayMs === null ? null : `${facts.ownDelayMs / 1000} s`],
    ['own limit', facts.pagesMax === null ? null : `${counted(facts.pagesMax, 'page', count(facts.pagesMax))}`],
    ['own budget', facts.ownBudget === null ? null : `${counted(facts.ownBudget, 'URL', count(facts.ownBudget))}`],
    ['failures', facts.failures === 0 ? null : `${counted(facts.failures, 'lease')} in a row`],
    ['back-offs', backOffsText(facts)],
    ['server errors', facts.serverErrors === 0 ? null : `${counted(facts.serverErrors, 'URL')} in a row`],
    ['parallel', parallel.leases === 1 ? null : `${parallel.leases} leases at once`],
    ['on lease', leases.length === 0 ? null : leases.map(leaseText).join('\n')],
    ['queued', waiting.length === 0 ? 'nothing' : waiting.join('\n')],
    [
      'again',
      again.urls === 0
        ? null
        : `${count(again.urls)}, the first ${again.nextAtMs ? whenText(again.nextAtMs, nowMs) : 'at once'}`,
    ],
    ['to refresh', refresh?.nextAtMs == null ? null : `the first ${whenText(refresh.nextAtMs, nowMs)}`],
  ]);
  const urls = queue.map(
    ({ frontQueue, depth, url }) => `${queueName(frontQueue).padStart(7)}  ${String(depth).padStart(5)}  ${url}`,
  );
  if (urls.length > 0) urls.unshift('  queue  depth  URL');
  if (next !== null) urls.push(`and more: --from ${next}`);
  return [table, ...urls].join('\n');
}

/** A back-off follows 429, 503 or a timeout, and several server errors in a row. */
function backOffsText({ throttles, serverErrors }: PlacedAnswer['facts']): string | null {
  if (throttles === 0) return null;
  const causes = serverErrors > 0 ? 'server errors' : 'throttled answers or timeouts';
  return `${count(throttles)} since the last good answer, after ${causes}`;
}

function leaseText({ id, urls, deadlineMs }: PlacedAnswer['leases'][number]): string {
  return `${count(urls)} ${urls === 1 ? 'URL' : 'URLs'} on lease ${id} until ${time(deadlineMs)}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
