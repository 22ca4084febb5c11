/** The state of a host in words, with its reason. */
import type { CrawlStatus, HostStatus } from '../status.ts';
import { holdNames } from '../words.ts';
import { count, duration } from './numbers.ts';
import { outcomeText } from './outcome-names.ts';

export type ShownHost = Pick<
  HostStatus,
  'hold' | 'deadUntilMs' | 'leases' | 'queued' | 'deferred' | 'failures' | 'throttles' | 'delayMs' | 'readyAtMs'
> &
  Pick<HostStatus, 'lastFailure' | 'serverFails'> &
  Partial<Pick<HostStatus, 'pages' | 'pagesMax'>>;

export function stateText({ hold, deadUntilMs, leases, queued, deferred }: ShownHost): string {
  if (hold !== '') return holdNames[hold] ?? hold;
  if (deadUntilMs !== null) return 'dead';
  if (leases > 0) return leases === 1 ? 'on lease' : `on ${leases} leases`;
  if (queued > 0) return 'waiting';
  return deferred > 0 ? 'deferred' : 'nothing to do';
}

/** Returns the reason; empty: the state says enough. `status`: of the crawl. */
export function reasonText(
  host: ShownHost,
  status: Pick<CrawlStatus, 'paused' | 'phase'> | undefined,
  nowMs: number,
): string {
  const { hold, deadUntilMs, leases, queued, deferred, failures, throttles, delayMs, readyAtMs, lastFailure } = host;
  if (hold === 'blocked') return 'by an operator';
  if (hold === 'paused') return 'by its webmaster';
  if (hold === 'limit') return limitText(host);
  if (hold !== '') return '';
  const last = lastFailure === undefined ? '' : `: ${outcomeText(lastFailure)}`;
  if (deadUntilMs !== null)
    return `not requested again for ${duration(Math.max(0, deadUntilMs - nowMs))}: all retries failed${last}`;
  if (leases > 0) return '';
  if (queued === 0) return deferred > 0 ? 'by a trap or a budget' : '';
  if (status?.phase === 'quotaSpent') return 'the page quota is spent';
  if (status?.paused === true) return 'the crawl is paused';
  if (failures > 0) return `backs off after ${count(failures)} failure${failures === 1 ? '' : 's'} in a row${last}`;
  if (host.serverFails === true)
    return `backed off ${count(throttles)} time${throttles === 1 ? '' : 's'}: its server fails${last}`;
  if (throttles > 0)
    return `slowed down after ${count(throttles)} throttled answer${throttles === 1 ? '' : 's'}${last}`;
  if (status?.phase === 'idle' || status?.phase === 'stopped') return 'no process runs the crawl';
  if (readyAtMs !== null && readyAtMs > nowMs) return `its delay of ${duration(delayMs)}`;
  return 'for a fetcher';
}

/** Empty: an older frontier answered. */
function limitText({ pages = 0, pagesMax }: ShownHost): string {
  if (pagesMax === undefined) return '';
  return pagesMax !== null && pages >= pagesMax
    ? `${count(pages)} of ${count(pagesMax)} pages`
    : 'of bytes or of its domain';
}

/** False: none of its URLs can be requested now, whatever the time. */
export function canBeRequested({ paused, phase }: Pick<CrawlStatus, 'paused' | 'phase'>): boolean {
  return !paused && !['idle', 'done', 'quotaSpent', 'stopped'].includes(phase);
}
