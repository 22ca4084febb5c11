/**
 * Sites of hostile owners: `KIND-ANYTHING.evil.test`. Each kind answers without end, so that an owner who crawls it is busy for
 * as long as it likes. Other kinds are those of a single crawl (attacks.ts).
 */
import type { ServerResponse } from 'node:http';
import { mix } from '../../../lab/web/random.ts';
import { privateUrls, type Target } from '../attacks.ts';
import { costlyBody, costlyPdf, linksToDeadNames, once } from '../costly-answers.ts';

type Site = (target: Target) => void;

const html = { 'content-type': 'text/html; charset=utf-8' };

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
  dead: (target) => answerWith(target.response, target, 'dead', linksToDeadNames(target.path)),
  dear({ response, path, host }) {
    response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(costlyBody(path.length + host));
  },
  pdf(target) {
    const { response, path } = target;
    if (path === '/') return answerWith(response, target, 'pdf', '');
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(costlyPdf(path.endsWith('0')));
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
