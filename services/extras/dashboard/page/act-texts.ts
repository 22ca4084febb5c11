/** Describes the effect of an action before it is done: in words, and as the equivalent command. */
import type { CrawlAct, CrawlStatus, HostStatus } from '../status.ts';
import { count, duration } from './numbers.ts';

export type ActedHost = Pick<HostStatus, 'host' | 'hold' | 'deadUntilMs' | 'queued' | 'deferred' | 'pages' | 'delayMs'>;

export function blockText({ queued }: ActedHost): string {
  return `Requests in progress end; no further URLs of this host are fetched. ${kept(queued)}`;
}

function kept(queued: number): string {
  if (queued === 0) return 'Its queue is empty; new URLs are deferred until it is unblocked.';
  return `${urls(queued)} that wait${queued === 1 ? 's' : ''} are kept, deferred until it is unblocked.`.replace(
    'waits are',
    'waits is',
  );
}

export function unblockText({ hold, deadUntilMs, deferred, delayMs }: ActedHost): string {
  const back =
    deferred === 0
      ? ''
      : ` ${urls(deferred)} that ${deferred === 1 ? 'is' : 'are'} deferred wait for their turn again.`;
  if (hold === 'crawlDelay')
    return `It is fetched again, although its Crawl-delay is longer than the policy allows.${back}`;
  if (hold === '' && deadUntilMs !== null) return `It is no longer marked as dead, and is retried at once.${back}`;
  return `It is fetched from again, with ${duration(delayMs)} between requests.${back}`;
}

const unitsMs: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const dayMs = 86_400_000;

/** The typed value; `text`: its effect, or its error. */
export interface Understood {
  /** Absent: the action is impossible. null: the policy decides. */
  readonly amount?: number | null;
  readonly text: string;
}

export function readDelay(value: string, { queued }: ActedHost): Understood {
  if (value === 'default') return { amount: null, text: 'The delay of the policy applies again.' };
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|[smhd])?$/.exec(value) ?? [];
  if (number === undefined) return { text: 'Enter a time, as in 5s or 500ms, or default for the value of the policy.' };
  const amount = Math.round(Number(number) * unitsMs[unit]!);
  if (amount > dayMs) return { text: 'Enter at most one day.' };
  const all =
    queued === 0 || amount === 0 ? '' : ` ${urls(queued)} that wait would take ${duration(queued * amount)} at least.`;
  const rate = amount === 0 ? 'No delay for this host' : `${pace(amount)} at most`;
  return { amount, text: `${rate}; a longer Crawl-delay in robots.txt still applies.${all}` };
}

export function readLimit(value: string, { pages, queued }: ActedHost): Understood {
  if (value === 'default') return { amount: null, text: 'Its number of pages has no limit.' };
  if (!/^\d{1,12}$/.test(value)) return { text: 'Enter a number of pages, or default for no limit.' };
  const amount = Number(value);
  const left = amount - pages;
  if (left > 0)
    return {
      amount,
      text: `${count(left)} more page${left === 1 ? '' : 's'}, then the rest of its queue is deferred.`,
    };
  return {
    amount,
    text: `It has ${count(pages)} fetched page${pages === 1 ? '' : 's'} already: no more are fetched, and the queue (${urls(queued)}) is deferred.`,
  };
}

function pace(delayMs: number): string {
  const aMinute = 60_000 / delayMs;
  return aMinute >= 1 ? `${count(Math.round(aMinute))} requests a minute` : `a request every ${duration(delayMs)}`;
}

export function steerText(act: CrawlAct, { counts }: CrawlStatus): string {
  const { leases = 0, queued = 0, retrying = 0 } = counts;
  if (act === 'stop')
    return 'Requests in progress end, then the process ends, and this page with it. Nothing is lost: the command that started the crawl continues it.';
  if (act === 'resume')
    return `Fetchers continue with ${urls(queued + retrying)} in the queue, at the delays of their hosts.`;
  const out =
    leases === 0
      ? ''
      : ` ${count(leases)} lease${leases === 1 ? ' that is' : 's that are'} out end${leases === 1 ? 's' : ''} in order.`;
  return `Fetchers get no more URLs, on any partition.${out} Nothing is lost. Resume continues the crawl; a restart does not.`;
}

function urls(number: number): string {
  return `${count(number)} URL${number === 1 ? '' : 's'}`;
}
