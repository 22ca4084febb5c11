/**
 * What hostile hosts answer beside what those of the synthetic web do (lab/web/hostile.ts): attacks on parsers, memory,
 * scope, other hosts and the operator's terminal. Each stops when its client goes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { answerWithMalice } from '../../lab/web/hostile.ts';
import { hostileKinds } from '../../lab/web/hosts.ts';
import { mix } from '../../lab/web/random.ts';
import { costlyBody, costlyPdf, linksToDeadNames, once } from './costly-answers.ts';

export interface Target {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query. */
  readonly path: string;
  /** Number of the host. */
  readonly host: number;
  /** Of the attackers' own server. */
  readonly port: number;
  /** Where nobody but this machine may be asked. */
  readonly privatePort: number;
}

type Attack = (target: Target) => void;

const html = { 'content-type': 'text/html; charset=utf-8' };
const mebi = 1 << 20;

const brotliBomb = once(() =>
  brotliCompressSync(Buffer.alloc(64 * mebi), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
);
const sitemapBomb = once(() => gzipSync(`<urlset>${'<url><loc>/s</loc></url>'.repeat(400_000)}`, { level: 1 }));
/** Empty frames that ask for a window of 8 MiB each. */
const zstdBomb = once(() => {
  const hello = Buffer.concat([Buffer.from('28b52ffd2005290000', 'hex'), Buffer.from('hello')]);
  return Buffer.concat([hello, ...Array<Buffer>(6_666).fill(Buffer.from('28b52ffd0068010000', 'hex'))]);
});
const cells = once(() => `<table>${'<tr><td>'.repeat(60_000)}`);
const costlyRobots = once(() => `User-agent: *\n${'Disallow: /*a*a*a*a*a*a*a*a*a*b$\n'.repeat(15_000)}`);
const escapes = '\x1b]0;owned\x07\x1b[2J\u009b1A\u202e';

/** Spellings of addresses that only this machine has. */
export function privateUrls(port: number): string[] {
  const names = ['127.0.0.2', '2130706434', '0x7f.2', '0177.0.0.2', '[::1]', '[::ffff:127.0.0.2]', '0', 'localhost'];
  return names.map((name) => `http://${name}:${port}/secret`);
}

const attacks: Readonly<Record<string, Attack>> = {
  brotliBomb: ({ response }) => response.writeHead(200, { ...html, 'content-encoding': 'br' }).end(brotliBomb()),
  zstdBomb: ({ response }) => response.writeHead(200, { ...html, 'content-encoding': 'zstd' }).end(zstdBomb()),
  oneByteChunks({ request, response }) {
    const { socket } = request;
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n');
    const some = '1\r\nx\r\n'.repeat(4_096);
    const more = () => {
      while (!socket.destroyed && socket.write(some));
      if (!socket.destroyed) socket.once('drain', more);
    };
    more();
    response.once('close', () => socket.destroy());
  },
  manyCells: ({ response }) => response.writeHead(200, html).end(cells()),
  linkFarm({ response, host, path }) {
    const links = Array.from({ length: 20_000 }, (_, n) => `<a href="/f/${mix(n + host, path.length)}/${n}">x</a>`);
    response.writeHead(200, html).end(links.join(''));
  },
  calendar({ response, path, host }) {
    const at = mix(path.length, host);
    const links = Array.from({ length: 50 }, (_, n) => `<a href="/c/${at}/?sid=${mix(at, n)}&day=${n}">x</a>`);
    response.writeHead(200, html).end(`<title>${path}</title>${links.join('')}`);
  },
  privateLinks({ response, privatePort, path }) {
    const urls = privateUrls(privatePort);
    const n = Number(/^\/r\/(\d+)$/.exec(path)?.[1] ?? -1);
    if (n >= 0) response.writeHead(302, { location: urls[n % urls.length] }).end();
    else {
      const links = urls.flatMap((url, at) => [`<a href="${url}">x</a>`, `<a href="/r/${at}">x</a>`]);
      response.writeHead(200, html).end(`${links.join('')}<iframe src="${urls[0]}"></iframe>`);
    }
  },
  costlyRobots({ response, path }) {
    const type = { 'content-type': 'text/plain' };
    if (path === '/robots.txt') response.writeHead(200, type).end(costlyRobots());
    else response.writeHead(200, html).end(`<a href="/${'a'.repeat(1_500)}">x</a>`);
  },
  movedRobots({ response, path, privatePort, host }) {
    const urls = privateUrls(privatePort);
    if (path === '/robots.txt') response.writeHead(301, { location: urls[host % urls.length] }).end();
    else response.writeHead(200, html).end('x');
  },
  sitemapBomb({ response, path, port, host }) {
    const at = `http://${hostName(host)}:${port}`;
    if (path === '/robots.txt') response.end(`Sitemap: ${at}/index.xml\nSitemap: ${at}/bomb.xml.gz\n`);
    else if (path === '/index.xml') {
      response.end(`<sitemapindex>${`<sitemap><loc>${at}/index.xml?again</loc></sitemap>`.repeat(5_000)}`);
    } else if (path === '/bomb.xml.gz') response.end(sitemapBomb());
    else response.writeHead(200, html).end('x');
  },
  neverAgain: ({ response }) => response.writeHead(429, { 'retry-after': '99999999999' }).end(),
  terminal({ response, path }) {
    response.writeHead(200, { ...html, 'x-title': 'x', 'set-cookie': `a=${'b'.repeat(4_000)}` });
    response.end(`<title>${escapes}${path}</title><a href="/${escapes}${path.length}">=HYPERLINK("x")</a>`);
  },
  deadNames: ({ response, path }) => response.writeHead(200, html).end(linksToDeadNames(path)),
  costlyBodies: ({ response, path, host }) =>
    response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(costlyBody(path.length + host)),
  pdfs({ response, path }) {
    const links = Array.from({ length: 10 }, (_, n) => `<a href="/${n}.pdf">x</a>`);
    if (path === '/') response.writeHead(200, html).end(links.join(''));
    else response.writeHead(200, { 'content-type': 'application/pdf' }).end(costlyPdf(path === '/0.pdf'));
  },
  junk({ request }) {
    request.socket.end(Buffer.from('HTTP/9.9 twelve maybe\r\n: \r\n\0\xff\r\n\r\n', 'latin1'));
  },
};

export const attackKinds: readonly string[] = [...Object.keys(attacks), ...hostileKinds];

/** A registrable domain for every host. */
export function hostName(host: number): string {
  return `www.evil${host}.test`;
}

export function attack(target: Target): void {
  const { request, response, path, host } = target;
  const kind = attackKinds[host % attackKinds.length]!;
  const own = attacks[kind];
  if (own !== undefined) {
    const hasRobots = /robots|sitemap/i.test(kind);
    if (path === '/robots.txt' && !hasRobots) response.writeHead(404).end();
    else own(target);
  } else if (path === '/robots.txt') response.writeHead(404).end();
  else answerWithMalice(kind as (typeof hostileKinds)[number], request, response, path);
}
