/** The hosts of all situations over all ways, and the proxies on the way. A host is one situation in one column. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { makeCertificate } from '../web/certificate.ts';
import { type AddressOf, serveProxy, speakHttp, speakSocks4, speakSocks5 } from './proxies.ts';
import type { Line } from './send.ts';
import { serveHttp1 } from './serve-http1.ts';
import { serveHttp2 } from './serve-http2.ts';
import { notFound } from './situations/answers.ts';
import type { Answer, Arrival, Asked, Situation } from './situations/situation.ts';
import { type Column, isIn, type Way, ways } from './ways.ts';

export type AnswerFor = (host: string, path: string, fields: ReadonlyMap<string, string>) => Answer;

/** One situation in one column, and the host that shows it. */
export interface Case {
  readonly situation: Situation;
  readonly column: Column;
  readonly hostname: string;
  readonly origin: string;
  readonly asked: Asked[];
}

export interface ServedWays {
  readonly cases: readonly Case[];
  /** Values of `--resolve`. */
  readonly resolves: readonly string[];
  /** Rules of requests: which proxy each host is reached through. */
  readonly rules: readonly object[];
  /** The authority of all certificates. */
  readonly certificateFile: string;
  /** The address of one of the hosts. */
  readonly addressOf: AddressOf;
  close(): void;
}

/** Uses the ports from `port` on: one for each way, and one for each proxy. */
export async function serveWays(
  situations: readonly Situation[],
  columns: readonly Column[],
  port: number,
): Promise<ServedWays> {
  const portOf = (way: Way) => port + ways.indexOf(way);
  const cases = situations.flatMap((situation, n) =>
    columns
      .filter((column) => isIn(situation, column))
      .map((column): Case => {
        const hostname = `s${n}.${column.domain}`;
        const { secure } = column.way;
        return {
          ...{ situation, column, hostname, asked: [] },
          origin: `http${secure ? 's' : ''}://${hostname}:${portOf(column.way)}`,
        };
      }),
  );
  const byName = new Map(cases.map((one) => [one.hostname, one]));
  const addressOf = (hostname: string) => {
    const { situation } = byName.get(hostname) ?? {};
    if (situation?.arrival === undefined) return situation === undefined ? hostname : '127.0.0.1';
    const n = situations.indexOf(situation);
    return `127.62.${n >> 8}.${n & 255}`;
  };
  const certificate = makeCertificate({ hosts: columns.map(({ domain }) => `any.${domain}`) }, ['localhost']);
  const context = createSecureContext({ key: certificate.key, cert: certificate.cert });
  const answerFor = answersOf(byName);
  const servers: Server[] = [];
  const wires = new Set<Socket>();
  for (const way of new Set(columns.map((column) => column.way)))
    servers.push(await listen(way, portOf(way), '127.0.0.1', (wire) => serveLine(wire, way, context, answerFor)));
  const arrivals = cases.filter(({ situation: { arrival } }) => arrival !== undefined && arrival !== 'refused');
  for (const { situation, column, hostname } of arrivals)
    servers.push(await listen(column.way, portOf(column.way), addressOf(hostname), arriveAt(situation.arrival!)));
  servers.push(...(await serveProxies(port, addressOf, context)));
  for (const server of servers)
    server.on('connection', (wire: Socket) => wires.add(wire.once('close', () => wires.delete(wire))));
  return {
    cases,
    resolves: [
      '*.test:127.0.0.1',
      ...cases
        .filter(({ situation }) => situation.arrival !== undefined)
        .map(({ hostname }) => `${hostname}:${addressOf(hostname)}`),
    ],
    rules: [...new Set(columns)].flatMap((column) => rulesOf(column, port)),
    certificateFile: certificate.file,
    addressOf,
    close: () => {
      for (const server of servers) server.close();
      for (const wire of wires) wire.destroy();
      certificate.remove();
    },
  };
}

/** After the ports of the ways. */
const proxyPorts = { http: 20, connect: 21, socks4: 22, socks5: 23 } as const;
const proxyHost = '127.0.0.1';

async function serveProxies(port: number, addressOf: AddressOf, context: SecureContext): Promise<Server[]> {
  return Promise.all([
    serveProxy(speakHttp, port + proxyPorts.http, addressOf),
    serveProxy(speakHttp, port + proxyPorts.connect, addressOf, context),
    serveProxy(speakSocks4, port + proxyPorts.socks4, addressOf),
    serveProxy(speakSocks5, port + proxyPorts.socks5, addressOf),
  ]);
}

/** The URL of the way's proxy; null: there is none. */
export function proxyOf({ through, version }: Way, port: number): string | null {
  if (through === 'none') return null;
  if (through === 'connect' && version === 'HTTP/2') return `https://localhost:${port + proxyPorts.connect}`;
  const schemes = { http: 'http', connect: 'http', socks4: 'socks4a', socks5: 'socks5' } as const;
  const at = through === 'connect' ? 'http' : through;
  return `${schemes[through]}://${proxyHost}:${port + proxyPorts[at]}`;
}

/** Proxies that get names must declare that they refuse private addresses. */
function rulesOf({ way, domain }: Column, port: number): object[] {
  const hosts = [`*.${domain}`];
  const session = { hosts, session: 'cookies' };
  const url = proxyOf(way, port);
  if (url === null) return [session];
  const isNamed = way.through === 'http' || way.through === 'socks4';
  return [session, { hosts, proxies: [{ url, ...(isNamed && { filters: true }) }] }];
}

async function listen(way: Way, port: number, address: string, serve: (wire: Socket) => void): Promise<Server> {
  const server = createServer((wire) => {
    wire.on('error', () => {});
    serve(wire);
  });
  server.listen(port, address);
  await once(server, 'listening').catch((cause) => {
    throw new Error(`no port ${port} at ${address} for ${way.label}: choose others by --port`, { cause });
  });
  return server;
}

function serveLine(wire: Socket, way: Way, secureContext: SecureContext, answerFor: AnswerFor): void {
  const speak = way.version === 'HTTP/2' ? serveHttp2 : serveHttp1;
  if (!way.secure) return speak({ socket: wire, wire }, answerFor);
  const ALPNProtocols = [way.version === 'HTTP/2' ? 'h2' : 'http/1.1'];
  const socket = new TLSSocket(wire, { isServer: true, secureContext, ALPNProtocols });
  const line: Line = { socket, wire };
  socket.on('error', () => {});
  // It keeps the handle of a wire that is destroyed.
  wire.once('close', () => socket.destroy());
  socket.once('secure', () => speak(line, answerFor));
}

function arriveAt(arrival: Arrival): (wire: Socket) => void {
  return (wire) => {
    if (arrival === 'closed') wire.end();
    if (arrival === 'reset') wire.resetAndDestroy();
    if (arrival === 'noTls') wire.end('SSH-2.0-none\r\n');
  };
}

function answersOf(byName: ReadonlyMap<string, Case>): AnswerFor {
  const counts = new Map<string, number>();
  return (host, path, fields) => {
    const hostname = host.replace(/:\d+$/, '');
    const found = byName.get(hostname);
    if (found === undefined) return notFound;
    found.asked.push({ path, fields, atMs: Date.now() });
    const { situation, column } = found;
    const { page, robots, paths = {} } = situation;
    const answers = path === '/robots.txt' ? robots : path === '/' ? page : paths[path];
    const key = `${hostname}${path}`;
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    const answer = answers?.[Math.min(n, answers.length - 1)] ?? notFound;
    // The page finds no open connection.
    return path === '/robots.txt' && robots === undefined && column.isFresh ? { ...answer, closes: true } : answer;
  };
}
