/** Every function the conformance runner asks for: thin calls into the product's own code. */

import { createResolver } from '../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../services/fetcher/http/client.ts';
import { headerOf } from '../../services/fetcher/http/headers.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { redirectTarget } from '../../topology/fetch/redirect.ts';

export * from './page-adapters.ts';
export * from './url-adapters.ts';

/**
 * One fetch with the product's client; no name is looked up, and no address refused. Accepted is what is complete here:
 * a redirect with a target is none, for the client takes no hop (curl's `--max-redirs 0`).
 */
export async function wire(url: string): Promise<'accept' | 'reject'> {
  const clock = new SystemClock();
  const lookup = () => Promise.reject(new Error('the cases name addresses only'));
  const resolver = createResolver({ clock, lookup, overrides: () => undefined, isBlocked: () => false });
  const client = createHttpClient({ clock, resolver, limits: { totalTimeoutMs: 5_000 } });
  try {
    const response = await client.request({ url, headers: [] });
    const location = headerOf(response.headers, 'location') || null;
    const leadsOn = redirectTarget(url, response.status, location) !== null;
    return response.failure === null && response.status > 0 && !leadsOn ? 'accept' : 'reject';
  } finally {
    await client.close();
  }
}
