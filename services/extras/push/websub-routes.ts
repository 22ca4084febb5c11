/**
 * `/websub/ID`: the callback for hubs. It needs no token, since ids cannot be guessed and deliveries are signed.
 * `/subscriptions`: for callers that may control the crawl. Secrets are never shown.
 */

import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import type { CrawlRoute } from '../../application/extension/crawl-part.ts';
import type { Subscription } from './subscription-file.ts';
import type { Websub } from './websub.ts';

/** `websub`: undefined if hubs cannot reach this process, or it is not up yet. */
export function websubRoutes(websub: () => Websub | undefined): readonly CrawlRoute[] {
  const now = () => {
    const one = websub();
    if (one !== undefined) return one;
    const message = 'this service accepts no pushes: start it with --callback, and wait until it has started';
    throw new CrawlstreamError('NOT_READY', message);
  };
  // A delivery is signed over its bytes, whatever their type.
  const callback = { path: '/websub/:id', access: 'open', takes: 'bytes' } as const;
  return [
    {
      method: 'GET',
      path: '/subscriptions',
      access: 'control',
      handle: () => ({ body: { subscriptions: now().subscriptions.map(shown) } }),
    },
    {
      method: 'POST',
      path: '/subscriptions',
      async handle({ body }) {
        const { topic } = (body ?? {}) as { readonly topic?: unknown };
        if (typeof topic !== 'string' || !canParse(topic))
          throw invalid('topic is missing: send {"topic": "https://example.org/feed"}');
        return { status: 202, body: shown(await now().subscribe(topic)) };
      },
    },
    {
      method: 'GET',
      ...callback,
      async handle({ params, query }) {
        const challenge = await now().verify(params['id']!, query as Record<string, string>);
        if (challenge === null) return { status: 404, body: '' };
        return { type: 'text/plain; charset=utf-8', body: challenge };
      },
    },
    {
      method: 'POST',
      ...callback,
      async handle({ params, headers, body }) {
        const { 'x-hub-signature': signature, 'content-type': type } = headers;
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        const known = await now().deliver(params['id']!, bytes, [signature].flat()[0], type ?? null);
        return { status: known ? 202 : 410, body: '' };
      },
    },
  ];
}

function shown({ topic, hub, state, expiresAtMs, pushes, forged }: Subscription): object {
  return { topic, hub, state, expiresAtMs: expiresAtMs || null, pushes, forged };
}
