/**
 * Proxies on loopback: HTTP with whole URLs and CONNECT, the same behind TLS, SOCKS4a and SOCKS5. Bytes pass unchanged,
 * and so does a reset. They look up no names: the caller does.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';

/** The address of a host, a name or an address itself. */
export type AddressOf = (host: string) => string;

type Speak = (client: Socket, addressOf: AddressOf) => void;

/** `context`: TLS to the proxy. */
export async function serveProxy(
  speak: Speak,
  port: number,
  addressOf: AddressOf,
  context?: SecureContext,
): Promise<Server> {
  const server = createServer((wire) => {
    wire.on('error', () => {});
    const client = context === undefined ? wire : new TLSSocket(wire, { isServer: true, secureContext: context });
    client.on('error', () => {});
    wire.once('close', () => client.destroy());
    speak(client, addressOf);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** RFC 9110 §9.3.6 and RFC 9112 §3.2.2. An unreachable target: 502. */
export const speakHttp: Speak = async (client, addressOf) => {
  const head = await upTo(client, (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    return end < 0 ? -1 : end + 4;
  });
  const [, method = '', url = ''] = /^(\S+) (\S+) /.exec(head.toString('latin1')) ?? [];
  const isTunnel = method === 'CONNECT';
  const { hostname, port, pathname, search } = new URL(isTunnel ? `http://${url}` : url);
  const target = { host: hostname, port: Number(port || 80) };
  const refuse = () => void client.end('HTTP/1.1 502 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  const onward = await reach(target, addressOf, refuse);
  if (onward === null) return;
  if (isTunnel) client.write('HTTP/1.1 200 x\r\n\r\n');
  else onward.write(Buffer.from(head.toString('latin1').replace(url, pathname + search), 'latin1'));
  // Later requests on the connection name whole URLs, too.
  splice(client, onward, isTunnel ? (bytes) => bytes : (bytes) => toPath(bytes));
};

function toPath(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/^([A-Z]+) http:\/\/[^/ ]+/, '$1 '), 'latin1');
}

/** SOCKS4a: a name behind the user, with an address of 0.0.0.x. */
export const speakSocks4: Speak = async (client, addressOf) => {
  const wish = await upTo(client, (bytes) => {
    const user = bytes.indexOf(0, 8);
    return user < 0
      ? -1
      : bytes.subarray(4, 7).some((byte) => byte > 0)
        ? user + 1
        : bytes.indexOf(0, user + 1) + 1 || -1;
  });
  const isName = wish.subarray(4, 7).every((byte) => byte === 0);
  const host = isName ? wish.subarray(wish.indexOf(0, 8) + 1, -1).toString() : wish.subarray(4, 8).join('.');
  const refuse = () => void client.end(Buffer.from([0, 0x5b, 0, 0, 0, 0, 0, 0]));
  const onward = await reach({ host, port: wish.readUInt16BE(2) }, addressOf, refuse);
  if (onward === null) return;
  client.write(Buffer.from([0, 0x5a, 0, 0, 0, 0, 0, 0]));
  splice(client, onward);
};

/** RFC 1928, without a password. */
export const speakSocks5: Speak = async (client, addressOf) => {
  await upTo(client, (bytes) => (bytes.length < 2 ? -1 : 2 + bytes[1]!));
  client.write(Buffer.from([5, 0]));
  const wish = await upTo(client, (bytes) => (bytes.length < 5 ? -1 : bytes[3] === 1 ? 10 : 7 + bytes[4]!));
  const host = wish[3] === 1 ? wish.subarray(4, 8).join('.') : wish.subarray(5, 5 + wish[4]!).toString();
  const answer = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  const target = { host, port: wish.readUInt16BE(wish.length - 2) };
  const onward = await reach(target, addressOf, () => void client.end(answer(5)));
  if (onward === null) return;
  client.write(answer(0));
  splice(client, onward);
};

/** The first bytes, up to the length that `lengthOf` says; -1: not known yet. */
function upTo(client: Socket, lengthOf: (bytes: Buffer) => number): Promise<Buffer> {
  return new Promise((resolve) => {
    let all: Buffer = Buffer.alloc(0);
    const read = (bytes: Buffer) => {
      all = Buffer.concat([all, bytes]);
      const length = lengthOf(all);
      if (length < 0 || all.length < length) return;
      client.off('data', read).pause();
      if (all.length > length) client.unshift(all.subarray(length));
      resolve(all.subarray(0, length));
    };
    client.on('data', read).resume();
  });
}

async function reach({ host, port }: Target, addressOf: AddressOf, refuse: () => void): Promise<Socket | null> {
  const onward = connect({ port, host: addressOf(host), allowHalfOpen: false });
  try {
    await once(onward, 'connect');
    return onward;
  } catch {
    refuse();
    return null;
  }
}

function splice(client: Socket, onward: Socket, there: (bytes: Buffer) => Buffer = (bytes) => bytes): void {
  onward.on('data', (bytes) => void (client.destroyed || client.write(bytes)));
  onward.on('end', () => client.end());
  // Node never releases the handle of a socket that is reset after its end, or twice.
  const isResettable = () => !(client instanceof TLSSocket || client.writableEnded || client.destroyed);
  onward.on('error', () => (isResettable() ? client.resetAndDestroy() : client.destroy()));
  onward.on('close', () => client.end());
  client.on('data', (bytes) => void (onward.destroyed || onward.write(there(bytes))));
  client.on('close', () => onward.destroy());
  client.resume();
}
