/** The state of a crawl in one word, and warnings for the viewer: derived from the status that is sent anyway. */

import { crawlEnd, type Look } from '../../../topology/frontier/ask/crawl-end.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { placeNames } from '../../runtime/words.ts';
import { dashboardLimits } from './limits.ts';
import type { Counts, CrawlPhase, CrawlStatus, HostStatus, IdleStatus, PartitionReport, Trouble } from './status.ts';

/** Fewest outcomes for a meaningful share, and the share of failures that is too high. */
const outcomesMin = 50;
const failedShare = 0.2;
/** Time without a result after which leases count as silent, ms. A lease's requests take at most a minute. */
const silentMs = 90_000;
/** Most unread input records of a frontier that keeps up: a busy one leaves fewer between two checks. */
const lagMax = 10_000;
/**
 * Time without any change after which a crawl counts as quiet, ms. Delays of a minute are common, longer ones are not.
 */
const quietMs = 90_000;
/** Time after which a missing sign of life is news, ms: a fleet gives one in ten seconds, other processes more. */
const signMissedMs = 15_000;

/** Fewer failures in a row are every host's; a disk with less is full soon; a limit with less left is near. */
const [failuresMin, freeBytesMin, nearShare] = [3, 5e9, 0.1];

export interface Seen {
  /** The previous status, and the present one. */
  readonly before: Look | undefined;
  readonly now: Look;
  readonly paused: boolean;
  readonly partitions: readonly PartitionReport[];
  /** Time since a counter changed, ms. */
  readonly unchangedMs: number;
  /** No process runs the crawl. */
  readonly isIdle: boolean;
  /** Time since the last sign of life of the process that runs it, ms. null: unknown. */
  readonly silentMs: number | null;
  /** null: something else than a retry is left. */
  readonly retries: Retries | null;
}

/** Everything that is left of a crawl waits for a retry. */
interface Retries {
  readonly urls: number;
  /** Hosts with these URLs that are known; `isLeast`: there may be more. */
  readonly hosts: number;
  readonly isLeast: boolean;
  /** Time of the first retry; null: unknown. */
  readonly nextMs: number | null;
}

export function phaseOf(seen: Seen): CrawlPhase {
  const { before, now, paused, partitions, unchangedMs, isIdle, silentMs, retries } = seen;
  if (partitions.some(isRestoring)) return 'restoring';
  const isEmpty = now.partitions.every(({ counters }) => counters.admitted === 0);
  if (isEmpty) return isIdle ? 'idle' : 'empty';
  // In an idle crawl nothing changes between two checks, so one is enough.
  const earlier = before ?? (isIdle ? now : undefined);
  const end = earlier === undefined ? null : crawlEnd(earlier, now);
  if (end !== null) return end;
  if (isIdle) return 'idle';
  if (silentMs !== null && silentMs > signMissedMs) return 'silent';
  if (paused) return 'paused';
  if (retries !== null) return 'retrying';
  return unchangedMs > quietMs ? 'quiet' : 'running';
}

/** Its end is detected by lags: no input was read beyond them. */
export function lookOf(partitions: readonly PartitionReport[], pageQuota: number | null): Look {
  const read = { offset: 0, slice: 0 };
  const positions = { control: read, results: read, discovered: read };
  const of = ({ counters, lag }: PartitionReport) => ({ positions, ends: lag, counters: counters as Counters });
  return { partitions: partitions.map(of), pageQuota };
}

/** Read less often than the rest. */
export interface Needs {
  /** Hosts by failures, most first. */
  readonly worst: readonly HostStatus[];
  /** Of the disk with the crawl's folder; null: unknown. */
  readonly freeBytes: number | null;
}

export function isOver(phase: CrawlPhase): boolean {
  return ['done', 'quotaSpent', 'stopped'].includes(phase);
}

export function troublesOf(
  status: Omit<CrawlStatus, 'troubles'>,
  needs: Needs = { worst: [], freeBytes: null },
): Trouble[] {
  const { partitions, members, recent, counts, letters: deadLetters, atMs } = status;
  const troubles = phaseNotes(status, needs);
  const say = (severity: Trouble['severity'], text: string) => troubles.push({ severity, text });
  const hasEnded = isOver(status.phase);
  const nobodys = partitions.filter(({ owner }) => owner === null);
  if (members !== null && nobodys.length > 0 && !hasEnded) {
    say('bad', `No process owns ${named(nobodys)}: start a frontier`);
  }
  if (status.fetchers === 0 && !hasEnded) {
    say('bad', 'There is no fetcher: start one. Until then URLs wait, and nothing is lost');
  }
  const silent = members?.filter(({ name, address }) => address !== null && partitions.some(isSilentOf(name))) ?? [];
  for (const { name } of silent) {
    const held = named(partitions.filter(isSilentOf(name)));
    say('warn', `Frontier ${name} of ${held} does not answer: if it has ended, another one takes over in a moment`);
  }
  for (const { partition, restored, restoreLeftMs } of partitions.filter(isRestoring)) {
    const left = restoreLeftMs === null || restoreLeftMs === 0 ? '' : `, ${Math.ceil(restoreLeftMs / 1000)} s left`;
    say('note', `Partition ${partition} is being restored: ${Math.floor(100 * (restored ?? 0))} %${left}`);
  }
  const failed = recent.kinds.filter((one) => one.failed);
  const failures = failed.reduce((sum, { count }) => sum + count, 0);
  if (recent.outcomes >= outcomesMin && failures > failedShare * recent.outcomes) {
    const share = Math.round((100 * failures) / recent.outcomes);
    say('warn', `${share} % of the last minute’s fetches failed, most of them as ${failed[0]!.kind}`);
  }
  const silentForMs = recent.newestMs === null ? 0 : atMs - recent.newestMs;
  const isRun = status.phase !== 'idle';
  if (isRun && status.phase !== 'restoring' && (counts['leases'] ?? 0) > 0 && silentForMs > silentMs) {
    say(
      'warn',
      `URLs are leased, but no result was reported for ${Math.round(silentForMs / 1000)} s: check that a fetcher runs`,
    );
  }
  if (isRun && !hasEnded) troubles.push(...needsOf(status, needs));
  const lost = hasEnded ? needs.worst.filter(isLost) : [];
  if (lost.length > 0) say('note', lostText(lost));
  const withoutPage = hasEnded ? withoutPageText(counts) : '';
  if (withoutPage !== '') troubles.push({ severity: 'note', text: withoutPage, part: 'failures' });
  for (const topic of ['results', 'discovered', 'control'] as const) {
    const lag = partitions.reduce((sum, one) => sum + one.lag[topic], 0);
    if (isRun && lag > lagMax) say('warn', `${lag.toLocaleString('en-US')} messages of ${topic} are not processed yet`);
  }
  const undecodable = counts['undecodable'] ?? 0;
  if (undecodable > 0) say('bad', `${counted(undecodable, 'record')} unreadable: see the dead letters`);
  if (deadLetters === null) say('note', 'This dashboard cannot read the dead letters');
  return troubles;
}

/** Why nothing happens, and what to do about it. */
function phaseNotes(status: Omit<CrawlStatus, 'troubles'>, needs: Needs): Trouble[] {
  const { phase, idle, silentMs, counts, atMs } = status;
  if (phase === 'idle' && idle !== null) return [{ severity: 'note', text: idleText(idle, status) }];
  if (phase === 'empty') {
    const text = 'No URL has been admitted yet: add one, as in crawlstream inject https://example.org';
    return [{ severity: 'note', text }];
  }
  if (phase === 'silent') return [{ severity: 'warn', text: silentText(silentMs ?? 0) }];
  if (phase === 'held') {
    const urls = counted(counts['deferred'] ?? 0, 'URL');
    const text = `All that is left is blocked: ${urls} deferred. Unblock a host to go on, or stop the crawl`;
    return [{ severity: 'warn', text }];
  }
  const retries = phase === 'retrying' ? retriesOf(counts, needs, atMs) : null;
  return retries === null ? [] : [{ severity: 'warn', text: retriesText(retries) }];
}

/** Hosts in trouble, the page limit, and the disk. */
function needsOf({ counts, pageQuota }: Omit<CrawlStatus, 'troubles'>, { worst, freeBytes }: Needs): Trouble[] {
  const needs: Trouble[] = [];
  if (freeBytes !== null && freeBytes < freeBytesMin) {
    const left = `${(freeBytes / 1e9).toFixed(1)} GB`;
    const severity = freeBytes < freeBytesMin / 5 ? 'bad' : 'warn';
    needs.push({ severity, text: `The disk with the crawl’s folder has ${left} left: free some, or stop the crawl` });
  }
  const inTrouble = worst.flatMap((host) => {
    const why = hostTrouble(host);
    return why === null ? [] : [{ severity: 'warn' as const, host: host.host, text: `${host.host} ${why}` }];
  });
  needs.push(...inTrouble.slice(0, dashboardLimits.worstHosts));
  const left = pageQuota === null ? 0 : pageQuota - (counts['quotaSpent'] ?? 0);
  if (pageQuota !== null && left > 0 && left <= pageQuota * nearShare)
    needs.push({ severity: 'note', text: `${counted(left, 'page')} left of --max-pages ${pageQuota}` });
  return needs;
}

/** null: something else than a retry is left, or is being done. */
export function retriesOf(counts: Counts, { worst }: Needs, nowMs: number): Retries | null {
  const { leases = 0, leased = 0, queued = 0, retrying = 0 } = counts;
  const urls = queued + retrying;
  if (leases + leased > 0 || urls === 0) return null;
  const isLater = ({ hold, deadUntilMs, queued, readyAtMs }: HostStatus) =>
    hold === '' && deadUntilMs === null && queued > 0 && readyAtMs !== null && readyAtMs > nowMs;
  const later = worst.filter(isLater);
  const failing = later.filter(({ failures, throttles }) => failures + throttles > 0);
  const ofFailing = failing.reduce((sum, { queued }) => sum + queued, 0);
  const isLeast = worst.length >= dashboardLimits.worstHostsLooked && failing.length === worst.length;
  if (queued > 0 && ofFailing < urls && !isLeast) return null;
  const times = later.map(({ readyAtMs }) => readyAtMs!);
  return { urls, hosts: later.length, isLeast, nextMs: times.length === 0 ? null : Math.min(...times) };
}

function retriesText({ urls, hosts, isLeast, nextMs }: Retries): string {
  const of = hosts === 0 ? '' : ` of ${isLeast ? 'at least ' : ''}${counted(hosts, 'host')}`;
  const next = nextMs === null ? '' : `. The next try is at ${timeText(nextMs)}`;
  return `Nothing is fetched now: ${counted(urls, 'URL')}${of} ${urls === 1 ? 'waits' : 'wait'} for a retry${next}`;
}

/** Rounded: a screen reader would read a text that changes each second aloud each second. */
function silentText(silentMs: number): string {
  const seconds = 5 * Math.floor(silentMs / 5_000);
  return `The process of this crawl has given no sign of life for ${seconds} s: it hangs, was stopped, or was killed`;
}

/** Time at which the last of these hosts that have queued URLs is requested again; null: none has. */
export function backOffUntil({ worst }: Needs): number | null {
  const isWaiting = ({ hold, deadUntilMs, queued }: HostStatus) => hold === '' && deadUntilMs === null && queued > 0;
  const times = worst.filter(isWaiting).map(({ readyAtMs }) => readyAtMs ?? 0);
  return times.length === 0 ? null : Math.max(...times);
}

function isLost({ hold, deadUntilMs, failures }: HostStatus): boolean {
  return hold === '' && (deadUntilMs !== null || failures >= failuresMin);
}

function lostText(hosts: readonly HostStatus[]): string {
  const { worstHosts, worstHostsLooked } = dashboardLimits;
  const least = hosts.length >= worstHostsLooked ? 'At least ' : '';
  const names = hosts.slice(0, worstHosts).map(({ host }) => host);
  const more = hosts.length > names.length ? ', …' : '';
  return `${least}${counted(hosts.length, 'host')} failed until the end: ${names.join(', ')}${more}`;
}

const withoutPageNames = ['failed', 'dead', 'denied'] as const;

/** Empty: each URL has a page, or redirected. */
function withoutPageText(counts: Counts): string {
  const parts = withoutPageNames.flatMap((name) => {
    const count = counts[name] ?? 0;
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} ${placeNames[name]}`];
  });
  const sum = withoutPageNames.reduce((all, name) => all + (counts[name] ?? 0), 0);
  return sum === 0 ? '' : `${counted(sum, 'URL')} ended without a page: ${parts.join(', ')}`;
}

/** null: it is well, or an operator knows of it. */
function hostTrouble(host: HostStatus): string | null {
  const { hold, deadUntilMs, failures, throttles, queued, readyAtMs } = host;
  if (hold !== '') return null;
  const waiting = `${counted(queued, 'URL')} waiting`;
  if (deadUntilMs !== null) return `is dead until ${timeText(deadUntilMs)}: all retries failed, ${waiting}`;
  if (failures >= failuresMin) return `fails: ${counted(failures, 'failure')} in a row, ${waiting}`;
  if (host.serverFails === true) {
    const next = readyAtMs === null ? '' : `, next try at ${timeText(readyAtMs)}`;
    return `answers with server errors: backed off ${counted(throttles, 'time')}, ${waiting}${next}`;
  }
  return throttles >= failuresMin ? `asks to slow down: ${counted(throttles, 'throttled answer')}, ${waiting}` : null;
}

function idleText(
  { lastWrittenMs, resume, unpause }: IdleStatus,
  { atMs, paused }: Omit<CrawlStatus, 'troubles'>,
): string {
  const written =
    lastWrittenMs === null
      ? 'Nothing was written yet.'
      : `It was last written ${sinceText(atMs - lastWrittenMs)}, at ${timeText(lastWrittenMs)}.`;
  const isPaused = paused ? `, and as it is paused: ${unpause}` : '';
  return `No process runs this crawl. ${written} To continue: ${resume}${isPaused}`;
}

/** UTC, to the second. */
function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Rounded to minutes: a screen reader would read a text that changes each second aloud each second. */
function sinceText(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 120) return `${counted(minutes, 'minute')} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}

export function isRestoring({ owner, restored }: PartitionReport): boolean {
  return owner !== null && restored !== null && restored < 1;
}

/** An answering frontier reports how far restored its partitions are. */
export function isSilentOf(member: string): (one: PartitionReport) => boolean {
  return ({ owner, restored }) => owner === member && restored === null;
}

function named(partitions: readonly PartitionReport[]): string {
  const numbers = partitions.map(({ partition }) => partition);
  if (numbers.length === 1) return `partition ${numbers[0]}`;
  return numbers.length > 12 ? `${numbers.length} partitions` : `partitions ${numbers.join(', ')}`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}
