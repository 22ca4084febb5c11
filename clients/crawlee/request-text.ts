/**
 * Converts a request of Crawlee to the text that returns with its lease, and to the URL in the frontier.
 *
 * That is the request's URL, unless its `uniqueKey` differs from Crawlee's key of the URL. Then the frontier's URL
 * contains the key, and the text contains the URL to request.
 */
import { createHash } from 'node:crypto';
import type { LeasedUrl } from '../typescript/lease-client.ts';
import type { Crawlee, CrawleeRequest } from './crawlee-types.ts';

/** Parameter of a URL that is never requested. */
const keyParameter = 'crawlstream-request';

/** The frontier's limit, in UTF-8. */
const textBytesMax = 64 * 1024;

interface Kept {
  readonly crawlee: Record<string, unknown>;
  /** The URL to request, if it is not the URL of the lease. */
  readonly at?: string;
}

/** Crawlee's id of a request. */
export function requestIdOf(uniqueKey: string): string {
  return createHash('sha256').update(uniqueKey).digest('base64').replace(/[+/=]/g, '').slice(0, 15);
}

/**
 * `at`: the URL to request instead of the request's URL, such as the target of a redirect. Throws an Error if the text
 * is too large.
 */
export function keptOf(
  { Request }: Crawlee,
  request: CrawleeRequest,
  at = request.url,
): { url: string; payload: string } {
  const { id: _id, state: _state, loadedUrl: _loaded, payload: body, uniqueKey, ...plain } = { ...request };
  const isKeyed = uniqueKey !== Request.computeUniqueKey({ url: request.url });
  const crawlee = {
    ...plain,
    ...(isKeyed && { uniqueKey }),
    ...(typeof body === 'string' && { payload: body }),
    ...(body instanceof Uint8Array && { payload: { base64: Buffer.from(body).toString('base64') } }),
  };
  const kept: Kept = { crawlee: leanOf(crawlee), ...(isKeyed && { at }) };
  const text = JSON.stringify(kept);
  const bytes = Buffer.byteLength(text);
  if (bytes > textBytesMax)
    throw new RangeError(
      `the request of ${request.url} has ${bytes} bytes with its userData, but at most ${textBytesMax} can be stored: store large data elsewhere`,
    );
  return { url: isKeyed ? keyed(at, uniqueKey) : at, payload: text };
}

export interface Restored {
  readonly request: CrawleeRequest;
  /** The URL to request. */
  readonly at: string;
}

/** Restores a request. A URL that others found, such as our fetchers, becomes a request of that URL alone. */
export function restored({ Request }: Crawlee, leased: LeasedUrl): Restored {
  const { crawlee = {}, at = leased.url } = readKept(leased.payload);
  const { payload, ...options } = crawlee as { payload?: string | { base64: string } };
  const body = typeof payload === 'object' ? Buffer.from(payload.base64, 'base64') : payload;
  const all = { url: at, crawlDepth: leased.depth, ...options, ...(body !== undefined && { payload: body }) };
  const request = new Request(all as never) as CrawleeRequest;
  request.id = requestIdOf(request.uniqueKey);
  // Attempts that died with their process, or that the frontier has repeated.
  request.retryCount += leased.attempt;
  return { request, at };
}

function readKept(payload: string): Partial<Kept> {
  if (payload === '') return {};
  try {
    const kept = JSON.parse(payload) as Kept | null;
    return typeof kept?.crawlee?.url === 'string' ? kept : {};
  } catch {
    return {};
  }
}

/** Returns the fields that differ from Crawlee's defaults. */
function leanOf(plain: Record<string, unknown>): Record<string, unknown> {
  // userData serializes itself, including Crawlee's hidden fields.
  const { userData, ...all } = JSON.parse(JSON.stringify(plain)) as Record<string, Record<string, unknown>>;
  if (userData?.['__crawlee'] !== undefined) delete (userData['__crawlee'] as Record<string, unknown>)['state'];
  const entries = Object.entries({ ...all, userData }).filter(([name, value]) => !isUsual(name, value));
  return Object.fromEntries(entries);
}

function isUsual(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (name === 'method') return value === 'GET';
  if (name === 'retryCount') return value === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function keyed(url: string, uniqueKey: string): string {
  const key = createHash('sha256').update(uniqueKey).digest('hex').slice(0, 24);
  const target = new URL(url);
  target.hash = '';
  target.search += `${target.search === '' ? '?' : '&'}${keyParameter}=${key}`;
  return target.href;
}
