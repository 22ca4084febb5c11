/**
 * Tokens to log in with, by environment variables: of a file, which Kubernetes replaces before it runs out, or of a server
 * that gives them for client credentials (RFC 6749 §4.4).
 *
 *   CRAWLSTREAM_<OF>_TOKEN_FILE              a file with the token, read each time
 *   CRAWLSTREAM_<OF>_TOKEN_URL, _TOKEN_SCOPE where tokens are given, for CRAWLSTREAM_<OF>_USERNAME and its password
 */
import { readFile } from 'node:fs/promises';

export interface ClientCredentials {
  readonly url: string;
  readonly id: string;
  secret(): string;
  readonly scope: string | undefined;
}

const tokenMsMax = 10_000;
/** Time before its expiry at which a token is replaced, ms: clocks differ, and a request takes time. */
const spareMs = 30_000;

export function fileToken(file: string): () => Promise<string> {
  return async () => (await readFile(file, 'utf8')).trim();
}

/** `keeps`: a token is reused until it expires; otherwise each caller gets a new one. */
export function grantedToken({ url, id, secret, scope }: ClientCredentials, keeps: boolean): () => Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  let kept: { readonly value: string; readonly untilMs: number } | undefined;
  return async () => {
    if (kept !== undefined && performance.now() < kept.untilMs) return kept.value;
    const login = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret())}`).toString('base64');
    const headers = { authorization: `Basic ${login}`, accept: 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(tokenMsMax) });
    const grant = answer.ok ? ((await answer.json()) as { access_token?: unknown; expires_in?: unknown }) : {};
    const { access_token: value, expires_in: seconds } = grant;
    if (typeof value !== 'string')
      throw new Error(`${new URL(url).origin} returned no token: it answered with status ${answer.status}`);
    if (keeps && Number(seconds) > 0) kept = { value, untilMs: performance.now() + 1000 * Number(seconds) - spareMs };
    return value;
  };
}
