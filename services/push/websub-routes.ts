/**
 * `/websub/ID`: the callback for hubs. It needs no token, since ids cannot be guessed and deliveries are signed.
 * `/subscriptions`: for callers that may control the crawl. Secrets are never shown.
 */

import { CrawlstreamError } from '../../topology/errors.ts';
import { canParse } from '../../topology/url/can-parse.ts';
import type { HttpApp, Routes } from '../runtime/http/http-server.ts';
import type { Subscription } from './subscription-file.ts';
import type { Websub } from './websub.ts';

/** `websub`: undefined while the crawl is not up yet, or hubs cannot reach it. */
export function websubRoutes(websub: () => Websub | undefined): Routes {
  const now = () => {
    const one = websub();
    if (one !== undefined) return one;
    const message = 'this service accepts no pushes: start it with --callback, and wait until it has started';
    throw new CrawlstreamError('NOT_READY', message);
  };
  return (app: HttpApp) => {
    app.get('/subscriptions', { config: { access: 'control' } }, () => ({
      subscriptions: now().subscriptions.map(shown),
    }));
    app.post('/subscriptions', async (request, reply) => {
      const { topic } = (request.body ?? {}) as { readonly topic?: unknown };
      if (typeof topic !== 'string' || !canParse(topic))
        throw new CrawlstreamError('INVALID_ARGUMENT', 'topic is missing: send {"topic": "https://example.org/feed"}');
      return reply.code(202).send(shown(await now().subscribe(topic)));
    });
    app.register(async (hub) => {
      // A delivery is signed over its bytes, whatever their type.
      hub.removeAllContentTypeParsers();
      hub.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
      const open = { config: { access: 'open' as const } };
      hub.get('/websub/:id', open, async (request, reply) => {
        const { id } = request.params as { readonly id: string };
        const challenge = await now().verify(id, request.query as Record<string, string>);
        if (challenge === null) return reply.code(404).send('');
        return reply.type('text/plain; charset=utf-8').send(challenge);
      });
      hub.post('/websub/:id', open, async (request, reply) => {
        const { id } = request.params as { readonly id: string };
        const { 'x-hub-signature': signature, 'content-type': type } = request.headers;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const known = await now().deliver(id, body, [signature].flat()[0], type ?? null);
        return reply.code(known ? 202 : 410).send('');
      });
    });
  };
}

function shown({ topic, hub, state, expiresAtMs, pushes, forged }: Subscription): object {
  return { topic, hub, state, expiresAtMs: expiresAtMs || null, pushes, forged };
}
