/**
 * A crawl seen through another service: what `dashboard --url` shows. That service samples the crawl; this process
 * passes its answers on, and uses its token.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { CrawlView } from './crawl-view.ts';
import { dashboardLimits } from './limits.ts';
import type {
  CrawlStatus,
  DuplicateListStatus,
  ErrorsStatus,
  ExplainStatus,
  FailuresStatus,
  HistoryStatus,
  HostListStatus,
  HostMapStatus,
  HostPageStatus,
  RecordStatus,
  SearchStatus,
  SeedsStatus,
  TimelineStatus,
} from './status.ts';

export interface RemoteService {
  /** For example http://crawler:9464. */
  readonly url: string;
  /** Needed by calls that change something. */
  readonly token: string | undefined;
}

export function remoteView({ url, token }: RemoteService): CrawlView {
  const call = (path: string, method = 'GET', sent?: object, gone?: AbortSignal): Promise<Response> => {
    // Without a token, the service wants proof that no web page has caused a question that reads much.
    const proof = { 'x-crawlstream': '1' };
    const known = token === undefined ? proof : { ...proof, authorization: `Bearer ${token}` };
    const headers = sent === undefined ? known : { ...known, 'content-type': 'application/json' };
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    const late = AbortSignal.timeout(dashboardLimits.remoteMs);
    const signal = gone === undefined ? late : AbortSignal.any([late, gone]);
    return fetch(new URL(path, `${url}/`), {
      method,
      headers,
      ...body,
      signal,
      redirect: 'error',
    }).catch((error) => {
      const what = late.aborted
        ? `did not answer within ${dashboardLimits.remoteMs / 1_000} seconds`
        : 'does not answer: check that the service runs';
      throw new CrawlstreamError('DESTINATION_UNREACHABLE', `${url} ${what}`, error);
    });
  };
  const ask = async <Answer>(path: string, method = 'GET', sent?: object, gone?: AbortSignal): Promise<Answer> => {
    const response = await call(path, method, sent, gone);
    const answer = (await response.json().catch(() => ({}))) as { readonly message?: string };
    if (response.ok) return answer as Answer;
    throw refusal(url, response.status, answer.message);
  };
  return {
    // A release without this call refuses, or answers, each one by itself.
    async mayOperate() {
      const response = await call('dashboard/rights');
      await response.body?.cancel();
      return response.status !== 401 && response.status !== 403;
    },
    look: () => ask<CrawlStatus>('dashboard/data'),
    history: () => ask<HistoryStatus>('dashboard/history'),
    errors: () => ask<ErrorsStatus>('dashboard/errors'),
    hosts: ({ search, sort, limit }) =>
      ask<HostListStatus>(`dashboard/hosts?${new URLSearchParams({ search, sort, limit: String(limit) })}`),
    explain: (given, gone) =>
      ask<ExplainStatus>(`dashboard/explain?${new URLSearchParams({ url: given })}`, 'GET', undefined, gone),
    story: (given, gone) =>
      ask<TimelineStatus>(`dashboard/story?${new URLSearchParams({ url: given })}`, 'GET', undefined, gone),
    record: (given, gone) =>
      ask<RecordStatus>(`dashboard/record?${new URLSearchParams({ url: given })}`, 'GET', undefined, gone),
    search: (words, gone) =>
      ask<SearchStatus>(`dashboard/search?${new URLSearchParams({ words })}`, 'GET', undefined, gone),
    hostMap: (gone) => ask<HostMapStatus>('dashboard/map', 'GET', undefined, gone),
    duplicates: (gone) => ask<DuplicateListStatus>('dashboard/duplicates', 'GET', undefined, gone),
    failures: (gone) => ask<FailuresStatus>('dashboard/failures', 'GET', undefined, gone),
    host: (host, from) => ask<HostPageStatus>(`dashboard/host?${new URLSearchParams({ host, from })}`),
    act: async (act, host, by, amount) =>
      (await ask<{ readonly host: string }>(`hosts/${encodeURIComponent(host)}/${act}`, 'POST', { by, amount })).host,
    addSeeds: (urls) => ask<SeedsStatus>('crawl/seeds', 'POST', { urls }),
    replay: async (ids) =>
      (await ask<{ readonly replayed: readonly string[] }>('letters/replay', 'POST', { ids })).replayed,
    steer: async (act, by) => (await ask<{ readonly changed: boolean }>(`crawl/${act}`, 'POST', { by })).changed,
  };
}

function refusal(url: string, status: number, message: string | undefined): CrawlstreamError {
  if (status === 401) {
    const remedy = 'start this dashboard with the CRAWLSTREAM_HTTP_TOKEN of that service';
    return new CrawlstreamError('INVALID_ARGUMENT', `${url} wants a token: ${remedy}`);
  }
  if (status === 404) {
    const remedy = 'give the URL of a crawl or frontier that runs with --http';
    return new CrawlstreamError('INVALID_ARGUMENT', `${url} shows no crawl: ${remedy}`);
  }
  const code = status < 500 ? 'INVALID_ARGUMENT' : 'DESTINATION_UNREACHABLE';
  return new CrawlstreamError(code, message ?? `${url} answered ${status}`);
}
