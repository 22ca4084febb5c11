/**
 * Sites of hostile owners: `KIND-ANYTHING.evil.test`. Each kind answers without end, so that an owner who crawls it is busy for
 * as long as it likes. Other kinds are those of a single crawl (attacks.ts).
 */
import type { ServerResponse } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import { mix } from '../../../lab/web/random.ts';
import { privateUrls, type Target } from '../attacks.ts';

type Site = (target: Target) => void;

const html = { 'content-type': 'text/html; charset=utf-8' };

/** The same bytes are made once. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => (made ??= { it: make() }).it;
}

/** Small as they are sent, and dear to read. */
const dearBodies: readonly (() => string)[] = [
  () => '<blockquote><p>a'.repeat(16_000),
  () => `<main><p>${'a '.repeat(500)}</p>${'<ul><li>a'.repeat(28_000)}`,
  () => '<table><tr><td>'.repeat(16_000),
  () => `<p>${'<b><i>a'.repeat(35_000)}`,
  () => `<p>${'a \n\t'.repeat(60_000)}`,
  () => `<script type="application/ld+json">${'['.repeat(240_000)}</script>`,
  () => '<script type="application/ld+json">[{}]</script>'.repeat(5_000),
  () => '<h1>a<h2>b'.repeat(25_000),
  () => '<div>'.repeat(300_000),
  () => `<p>${'&amp;'.repeat(400_000)}`,
  () => '<meta property="og:title" content="x">'.repeat(50_000),
  () => `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=b`).join(' ')}>`,
].map((make) => once(make));

/** With links to pages of the same host. */
const dearGzip = dearBodies.map((body) =>
  once(() => {
    const links = Array.from({ length: 30 }, (_, n) => `<a href="${'a'.repeat(n)}/">x</a>`);
    return gzipSync(links.join('') + body());
  }),
);

const contentUsage = once(() =>
  Array.from({ length: 7_000 }, (_, n) => `User-agent: b${n}\nContent-Usage: /p${n}/*/a search=n, train-ai=n\n`).join(
    '',
  ),
);
const feed = once(() =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    items: Array.from({ length: 9_000 }, (_, n) => ({ id: `${n}`, url: `/f/${n}`, content_text: 'a'.repeat(60) })),
  }),
);
const guessed = once(() => Buffer.from(`<p>${'\xe4\xf6\xfc\x82\xa0 '.repeat(45_000)}`, 'latin1'));
/** A document of one page, the content of which unpacks to 256 MiB of text. */
const pdfBomb = once(() => {
  const content = deflateSync(Buffer.alloc(256 << 20, 'BT (a) Tj ET\n'), { level: 9 });
  return pdfOf(content);
});
const pdfOfWords = once(() => pdfOf(deflateSync(Buffer.from('BT /F 9 Tf (many words) Tj ET\n'.repeat(400_000)))));

function pdfOf(content: Buffer): Buffer {
  const parts = [
    Buffer.from(
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n',
    ),
    Buffer.from(
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>endobj\n',
    ),
    Buffer.from('5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n'),
    Buffer.from(`4 0 obj<</Filter/FlateDecode/Length ${content.length}>>stream\n`),
    content,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
  ];
  return Buffer.concat(parts);
}

/** A page, and links to the next ones of its host and of its kind's hosts. */
function answerWith(response: ServerResponse, { path, host, port }: Target, kind: string, body: string | Buffer): void {
  const at = mix(path.length + Number(/\d+/.exec(path)?.[0] ?? 0), host);
  const here = Array.from({ length: 6 }, (_, n) => `<a href="/${at}/${n}">x</a>`).join('');
  const there = Array.from(
    { length: 4 },
    (_, n) => `<a href="http://${kind}-${mix(at, n) % 5_000}.evil.test:${port}/">x</a>`,
  );
  response.writeHead(200, html);
  response.end(Buffer.concat([Buffer.from(here + there.join('')), Buffer.from(body)]));
}

/** Bytes that come one after the other, for as long as somebody waits. */
function drip(response: ServerResponse, everyMs: number, write: () => void): void {
  const timer = setInterval(write, everyMs);
  response.once('close', () => clearInterval(timer));
}

const sites: Readonly<Record<string, Site>> = {
  // Names that nobody answers for.
  dead(target) {
    const some = Array.from(
      { length: 3_000 },
      (_, n) => `<a href="http://h${n}.d${mix(n, target.path.length) % 900}.dead/">x</a>`,
    );
    answerWith(target.response, target, 'dead', some.join(''));
  },
  dear({ response, path, host }) {
    response.writeHead(200, { ...html, 'content-encoding': 'gzip' });
    response.end(dearGzip[mix(path.length + host, 7) % dearGzip.length]!());
  },
  pdf(target) {
    const { response, path } = target;
    if (path === '/') return answerWith(response, target, 'pdf', '');
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.end(path.endsWith('0') ? pdfBomb() : pdfOfWords());
  },
  robots(target) {
    if (target.path === '/robots.txt') target.response.end(contentUsage());
    else answerWith(target.response, target, 'robots', '');
  },
  forms(target) {
    const { response, path } = target;
    const last = path.at(-1)!;
    if (path === '/') return answerWith(response, target, 'forms', '');
    if (last < '2') return void response.writeHead(200, { 'content-type': 'application/feed+json' }).end(feed());
    if (last < '4') return void response.writeHead(200, { 'content-type': 'text/html' }).end(guessed());
    const links = Array.from(
      { length: 150 },
      (_, n) => `<http://forms-${n}.evil.test/${path}>; rel="canonical"; title*=UTF-8''a%20b`,
    );
    response.writeHead(200, { ...html, link: links.join(', ') }).end('x');
  },
  loops({ response, path, port, host }) {
    const next = mix(path.length, host) % 2_000;
    const longer = `${path}${path.length % 7}`.slice(0, 200);
    response.writeHead(302, { location: `http://loops-${next}.evil.test:${port}${longer}` }).end();
  },
  slowhead({ request }) {
    const { socket } = request;
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('X-A: b\r\n'), 2_000);
    socket.once('close', () => clearInterval(timer));
  },
  slowbody({ response }) {
    response.writeHead(200, html);
    drip(response, 3_000, () => response.write('<p>a'));
  },
  later({ response, path }) {
    const dates = ['Fri, 31 Dec 9999 23:59:59 GMT', '1e9', '-5', '99:99:99', '2147483648', 'NaN', '0x7fffffff', ''];
    const status = [429, 503, 200, 500][path.length % 4]!;
    response.writeHead(status, {
      'retry-after': dates[path.length % dates.length]!,
      date: 'Thu, 01 Jan 1970 00:00:00 GMT',
    });
    response.end('x');
  },
  links(target) {
    const { path, host, response } = target;
    const some = Array.from({ length: 30_000 }, (_, n) => `<a href="/l/${mix(n, path.length + host)}">x</a>`);
    answerWith(response, target, 'links', some.join(''));
  },
  long(target) {
    const { path } = target;
    const some = Array.from({ length: 300 }, (_, n) => `<a href="/${'a'.repeat(1_500)}${n}${path.length}!">x</a>`);
    answerWith(target.response, target, 'long', some.join(''));
  },
  private(target) {
    const { privatePort, path, port, response } = target;
    const all = [...privateUrls(privatePort), ...ownApi().flatMap((fleet) => privateUrls(fleet))];
    const n = Number(/^\/r\/(\d+)$/.exec(path)?.[1] ?? -1);
    if (n >= 0) return void response.writeHead(302, { location: all[n % all.length] }).end();
    if (path === '/robots.txt') return void response.writeHead(302, { location: all[port % all.length] }).end();
    const some = all.flatMap((url, at) => [`<a href="${url}">x</a>`, `<a href="/r/${at}">x</a>`]);
    answerWith(response, target, 'private', some.join(''));
  },
  fast: (target) => answerWith(target.response, target, 'fast', 'words '.repeat(500)),
  // Takes what a webhook posts, and never answers.
  hook() {},
};

/** Ports of the fleet, which are learnt once it listens. */
let fleetPort: number | undefined;
const ownApi = (): number[] => (fleetPort === undefined ? [] : [fleetPort]);

export function setFleetPort(port: number): void {
  fleetPort = port;
}

/** False: it is no site of these. */
export function answerAsSite(name: string, target: Omit<Target, 'host'>): boolean {
  const found = /^([a-z]+)-(\d+)\.evil\.test/.exec(name);
  const site = found && sites[found[1]!];
  if (!site) return false;
  const { response, path } = target;
  const hasRobots = ['robots', 'private'].includes(found[1]!);
  if (path === '/robots.txt' && !hasRobots) response.writeHead(404).end();
  else site({ ...target, host: Number(found[2]) });
  return true;
}
