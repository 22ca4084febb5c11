/** What the page asks of the service, and how it says who it is where a token is wanted. */
import type { ExplainTold, HistoryTold, HostAct, HostListTold, HostsAsked, StoryTold } from '../told.ts';
import { askToken } from './token.ts';

/** For as long as the page is open, and nowhere else. */
let token: string | undefined;

export const askHistory = () => ask<HistoryTold>('history');

export function askHosts({ search, sort, limit }: HostsAsked): Promise<HostListTold> {
  return ask<HostListTold>(`hosts?${new URLSearchParams({ search, sort, limit: String(limit) })}`);
}

export function askExplain(url: string): Promise<ExplainTold> {
  return ask<ExplainTold>(`explain?${new URLSearchParams({ url })}`);
}

/** Of a page below `page/`. */
export function askStory(url: string): Promise<StoryTold> {
  return ask<StoryTold>(`../story?${new URLSearchParams({ url })}`);
}

/** Resolves once the word is durable in the crawl's log. */
export async function actOn(act: HostAct, host: string): Promise<void> {
  await ask(`../hosts/${encodeURIComponent(host)}/${act}`, { method: 'POST' });
}

/** Rejects with one line for people. */
async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  for (;;) {
    // What a page of elsewhere can't make a browser send: calls with an effect ask for it.
    const mark = { 'x-crawlstream': '1' };
    const headers: HeadersInit = token === undefined ? mark : { ...mark, authorization: `Bearer ${token}` };
    const response = await fetch(path, { ...init, headers }).catch(() => {
      throw new Error('The service does not answer: is the crawl still running?');
    });
    const body = (await response.json().catch(() => ({}))) as { readonly message?: string };
    if (response.ok) return body as Answer;
    if (response.status !== 401) throw new Error(body.message ?? `The service answered ${response.status}`);
    token = await askToken(token !== undefined);
    if (token === undefined) throw new Error('Nothing was done: it needs the token of this service');
  }
}
