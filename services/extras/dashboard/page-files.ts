/**
 * Serves the files of the pages. They may run no script and load no file but ours (Content-Security-Policy): crawled
 * text is hostile, and no code turns it into markup.
 */
import type { HttpApp } from '../../runtime/http/http-server.ts';
import { assetOf } from './assets.ts';

const contentSecurity = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

export const pageHeaders = {
  'content-security-policy': contentSecurity,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Page files contain nothing of a crawl, and ask for the token themselves. */
export const publicPage = { config: { access: 'public' } } as const;

/** `index`: the file at `/dashboard/`. */
export function servePages(app: HttpApp, index: string): void {
  // Relative, so that the page works below any path of a proxy.
  for (const path of ['/', '/dashboard']) app.get(path, publicPage, (_, reply) => reply.redirect('dashboard/'));
  app.get('/dashboard/*', publicPage, async (request, reply) => {
    const { '*': name } = request.params as { readonly '*': string };
    const asset = await assetOf(name === '' ? index : name);
    if (asset !== undefined) return reply.headers(pageHeaders).type(asset.type).send(asset.body);
    return reply.code(404).send({ error: 'NOT_FOUND', message: `the dashboard has no file ${name}` });
  });
}
