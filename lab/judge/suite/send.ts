/** Sends the answers of the suite: over HTTP/1.1 in any bytes, over HTTP/2 by Node's session or in any frames. */
import type { ServerResponse } from 'node:http';
import { constants, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Reply } from './check/check.ts';
import type { Http2Stream } from './secure/serve-tls.ts';

export function send(response: ServerResponse, reply: Reply, method: string): void {
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

/** `done`: called once frames of the check are written; the session does not notice their end. */
export function sendOnStream(arrived: Http2Stream, reply: Reply, method: string, done: () => void): void {
  const { stream, socket } = arrived;
  if (stream.destroyed || socket.destroyed) return;
  const id = stream.id!;
  if (reply.frames !== undefined) {
    socket.write(reply.frames(id));
    if (reply.flood !== undefined) return flood(socket, reply.flood.frame(id), reply.flood.count, done);
    if (reply.closes) socket.end();
    return done();
  }
  const { status = 200, type = 'text/html; charset=utf-8', headers = [], body = '' } = reply;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const fields: OutgoingHttpHeaders = { ':status': status, 'content-length': bytes.length };
  for (const [name, value] of headers) fields[name.toLowerCase()] = value;
  if (type !== '') fields['content-type'] = type;
  stream.respond(fields, { endStream: method === 'HEAD' });
  if (method !== 'HEAD') stream.end(bytes);
  if (reply.reset) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

function flood(socket: Socket, frame: Buffer, count: number, done: () => void): void {
  let left = count;
  socket.once('close', done);
  const next = () => {
    if (socket.destroyed) return;
    if (left-- <= 0) return void socket.end();
    if (socket.write(frame)) setImmediate(next);
    else socket.once('drain', next);
  };
  next();
}
