/** What a client of the lease API does with a URL of the synthetic web: one request, and the page's links. */
import { request } from 'node:http';
import type { Answer, LeasedUrl } from '../../../../clients/typescript/lease-client.ts';

/** A request to a host of the synthetic web, and the links of what comes. */
export function fetcherOf(port: number): (leased: LeasedUrl) => Promise<Answer> {
  return ({ url, userAgent }) =>
    new Promise((resolve, reject) => {
      const { host, pathname, search } = new URL(url);
      const path = pathname + search;
      const asked = request(
        { host: '127.0.0.1', port, path, headers: { host, 'user-agent': userAgent } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const body = Buffer.concat(chunks).toString();
            const headers = Object.fromEntries(
              Object.entries(response.headers).flatMap(([name, value]) =>
                typeof value === 'string' ? [[name, value]] : [],
              ),
            );
            const hrefs = [...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
            const urls = hrefs
              .filter((href) => URL.canParse(href, url))
              .map((href) => ({ url: new URL(href, url).href }));
            const isPage = response.statusCode === 200 && (headers['content-type'] ?? '').startsWith('text/html');
            resolve({ status: response.statusCode!, headers, bytes: body.length, urls: isPage ? urls : [] });
          });
        },
      );
      asked.on('error', reject).end();
    });
}
