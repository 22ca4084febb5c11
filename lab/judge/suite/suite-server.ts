/**
 * Serves the webs of all checks from one port, with and without TLS, and records each request under its check.
 *
 * A crawler finds the hosts by using the port as its HTTP proxy, or by resolving *.test to its address. Each host may have
 * a separate address instead, in URLs or from a name server. The seed links to the host of each check. A first byte
 * of TLS begins a handshake; CONNECT opens a tunnel to the same port.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Check, linksTo, needsNames, type Pace, type Reply, type SuiteRequest } from './check/check.ts';
import { privateAddress } from './names/addresses.ts';
import { Hosts, startLabel, targetOf } from './names/hosts.ts';
import {
  type NameAnswer,
  type NameServer,
  type Question,
  recordTypes,
  responseCodes,
  startNameServer,
} from './names/name-server.ts';
import type { NamedHosts } from './pages.ts';
import { type Authority, makeAuthority } from './secure/certificates.ts';
import { type Http2Stream, type OpenLine, serveTls, type TlsHost } from './secure/serve-tls.ts';
import { send, sendOnStream } from './send.ts';
import { type Arrival, Visits } from './visits.ts';

export interface SuiteServerOptions {
  readonly address?: string;
  readonly port?: number;
  /** URLs have addresses in place of names. Checks that need names are left out. */
  readonly byAddress?: boolean;
  /** Each name has a separate address, from a name server at this port (UDP). */
  readonly nameServerPort?: number;
}

export interface RunningSuite extends NamedHosts {
  /** Those that are served. */
  readonly checks: readonly Check[];
  readonly seed: string;
  /** The authority of all right certificates, PEM. */
  readonly ca: string;
  /** Port of the name server; undefined: there is none. */
  readonly nameServerPort: number | undefined;
  /** Requests of each check, by its id, in order of arrival. */
  visited(): ReadonlyMap<string, readonly SuiteRequest[]>;
  readonly size: number;
  readonly open: number;
  close(): Promise<void>;
}

/** @throws RangeError if an address cannot be listened on: only Linux gives out all of 127.0.0.0/8. */
export async function startSuite(
  checks: readonly Check[],
  pace: Pace,
  options: SuiteServerOptions = {},
): Promise<RunningSuite> {
  const suite = new SuiteServer(options.byAddress ? checks.filter((one) => !needsNames(one)) : checks, pace, options);
  try {
    await suite.start(options.port ?? 0, options.nameServerPort);
  } catch (error) {
    await suite.close();
    throw error;
  }
  return suite;
}

/** The first byte of a TLS handshake (RFC 8446 §5.1). */
const handshakeByte = 22;

class SuiteServer implements RunningSuite {
  readonly checks: readonly Check[];
  readonly ca: string;
  readonly nameOf: NamedHosts['nameOf'];
  port = 0;
  size = 0;
  readonly #address: string;
  readonly #byAddress: boolean;
  readonly #hosts: Hosts;
  readonly #visits: Visits;
  readonly #hostOf: (serverName: string | undefined) => TlsHost;
  readonly #lines = new WeakMap<Socket, OpenLine>();
  readonly #tunnels = new WeakSet<Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #servers: Server[] = [];
  readonly #web = createHttpServer(
    { keepAlive: true, noDelay: true, insecureHTTPParser: true, requireHostHeader: false, maxHeaderSize: 1 << 20 },
    (request, response) => this.#onRequest(request, response),
  );
  #nameServer: NameServer | undefined;

  constructor(checks: readonly Check[], pace: Pace, { address = '127.0.0.1', byAddress = false }: SuiteServerOptions) {
    this.checks = checks;
    this.#address = address;
    this.#byAddress = byAddress;
    this.#hosts = new Hosts(checks, byAddress);
    this.nameOf = this.#hosts.nameOf;
    this.#visits = new Visits(checks, pace);
    const authority = makeAuthority();
    this.ca = authority.root;
    this.#hostOf = tlsHosts(this.#hosts, authority);
    this.#web.keepAliveTimeout = 120_000;
    this.#web.requestTimeout = 0;
    this.#web.on('connection', (socket) => this.#visits.connected(socket));
    this.#web.on('clientError', (_error, socket) => socket.destroy());
    this.#web.on('connect', (_request, socket: Socket, head) => {
      this.#tunnels.add(socket);
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      if (head.length > 0) socket.unshift(head);
      this.#accept(socket);
    });
  }

  async start(port: number, nameServerPort: number | undefined): Promise<void> {
    this.port = await this.#listen(this.#address, port);
    const hasOwn = this.#byAddress || nameServerPort !== undefined;
    const addresses = hasOwn ? this.#hosts.addresses.all : [];
    const others = nameServerPort === undefined ? addresses : [...addresses, privateAddress];
    await Promise.all(others.map((one) => this.#listen(one, this.port)));
    if (nameServerPort === undefined) return;
    // Some machines have no IPv6.
    await this.#listen('::1', this.port).catch(() => {});
    const at = { address: this.#address, port: nameServerPort };
    this.#nameServer = await startNameServer(at, (question) => this.#answerTo(question));
  }

  get seed(): string {
    return `http://${this.nameOf(startLabel)}:${this.port}/`;
  }

  get nameServerPort(): number | undefined {
    return this.#nameServer?.port;
  }

  visited(): ReadonlyMap<string, readonly SuiteRequest[]> {
    return this.#visits.visited();
  }

  get open(): number {
    return this.#visits.open;
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...closed, this.#nameServer?.close()]);
  }

  async #listen(address: string, port: number): Promise<number> {
    const server = createServer({ keepAlive: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
      this.#accept(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ port, host: address, backlog: 1024 }, resolve);
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRNOTAVAIL' || address === this.#address) throw error;
      throw new RangeError(`This machine has no address ${address}: --addresses and --name-server need Linux.`);
    });
    this.#servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  #accept(wire: Socket): void {
    wire.once('data', (first: Buffer) => {
      if (first[0] === handshakeByte) {
        const onHttp1 = (socket: Socket, line: OpenLine) => {
          this.#lines.set(socket, line);
          this.#web.emit('connection', socket);
        };
        const onStream = (arrived: Http2Stream, line: OpenLine) => this.#onStream(arrived, line);
        return serveTls(wire, first, { hostOf: this.#hostOf, onHttp1, onStream });
      }
      wire.unshift(first);
      this.#web.emit('connection', wire);
    });
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => {});
    const arrival = arrivalOf(request, response, this.#lines.get(request.socket));
    this.#replyTo(arrival, (reply) => send(response, reply, arrival.method));
  }

  #onStream(arrived: Http2Stream, line: OpenLine): void {
    this.#visits.connected(arrived.socket);
    const arrival = arrivalOnStream(arrived, line);
    this.#replyTo(arrival, (reply, done) => {
      const answer = () => sendOnStream(arrived, reply, arrival.method, done);
      if (reply.pings) ping(arrived.session, line, answer);
      else answer();
    });
  }

  #replyTo(arrival: Arrival, answer: (reply: Reply, done: () => void) => void): void {
    this.size += 1;
    const found = this.#hosts.find(arrival, this.port);
    if (found === undefined) return answer(this.#otherwise(arrival), () => {});
    const { check, key, label } = found;
    const isPrivate = label !== undefined && this.#isPrivate(arrival, label);
    const scheme = `${isPrivate ? 'private:' : ''}${arrival.line === undefined ? '' : 'https:'}`;
    this.#visits.begin(check, scheme + key, arrival, this, answer);
  }

  /** True: the request arrived at an address that is not that of its host, and through no proxy. */
  #isPrivate({ isWhole, socket, line }: Arrival, label: string): boolean {
    if (this.#nameServer === undefined || isWhole || this.#tunnels.has(socket)) return false;
    const { localAddress } = socket;
    // TLS through a tunnel arrives at the address of the proxy.
    if (line !== undefined && localAddress === this.#address) return false;
    return localAddress !== this.#hosts.addresses.of(label);
  }

  #otherwise(arrival: Arrival): Reply {
    if (!this.#hosts.isStart(arrival)) return { status: 421, type: 'text/plain', body: 'No such host here.\n' };
    if (arrival.path !== '/') return { status: 404, type: 'text/plain', body: 'Not found.\n' };
    return { body: linksTo(...this.checks.map(({ slug }) => `http://${this.nameOf(slug)}:${this.port}/`)) };
  }

  #answerTo({ name, type }: Question): NameAnswer {
    const { addresses } = this.#hosts;
    if (name === `${startLabel}.test`) return type === recordTypes.A ? { addresses: [addresses.of(startLabel)!] } : {};
    const place = this.#hosts.named(name);
    if (place === undefined) return { code: responseCodes.noSuchName };
    const { check, label, prefix, below } = place;
    const page = check.names?.[`${prefix}${below}`] ?? { leadsTo: ['host'] };
    const isFourth = type === recordTypes.A;
    // To other checks, a query is no request.
    const isJudged = isFourth && check.names !== undefined;
    const nth = isJudged ? this.#visits.query(check, `${prefix}${below}?A`) : 1;
    const {
      leadsTo = [],
      addresses: fourth = [],
      sixth = [],
      ...rest
    } = typeof page === 'function' ? page({ nth }) : page;
    const led = leadsTo.map((to) => (to === 'host' ? addresses.of(label)! : privateAddress));
    if (type === recordTypes.AAAA && sixth.length > 0) return { ...rest, addresses: sixth };
    return { ...rest, addresses: isFourth ? [...led, ...fourth] : [] };
  }
}

function arrivalOf(request: IncomingMessage, response: ServerResponse, line: OpenLine | undefined): Arrival {
  const { method = '', rawHeaders: headers, socket } = request;
  const header = (name: string) => String(request.headers[name] ?? '');
  return { ...targetOf(request), method, headers, header, socket, line, answer: response };
}

function arrivalOnStream({ stream, headers, socket }: Http2Stream, line: OpenLine): Arrival {
  const header = (name: string) => String(headers[name] ?? '');
  const names = Object.keys(headers).filter((name) => !name.startsWith(':'));
  return {
    ...{ authority: header(':authority') || header('host'), path: header(':path'), isWhole: false },
    ...{ method: header(':method'), headers: names.flatMap((name) => [name, header(name)]), header },
    ...{ socket, line, answer: stream },
  };
}

/** Goes on once the PING is answered, or after a second. */
function ping(session: ServerHttp2Session, line: OpenLine, goOn: () => void): void {
  let isPast = false;
  const once = () => {
    if (!isPast) goOn();
    isPast = true;
  };
  const late = setTimeout(once, 1_000).unref();
  session.ping((error) => {
    if (error !== null) return;
    line.pongs += 1;
    clearTimeout(late);
    once();
  });
}

/** Hosts with a certificate that is kept: subdomains have no end. */
const tlsHostsMax = 10_000;

/** Certificates are made when a host is first named. */
function tlsHosts(hosts: Hosts, authority: Authority): (serverName: string | undefined) => TlsHost {
  const known = new Map<string, TlsHost>();
  return (name = `${startLabel}.test`) => {
    const made = known.get(name);
    if (made !== undefined) return made;
    const place = hosts.named(name);
    const secure = place?.check.secure?.[`${place.prefix}${place.below}`] ?? {};
    const parent = name.split('.').slice(-2).join('.');
    const host = {
      ...secure,
      chain: authority.chainFor(secure.certificate ?? 'good', name, parent),
      key: authority.key,
    };
    if (known.size < tlsHostsMax) known.set(name, host);
    return host;
  };
}
