/**
 * The hosts that send the answers. Host 0 sends pages, `/page/N` for answer N. Each robots.txt and sitemap has a
 * separate host, 127.B.C.D, since a host has one of each; so has each redirect, since cookies are stored by host.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Kind, landingPage, plainDraft, render } from './draft.ts';
import { bytesOf, type Odd } from './draw.ts';

export interface OddHosts {
  /** The URL of answer N. */
  readonly urlOf: (n: number) => string;
  readonly originOf: (n: number) => string;
  /** True if this path was requested from the host of answer N. */
  readonly wasAsked: (n: number, path: string) => boolean;
  /** Forgets all requests. */
  readonly forgetRequests: () => void;
  readonly close: () => void;
}

const paths: Readonly<Record<Kind, string>> = {
  page: '/page/',
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
  redirect: '/start',
};
/** Page answers are spread over this many hosts, so that several are requested at once. */
const pageHosts = 16;
/** Facts about a request. `cookies`: the value of its Cookie field. */
interface Asked {
  readonly path: string;
  readonly cookies: string;
}

const cookieLine = /^cookie: *(.*)\r$/gim;
const requestLine = /^(?:GET|HEAD) (\S+) HTTP/;
/** Requests end after this time, whatever the answer is. ms */
const socketTimeoutMs = 20_000;

export async function serveAnswers(answers: readonly Odd[], port: number): Promise<OddHosts> {
  const hostOf = (n: number) => {
    const host = answers[n]!.kind === 'page' ? n % pageHosts : pageHosts + n;
    return `127.${10 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
  };
  const originOf = (n: number) => `http://${hostOf(n)}:${port}`;
  const numberOf = new Map(answers.flatMap(({ kind }, n) => (kind === 'page' ? [] : [[hostOf(n), n] as const])));
  const asked = new Set<string>();
  const answer = (host: string, { path, cookies }: Asked): Buffer => {
    asked.add(`${host} ${path}`);
    const n = path.startsWith(paths.page) ? Number(path.slice(paths.page.length)) : numberOf.get(host);
    const odd = n === undefined ? undefined : answers[n];
    const isWanted = odd !== undefined && path === (odd.kind === 'page' ? `${paths.page}${n}` : paths[odd.kind]);
    if (isWanted) return bytesOf(odd, originOf(n!));
    if (path === paths.robots || path === paths.sitemap) return notFound;
    const origin = `http://${host}:${port}`;
    const draft = plainDraft('page', origin);
    if (odd?.kind === 'redirect') draft.text = landingPage(path, cookies);
    return render(draft, origin);
  };
  const hosts = [...new Set(answers.map((_, n) => hostOf(n)))];
  const servers = await Promise.all(hosts.map((host) => listen(host, port, answer)));
  return {
    urlOf: (n) => originOf(n) + (answers[n]!.kind === 'page' ? `${paths.page}${n}` : paths[answers[n]!.kind]),
    originOf,
    wasAsked: (n, path) => asked.has(`${hostOf(n)} ${path}`),
    forgetRequests: () => asked.clear(),
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

const notFound = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');

async function listen(host: string, port: number, answer: (host: string, asked: Asked) => Buffer): Promise<Server> {
  const server = createServer((socket) => serveOne(socket, host, answer));
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function serveOne(socket: Socket, host: string, answer: (host: string, asked: Asked) => Buffer): void {
  let head = '';
  socket.setTimeout(socketTimeoutMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    head += bytes.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    const path = requestLine.exec(head)?.[1];
    const cookies = [...head.matchAll(cookieLine)].map(([, value]) => value).join(' | ');
    head = '';
    if (path !== undefined) socket.end(answer(host, { path, cookies }));
    else socket.destroy();
  });
}
