/**
 * Goes on with a TLS handshake as the named host requires, and reads requests of HTTP/2. Node's session reads requests
 * and answers SETTINGS and PING; a check may write frames beside it, which the session does not know.
 */
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { http2SessionOn } from '../../../web/http2-session.ts';
import type { Secure, SecureLine } from '../check/check.ts';
import { type ClientHello, clientHelloOf } from './client-hello.ts';

export interface TlsHost extends Secure {
  /** PEM. */
  readonly chain: string;
  readonly key: string;
}

export type OpenLine = { -readonly [K in keyof SecureLine]: SecureLine[K] };

export interface Http2Stream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly session: ServerHttp2Session;
  readonly socket: TLSSocket;
}

export interface TlsHandlers {
  /** The TLS of a host; the name is undefined if the client named none. */
  readonly hostOf: (serverName: string | undefined) => TlsHost;
  readonly onHttp1: (socket: TLSSocket, line: OpenLine) => void;
  readonly onStream: (arrived: Http2Stream, line: OpenLine) => void;
}

/** `wire`: a connection that begins with a handshake. `first`: its first bytes. */
export function serveTls(wire: Socket, first: Buffer, handlers: TlsHandlers): void {
  const hello = clientHelloOf(first);
  if (hello === null) return void wire.destroy();
  if (hello === 'more') {
    wire.once('data', (more: Buffer) => serveTls(wire, Buffer.concat([first, more]), handlers));
    return;
  }
  const host = handlers.hostOf(hello.serverName);
  if (host.text !== undefined) return void wire.end(host.text);
  // A flowing connection would drop the bytes before TLS reads them.
  wire.pause();
  wire.unshift(first);
  shakeHands(wire, hello, host, handlers);
}

function shakeHands(wire: Socket, hello: ClientHello, host: TlsHost, handlers: TlsHandlers): void {
  const { chain, key, version, protocols = ['http/1.1'] } = host;
  const versions = version === undefined ? {} : { minVersion: version, maxVersion: version };
  // OpenSSL 3 speaks TLS 1.1 only at its lowest level.
  const ciphers = version === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {};
  const socket = new TLSSocket(wire, {
    isServer: true,
    secureContext: createSecureContext({ key, cert: chain, ...versions, ...ciphers }),
    ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }),
  });
  socket.on('error', () => {});
  // It keeps the handle of a wire that is destroyed.
  wire.once('close', () => socket.destroy());
  socket.once('secure', () => {
    const isHttp2 = socket.alpnProtocol === 'h2';
    const { serverName } = hello;
    const line: OpenLine = { isHttp2, pongs: 0, ...(serverName === undefined ? {} : { serverName }) };
    if (isHttp2) readStreams(socket, line, handlers.onStream);
    else handlers.onHttp1(socket, line);
  });
}

function readStreams(socket: TLSSocket, line: OpenLine, onStream: TlsHandlers['onStream']): void {
  const session = http2SessionOn(socket);
  session.on('stream', (stream, headers) => onStream({ stream, headers, session, socket }, line));
}
