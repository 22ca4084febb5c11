/**
 * A crawl as another service tells of it: what `dashboard --url` shows. That service looks at the crawl; this process
 * passes on what it says, and speaks with its token.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { CrawlView } from './crawl-view.ts';
import { dashboardLimits } from './limits.ts';
import type { ExplainTold, HistoryTold, HostListTold, StoryTold, Told } from './told.ts';

export interface RemoteService {
  /** As in http://crawler:9464. */
  readonly url: string;
  /** Needed by calls that change something. */
  readonly token: string | undefined;
}

export function remoteView({ url, token }: RemoteService): CrawlView {
  const ask = async <Answer>(path: string, method = 'GET'): Promise<Answer> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(dashboardLimits.remoteMs);
    const response = await fetch(new URL(path, `${url}/`), { method, headers, signal, redirect: 'error' }).catch(
      (error) => {
        throw new CrawlstreamError(
          'DESTINATION_UNREACHABLE',
          `${url} does not answer: is that service running?`,
          error,
        );
      },
    );
    const body = (await response.json().catch(() => ({}))) as { readonly message?: string };
    if (response.ok) return body as Answer;
    throw refusal(url, response.status, body.message);
  };
  return {
    look: () => ask<Told>('dashboard/data'),
    history: () => ask<HistoryTold>('dashboard/history'),
    hosts: ({ search, sort, limit }) =>
      ask<HostListTold>(`dashboard/hosts?${new URLSearchParams({ search, sort, limit: String(limit) })}`),
    explain: (given) => ask<ExplainTold>(`dashboard/explain?${new URLSearchParams({ url: given })}`),
    story: (given) => ask<StoryTold>(`dashboard/story?${new URLSearchParams({ url: given })}`),
    act: async (act, host) =>
      (await ask<{ readonly host: string }>(`hosts/${encodeURIComponent(host)}/${act}`, 'POST')).host,
  };
}

function refusal(url: string, status: number, message: string | undefined): CrawlstreamError {
  if (status === 401) {
    const remedy = 'start this dashboard with its CRAWLSTREAM_HTTP_TOKEN';
    return new CrawlstreamError('INVALID_ARGUMENT', `${url} wants a token: ${remedy}`);
  }
  if (status === 404) {
    const remedy = 'name a crawl, or a frontier with --http';
    return new CrawlstreamError('INVALID_ARGUMENT', `${url} shows no crawl: ${remedy}`);
  }
  const code = status < 500 ? 'INVALID_ARGUMENT' : 'DESTINATION_UNREACHABLE';
  return new CrawlstreamError(code, message ?? `${url} answered ${status}`);
}
