/** The page's requests to the service, with its token if one is needed. */
import type {
  CrawlAct,
  DuplicateListStatus,
  ErrorsStatus,
  ExplainStatus,
  FailuresStatus,
  HistoryStatus,
  HostAct,
  HostListStatus,
  HostMapStatus,
  HostPageStatus,
  HostsAsked,
  RecordStatus,
  SearchStatus,
  SeedsStatus,
  TimelineStatus,
} from '../status.ts';
import { service } from './links.ts';
import { askToken } from './token.ts';

/** The token, kept only while the page is open. */
let token: string | undefined;
/** The open question for the token, shared by all requests. null: it was dismissed, and only a click opens it again. */
let asking: Promise<string | undefined> | null | undefined;

/** The service answered, and refused the call. The message says why. */
export class Refused extends Error {}

/** The person gave no token. */
export class NoToken extends Error {}

export const askHistory = () => ask<HistoryStatus>('history', {}, true);

export const askErrors = () => ask<ErrorsStatus>('errors', {}, true);

/** Events, as they arrive. */
export async function askEvents(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  return (await answerTo('events', { signal }, true)).body!;
}

export function askHosts({ search, sort, limit }: HostsAsked): Promise<HostListStatus> {
  return ask<HostListStatus>(`hosts?${new URLSearchParams({ search, sort, limit: String(limit) })}`, {}, true);
}

export function askHost(host: string, from = ''): Promise<HostPageStatus> {
  return ask<HostPageStatus>(`host?${new URLSearchParams({ host, from })}`, {}, true);
}

export function askExplain(url: string): Promise<ExplainStatus> {
  return ask<ExplainStatus>(`explain?${new URLSearchParams({ url })}`);
}

export function askRecord(url: string): Promise<RecordStatus> {
  return ask<RecordStatus>(`record?${new URLSearchParams({ url })}`);
}

export function askSearch(words: string): Promise<SearchStatus> {
  return ask<SearchStatus>(`search?${new URLSearchParams({ words })}`);
}

export const askHostMap = () => ask<HostMapStatus>('map');

export const askFailures = () => ask<FailuresStatus>('failures');

export const askDuplicates = () => ask<DuplicateListStatus>('duplicates');

export function askTimeline(url: string): Promise<TimelineStatus> {
  return ask<TimelineStatus>(`story?${new URLSearchParams({ url })}`);
}

/** Resolves once the word is durable in the crawl's log. `amount`: of acts that have one. */
export async function actOn(act: HostAct, host: string, amount?: number | null): Promise<void> {
  const path = `../hosts/${encodeURIComponent(host)}/${act}`;
  await ask(path, amount === undefined ? { method: 'POST' } : { method: 'POST', body: JSON.stringify({ amount }) });
}

export function addSeeds(urls: readonly string[]): Promise<SeedsStatus> {
  return ask<SeedsStatus>('../crawl/seeds', { method: 'POST', body: JSON.stringify({ urls }) });
}

export async function replayLetters(ids: readonly string[]): Promise<readonly string[]> {
  const sent = { method: 'POST', body: JSON.stringify({ ids }) };
  return (await ask<{ readonly replayed: readonly string[] }>('../letters/replay', sent)).replayed;
}

export async function steer(act: CrawlAct): Promise<void> {
  await ask(`../crawl/${act}`, { method: 'POST' });
}

/**
 * Whether this caller may make calls of operators. `unknown`: a token is needed, and the page asks for it once there is
 * a call.
 */
export async function mayOperate(): Promise<'yes' | 'no' | 'unknown'> {
  const { ok, status } = await send('rights', {});
  if (ok) return 'yes';
  return status === 403 ? 'no' : 'unknown';
}

/** Rejects with one line for people. `byItself`: true for a request without a click. */
export async function ask<Answer>(path: string, init: RequestInit = {}, byItself = false): Promise<Answer> {
  return (await (await answerTo(path, init, byItself)).json()) as Answer;
}

export async function answerTo(path: string, init: RequestInit, byItself: boolean): Promise<Response> {
  for (;;) {
    const sent = token;
    const response = await send(path, init);
    if (response.ok) return response;
    const { message } = (await response.json().catch(() => ({}))) as { readonly message?: string };
    if (response.status !== 401) throw new Refused(message ?? `The service answered ${response.status}`);
    // Another request may have got it meanwhile.
    if (token === sent) await learnToken(byItself);
  }
}

function send(path: string, init: RequestInit): Promise<Response> {
  // A header that a foreign page can't make a browser send: calls with an effect require it.
  const headers = new Headers({ 'x-crawlstream': '1' });
  if (init.body !== undefined) headers.set('content-type', 'application/json');
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return fetch(service + path, { ...init, headers }).catch(() => {
    throw new Error('The service does not answer: is the crawl still running?');
  });
}

async function learnToken(byItself: boolean): Promise<void> {
  if (asking === null && byItself) throw new NoToken('The token of this service is needed to show data');
  asking ??= askToken(token !== undefined);
  const given = await asking;
  asking = given === undefined ? null : undefined;
  if (given === undefined) throw new NoToken('Nothing was done: the token of this service is needed');
  token = given;
}
