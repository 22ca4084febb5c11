/**
 * https://example.org on this machine, as the pages name it: a small site behind TLS on port 443 and without on 80, whose
 * certificate commands are told to trust. No command is changed for it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:net';
import { join } from 'node:path';

export interface ExampleSite {
  /** For commands that are to find it. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

const pages = 30;

const answer: RequestListener = (request, response) => {
  const path = new URL(request.url ?? '/', 'http://example.org').pathname;
  if (path === '/robots.txt') return response.end('User-agent: *\nDisallow: /private\n');
  if (path.startsWith('/broken')) return response.writeHead(500).end();
  const number = path === '/' ? 0 : Number(path.slice(1));
  if (!(number >= 0 && number < pages)) return response.writeHead(404).end();
  response.setHeader('content-type', 'text/html');
  const next = [2 * number + 1, 2 * number + 2].map((one) => `<a href="/${one}">Page ${one}</a>`).join(' ');
  return response.end(
    `<title>Page ${number} of an example</title><p>An example in documents, the ${number}th of its kind.</p>${next}
     <a href="/gone">gone</a> <a href="/private">private</a> <a href="/broken">broken</a>`,
  );
};

/** Throws where nobody may listen there: these ports are root's on most machines. */
export async function serveExample(folder: string): Promise<ExampleSite> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const named = ['-subj', '/CN=example.org', '-addext', 'subjectAltName=DNS:example.org,DNS:*.example.org'];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...ec, '-keyout', key, '-out', cert, ...named], { stdio: 'ignore' });
  const tls = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer);
  const plain = createHttpServer(answer);
  await listen(tls, 443);
  await listen(plain, 80);
  return {
    env: {
      CRAWLSTREAM_RESOLVE: 'example.org:443:127.0.0.1\nexample.org:80:127.0.0.1',
      CRAWLSTREAM_CA: cert,
      CRAWLSTREAM_DELAY: '5ms',
      CRAWLSTREAM_RETRIES: '100ms',
    },
    close() {
      for (const server of [tls, plain]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
