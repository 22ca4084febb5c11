/** Tests how sites see a crawler's published identity: requests it as verifiers do. */

import type { HttpResponse } from '../../fetcher/http/client.ts';
import { headerOf, headersOf } from '../../fetcher/http/headers.ts';
import type { Identity } from '../../fetcher/http/identity.ts';
import { productTokensOf } from '../../fetcher/http/identity.ts';
import {
  directoryPath,
  directoryProblem,
  directoryType,
  readKey,
  thumbprint,
} from '../../fetcher/http/web-bot-auth.ts';
import { rangesPath } from './identity-folder.ts';

export interface Found {
  readonly what: 'page' | 'addresses' | 'keys';
  readonly url: string;
  /** Empty: it is as it should be. */
  readonly problem: string;
}

/** `site`: an origin. `key`: as in `--signature-key`; undefined: any key of the directory will do. */
export async function checkIdentity(
  site: string,
  identity: Identity,
  key: string | undefined,
  get: (url: string) => Promise<HttpResponse>,
  nowMs: number,
): Promise<Found[]> {
  const keyId = key === undefined ? null : thumbprint(readKey(key));
  const ask = async (
    what: Found['what'],
    path: string,
    problemOf: (response: HttpResponse) => string,
  ): Promise<Found> => {
    const url = `${site}${path}`;
    try {
      const response = await get(url);
      // Verifiers follow no redirects (draft-ietf-webbotauth-httpsig-protocol-00 §4.4).
      if (response.status !== 200) return { what, url, problem: `it answered with status ${response.status}, not 200` };
      return { what, url, problem: problemOf(response) };
    } catch (error) {
      return { what, url, problem: (error as Error).message };
    }
  };
  let isLinked = false;
  const page = await ask('page', '/', ({ headers, body }) => {
    const html = body.toString('utf8');
    isLinked =
      /\bclient-ranges\b/i.test(html) || headersOf(headers, 'link').some((link) => /\bclient-ranges\b/i.test(link));
    return pageProblem(html, identity);
  });
  const addresses = await ask('addresses', rangesPath, ({ body }) => rangesProblem(body.toString('utf8')));
  // draft-illyes-webbotauth-cbcp-00 §2.5: the page must lead to them.
  const isLost = page.problem === '' && addresses.problem === '' && !isLinked;
  return [
    isLost
      ? {
          ...page,
          problem: 'it has no link to its address ranges: add <link rel="client-ranges" href="/ip-ranges.json">',
        }
      : page,
    addresses,
    await ask('keys', directoryPath, ({ headers, body }) => {
      if (!site.startsWith('https:')) return 'keys are trusted only over https';
      const type = headerOf(headers, 'content-type').split(';', 1)[0]!.trim().toLowerCase();
      if (type !== directoryType)
        return `its media type is ${type === '' ? 'missing' : type}, but must be ${directoryType}`;
      return directoryProblem(body.toString('utf8'), keyId, nowMs);
    }),
  ];
}

function pageProblem(html: string, identity: Identity): string {
  const missing = [...[productTokensOf(identity)].flat(), identity.contact].filter(
    (name) => name !== '' && !html.toLowerCase().includes(name.toLowerCase()),
  );
  return missing.length === 0 ? '' : `it does not name ${missing.join(', ')}`;
}

function rangesProblem(json: string): string {
  try {
    const { prefixes } = JSON.parse(json) as { readonly prefixes?: unknown };
    if (!Array.isArray(prefixes)) return 'it has no list of prefixes';
    const isPrefix = (one: { ipv4Prefix?: unknown; ipv6Prefix?: unknown } | null) =>
      typeof one?.ipv4Prefix === 'string' || typeof one?.ipv6Prefix === 'string';
    return prefixes.every(isPrefix) ? '' : 'one of its prefixes is neither ipv4Prefix nor ipv6Prefix';
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
}
