/**
 * A request of Crawlee's as the text that comes back with its lease, and the URL by which the frontier knows it.
 *
 * The frontier's URL is the request's own, but where its `uniqueKey` is another than Crawlee makes of the URL: then the
 * key is part of it, and what is to be requested stands in the text.
 */
import { createHash } from 'node:crypto';
import type { LeasedUrl } from '../typescript/lease-client.ts';
import type { Crawlee, CrawleeRequest } from './crawlee-types.ts';

/** Told of a URL that is never requested. */
const keyParameter = 'crawlstream-request';

/** As the frontier bounds them, in UTF-8. */
const textBytesMax = 64 * 1024;

interface Kept {
  readonly crawlee: Record<string, unknown>;
  /** To be requested, where it is not the URL of the lease. */
  readonly at?: string;
}

/** How Crawlee numbers requests. */
export function requestIdOf(uniqueKey: string): string {
  return createHash('sha256').update(uniqueKey).digest('base64').replace(/[+/=]/g, '').slice(0, 15);
}

/** `at`: to be requested in the place of the request's URL, as the target of a redirect. Throws where it is too large. */
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
      `the request of ${request.url} has ${bytes} bytes with its userData, and ${textBytesMax} can be kept: keep what is large elsewhere`,
    );
  return { url: isKeyed ? keyed(at, uniqueKey) : at, payload: text };
}

export interface Restored {
  readonly request: CrawleeRequest;
  /** To be requested. */
  readonly at: string;
}

/** What was found by others, such as our own fetchers, is a request of its URL alone. */
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

/** Without what Crawlee takes for granted. */
function leanOf(plain: Record<string, unknown>): Record<string, unknown> {
  // userData knows how to be JSON with what Crawlee hides in it.
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
