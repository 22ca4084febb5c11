/** A web in the place of HTTP: hosts of all tempers, drawn from a seed, on a clock moved by hand. */
import type {
  HttpClient,
  HttpClientOptions,
  HttpRequest,
  HttpResponse,
} from '../../../../services/fetcher/http/client.ts';
import type { FailureKind } from '../../../../services/fetcher/http/request-failure.ts';
import type { Draw } from '../../../kept/drawn.ts';

export const hosts = ['a.test', 'b.test', 'www.a.test', 'c.test:8080', 'd.test'] as const;

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly failure?: FailureKind;
}

const failures = ['connectionFailed', 'timeout', 'tlsFailed', 'badResponse', 'aborted'] as const;

function says(status: number, type: string, body: string | Buffer, ...more: readonly string[]): Answer {
  return { status, headers: [...(type === '' ? [] : ['content-type', type]), ...more], body: Buffer.from(body) };
}

function fails(draw: Draw): Answer {
  return { status: 0, headers: [], body: Buffer.alloc(0), failure: draw.of(failures) };
}

const url = (draw: Draw, of = draw.of(hosts)) =>
  `http${draw.percent(60) ? '' : 's'}://${of}/${draw.of(['', 'p/', 'q?x='])}${draw.below(9)}`;

function robots(draw: Draw): Answer {
  const file = [
    'User-agent: *',
    ...draw.list(draw.below(3), () =>
      draw.of([
        'Disallow: /q',
        'Disallow: /p/1',
        'Allow: /p',
        'Crawl-delay: 2',
        'Crawl-delay: 900',
        'Sitemap: /map.xml',
        'Sitemap: http://b.test/map.xml',
      ]),
    ),
  ].join('\n');
  return draw.of([
    () => says(200, 'text/plain', file),
    () => says(200, 'text/plain', file),
    () => says(200, 'text/plain', file),
    () => says(404, '', ''),
    () => says(draw.of([500, 503, 429]), '', '', 'retry-after', draw.of(['2', '90'])),
    () =>
      says(
        301,
        '',
        '',
        'location',
        draw.of(['/robots2.txt', `http://${draw.of(hosts)}/robots.txt`, `https://${draw.of(hosts)}/robots.txt`]),
      ),
    () => fails(draw),
  ])();
}

/** None is compressed: that is undone beside the clock. */
function sitemap(draw: Draw): Answer {
  const entries = draw
    .list(
      draw.below(7),
      () =>
        `<url><loc>${url(draw)}</loc>${draw.percent(60) ? `<lastmod>2023-11-0${1 + draw.below(9)}</lastmod>` : ''}</url>`,
    )
    .join('');
  const list = `<urlset>${entries}</urlset>`;
  return draw.of([
    () => says(200, 'application/xml', list, 'etag', '"s1"'),
    () =>
      says(
        200,
        'text/xml',
        `<sitemapindex><sitemap><loc>${url(draw)}.xml</loc></sitemap><sitemap><loc>/map2.xml</loc></sitemap></sitemapindex>`,
      ),
    () => says(200, 'text/plain', `${url(draw)}\n${url(draw)}\n`),
    () => says(draw.of([404, 503, 304]), '', '', 'retry-after', '3'),
    () => says(302, '', '', 'location', '/map3.xml'),
    () => fails(draw),
  ])();
}

function page(draw: Draw): Answer {
  const links = draw
    .list(
      draw.below(6),
      () =>
        `<a href="${draw.percent(70) ? url(draw) : `/p/${draw.below(9)}`}"${draw.percent(15) ? ' rel=nofollow' : ''}>x</a>`,
    )
    .join(' ');
  const more = draw.of([
    '',
    '',
    '<meta name=robots content=nofollow>',
    '<meta name=robots content=noindex>',
    '<meta http-equiv=refresh content="0;url=/p/8">',
    '<title>Page not found</title>',
    '<meta property="og:title" content=t>',
    '<link rel=canonical href=/p/0>',
  ]);
  const text = draw
    .list(3, () =>
      draw.of([
        'river stone market report council garden',
        'engine summer price letter winter signal',
        'patient forest village science teacher',
      ]),
    )
    .join('. ');
  const fields = draw
    .list(draw.below(3), () =>
      draw.of([
        ['etag', '"e1"'],
        ['last-modified', 'Mon, 06 Nov 2023 08:00:00 GMT'],
        ['x-robots-tag', 'noindex'],
        ['etag', 'x'.repeat(1_001)],
        ['cache-control', 'max-age=600'],
      ]),
    )
    .flat();
  return draw.of([
    ...Array.from(
      { length: 5 },
      () => () =>
        says(
          200,
          draw.of(['text/html', 'text/html; charset=utf-8', '']),
          `<html lang=en><head>${more}</head><body><main><p class=price>12.50</p><p>${text}</p>${links}</main></body>`,
          ...fields,
        ),
    ),
    () =>
      says(
        200,
        'application/rss+xml',
        `<rss><channel><ttl>30</ttl>${draw.list(3, () => `<item><link>${url(draw)}</link><pubDate>Mon, 06 Nov 2023 0${draw.below(9)}:00:00 GMT</pubDate></item>`).join('')}</channel></rss>`,
        ...fields,
      ),
    () => says(200, draw.of(['text/plain', 'application/json', '']), draw.of([text, '{"a":1}', '\0\0']), ...fields),
    () => says(200, draw.of(['image/png', 'application/pdf', 'application/epub+zip']), text),
    () => says(draw.of([301, 302, 307, 300]), '', '', 'location', draw.of([url(draw), '/p/3', '', 'mailto:x'])),
    () => says(draw.of([304, 404, 410, 403, 500, 100, 206]), '', '', ...fields),
    () => says(draw.of([429, 503]), '', '', 'retry-after', draw.of(['5', '100000', 'x'])),
    () => fails(draw),
  ])();
}

/** What was asked, in order, with what it was asked by. */
export interface Asked {
  readonly atMs: number;
  readonly url: string;
  readonly headers: readonly string[];
  readonly address: string | undefined;
}

export function drawnWeb(draw: Draw, asked: Asked[]): (options: HttpClientOptions) => HttpClient {
  return ({ clock, resolver, rules }) => {
    let inFlight = 0;
    const request = async ({
      url,
      headers,
      address,
      wants,
      sink,
      bodyBytesMax = 1e9,
    }: HttpRequest): Promise<HttpResponse> => {
      const startMs = clock.nowMs();
      inFlight += 1;
      asked.push({ atMs: startMs, url, headers, address });
      void rules;
      const { hostname, pathname } = new URL(url);
      const found = await resolver.resolve(hostname, 80);
      const given = pathname.includes('robots')
        ? robots(draw)
        : /map|\.xml$/.test(pathname)
          ? sitemap(draw)
          : page(draw);
      const answer: Answer = found.ok ? given : { ...fails(draw), failure: found.kind };
      await clock.sleepUntil(startMs + draw.of([3, 40, 700, 2_500]));
      inFlight -= 1;
      const wanted = answer.failure === undefined && (wants?.(answer.status, answer.headers) ?? true);
      const body = wanted ? answer.body.subarray(0, bodyBytesMax) : Buffer.alloc(0);
      const isTaken = sink !== undefined && wanted && body.length > 0;
      // Left open, as by the client.
      if (isTaken) await new Promise<void>((resolve) => sink.write(body, () => resolve()));
      const kept = isTaken ? Buffer.alloc(0) : body;
      return {
        ...{
          status: answer.status,
          headers: answer.headers,
          body: kept,
          rawBody: kept,
          truncated: draw.percent(3),
          startMs,
        },
        ...{
          address: found.ok ? found.addresses[0]! : '',
          endMs: clock.nowMs(),
          connectMs: 1,
          firstByteMs: 2,
          pieces: 1,
        },
        failure: answer.failure === undefined ? null : { kind: answer.failure, detail: 'as drawn' },
        staleConnection: draw.percent(2),
        unreached: answer.failure === 'connectionFailed' && draw.percent(50),
      };
    };
    return { request, stats: () => ({ origins: 0, inFlight }), close: async () => {} };
  };
}
