/** Node's own HTTP/2 session on an open connection, which the caller may write frames to, unknown to the session. */
import { performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export function http2SessionOn(socket: Socket): ServerHttp2Session {
  const reader = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      if (!socket.destroyed && socket.writable) socket.write(bytes);
      done();
    },
  });
  const session = performServerHandshake(reader);
  session.on('error', () => {});
  session.on('stream', (stream) => stream.on('error', () => {}));
  socket.on('data', (bytes) => reader.push(bytes));
  socket.on('close', () => session.destroy());
  return session;
}
