/**
 * Serves the webs of all checks from one socket, and records each request under its check.
 *
 * A crawler finds the hosts by using the socket as its HTTP proxy, or by resolving *.test to its address. The URL
 * `http://start.test:PORT/` links to the host of each check.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Check, hrefOf, linksTo, type Pace, type Page, type Reply, type SuiteRequest } from './check/check.ts';

export interface RunningSuite {
  readonly port: number;
  readonly seed: string;
  /** Requests of each check, by its id, in order of arrival. */
  visited(): ReadonlyMap<string, readonly SuiteRequest[]>;
  readonly size: number;
  readonly open: number;
  close(): Promise<void>;
}

/** Requests recorded of one check at most: above what any check counts. */
const recordsMax = 2_000;
const startName = 'start.test';

type Writable = { -readonly [K in keyof SuiteRequest]: SuiteRequest[K] };

interface Place {
  readonly check: Check;
  /** Key of a path on that host: this prefix, then the path. */
  readonly prefix: string;
}

export async function startSuite(
  checks: readonly Check[],
  pace: Pace,
  { address = '127.0.0.1', port: wanted = 0 }: { readonly address?: string; readonly port?: number } = {},
): Promise<RunningSuite> {
  const places = placesOf(checks);
  const records = new Map<string, Writable[]>(checks.map(({ id }) => [id, []]));
  const counts = new Map<string, number>();
  const connections = new WeakMap<Socket, number>();
  const sockets = new Set<Socket>();
  const beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  /** Requests that are being answered, each with a function that counts its bytes so far. */
  const answering = new Set<() => void>();
  let [port, size, connected] = [wanted, 0, 0];

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const startMs = nowMs();
    const { authority, path } = targetOf(request);
    size += 1;
    request.resume();
    response.on('error', () => {});
    const place = placeOf(places, authority, path, port);
    if (place === undefined) return send(response, otherwise(authority, path), 'GET');
    const { check, key } = place;
    const list = records.get(check.id)!;
    const record: Writable = {
      ...{ key, method: request.method ?? '', headers: request.rawHeaders, startMs, endMs: Number.POSITIVE_INFINITY },
      ...{ status: 0, bytes: 0, connection: connections.get(request.socket) ?? 0 },
    };
    if (list.length < recordsMax) list.push(record);
    const nth = (counts.get(`${check.id} ${key}`) ?? 0) + 1;
    counts.set(`${check.id} ${key}`, nth);
    const header = (name: string) => String(request.headers[name] ?? '');
    const page = pageOf(check, key);
    const reply = filled(typeof page === 'function' ? page({ nth, path, header, pace }) : page, check, port);
    track(request.socket, response, record);
    const answer = () => {
      record.status = reply.status ?? 200;
      if (reply.waitMs === undefined && reply.pieces === undefined) record.endMs = nowMs();
      send(response, reply, record.method);
    };
    if (reply.waitMs === undefined) answer();
    else setTimeout(answer, reply.waitMs).unref();
  }

  /** Counts bytes, and notes the end when the last byte was written or the client left. */
  function track(socket: Socket, response: ServerResponse, record: Writable): void {
    const before = socket.bytesWritten;
    let over = false;
    const count = () => {
      record.bytes = socket.bytesWritten - before;
    };
    answering.add(count);
    const finish = () => {
      if (over) return;
      over = true;
      answering.delete(count);
      count();
      if (record.endMs === Number.POSITIVE_INFINITY) record.endMs = nowMs();
    };
    response.once('finish', finish).once('close', finish);
  }

  function otherwise(authority: string, path: string): Reply {
    if (hostname(authority) !== startName) return { status: 421, type: 'text/plain', body: 'No such host here.\n' };
    if (path !== '/') return { status: 404, type: 'text/plain', body: 'Not found.\n' };
    return { body: linksTo(...checks.map(({ slug }) => `http://${slug}.test:${port}/`)) };
  }

  const server = createServer(
    { keepAlive: true, noDelay: true, insecureHTTPParser: true, requireHostHeader: false, maxHeaderSize: 1 << 20 },
    handle,
  );
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    connections.set(socket, ++connected);
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 502 No tunnels here\r\n\r\n'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port: wanted, host: address, backlog: 1024 }, resolve);
  });
  port = (server.address() as AddressInfo).port;
  return {
    port,
    seed: `http://${startName}:${port}/`,
    visited() {
      for (const count of answering) count();
      return records;
    },
    get size() {
      return size;
    },
    get open() {
      return answering.size;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function placesOf(checks: readonly Check[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const check of checks)
    for (const letter of ['', 'b', 'c']) {
      const label = letter === '' ? check.slug : `${letter}-${check.slug}`;
      if (places.has(label)) throw new RangeError(`two checks have the host ${label}.test`);
      places.set(label, { check, prefix: letter });
    }
  return places;
}

/** A host of a check or a subdomain of one; or, elsewhere, a path that begins with the slug of a check. */
function placeOf(
  places: ReadonlyMap<string, Place>,
  authority: string,
  path: string,
  ownPort: number,
): { readonly check: Check; readonly key: string } | undefined {
  const name = hostname(authority);
  const port = /:(\d+)$/.exec(authority)?.[1];
  const other = port === undefined || Number(port) === ownPort ? '' : `:${port}`;
  if (name.endsWith('.test')) {
    const labels = name.split('.');
    const place = places.get(labels.at(-2)!);
    if (place === undefined) return undefined;
    const below = labels.slice(0, -2).join('.');
    return { check: place.check, key: `${place.prefix}${below === '' ? '' : `${below}.`}${other}${path}` };
  }
  const place = places.get(path.split('/')[1] ?? '');
  if (place === undefined) return undefined;
  return { check: place.check, key: `//${name}${other}${path.slice(place.check.slug.length + 1)}` };
}

function hostname(authority: string): string {
  return authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Accepts an absolute form, as a proxy gets it (RFC 9112 §3.2.2), or an origin form with its Host. */
function targetOf({ url = '/', headers }: IncomingMessage): { authority: string; path: string } {
  const match = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  if (match === null) return { authority: String(headers.host ?? ''), path: url };
  const rest = match[2]!;
  return { authority: match[1]!.replace(/^.*@/, ''), path: rest.startsWith('/') ? rest : `/${rest}` };
}

const robotsDefault: Reply = { type: 'text/plain', body: 'User-agent: *\nDisallow:\n' };

function pageOf(check: Check, key: string): Page {
  const { pages, want, never, control } = check;
  if (pages[key] !== undefined) return pages[key];
  for (const [prefix, page] of Object.entries(pages))
    if (prefix.endsWith('*') && key.startsWith(prefix.slice(0, -1))) return page;
  if (key.endsWith('/robots.txt')) return robotsDefault;
  if (key === '/') return linksTo(...[...want.map((one) => [one].flat()[0]!), ...never, control].map(hrefOf));
  if ([...want.flat(), ...never, control].includes(key))
    return `<!doctype html><title>${check.id}</title><p>A page of ${check.id}.</p>`;
  return { status: 404, body: '<!doctype html><title>Not found</title>' };
}

/** Puts the names of a run into a text. */
export function fill(text: string, { slug }: Check, port: number): string {
  return text.replace(/\{(host|b|c|name|port|slug)\}/g, (_all, word: string) => {
    if (word === 'port') return String(port);
    if (word === 'slug') return slug;
    if (word === 'name') return `${slug}.test`;
    return `http://${word === 'host' ? '' : `${word}-`}${slug}.test:${port}`;
  });
}

function filled(page: string | Reply, check: Check, port: number): Reply {
  if (typeof page === 'string') return { body: fill(page, check, port) };
  const { body, raw, headers } = page;
  return {
    ...page,
    ...(typeof body === 'string' ? { body: fill(body, check, port) } : {}),
    ...(typeof raw === 'string' ? { raw: fill(raw, check, port) } : {}),
    ...(headers === undefined
      ? {}
      : { headers: headers.map(([name, value]) => [name, fill(value, check, port)] as const) }),
  };
}

function send(response: ServerResponse, reply: Reply, method: string): void {
  const { socket } = response;
  if (socket === null || socket.destroyed) return;
  if (reply.reset) return void socket.resetAndDestroy();
  if (reply.silentMs !== undefined) return void setTimeout(() => socket.destroy(), reply.silentMs).unref();
  if (reply.raw !== undefined) {
    socket.end(typeof reply.raw === 'string' ? Buffer.from(reply.raw, 'latin1') : reply.raw);
    return;
  }
  if (reply.pieces !== undefined) return sendPieces(socket, reply.pieces);
  const { status = 200, type = 'text/html; charset=utf-8', headers = [], body = '' } = reply;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const fields = headers.flat();
  if (type !== '') fields.push('Content-Type', type);
  if (status !== 304 && status !== 204) fields.push('Content-Length', String(bytes.length));
  response.writeHead(status, fields);
  response.end(method === 'HEAD' || status === 304 || status === 204 ? undefined : bytes);
}

function sendPieces(socket: Socket, { head, piece, count, everyMs }: NonNullable<Reply['pieces']>): void {
  socket.write(Buffer.from(head, 'latin1'));
  let left = count;
  const next = () => {
    if (socket.destroyed) return;
    if (left-- <= 0) return void socket.end();
    const taken = socket.write(piece);
    if (everyMs > 0) setTimeout(next, everyMs).unref();
    else if (taken) setImmediate(next);
    else socket.once('drain', next);
  };
  next();
}
