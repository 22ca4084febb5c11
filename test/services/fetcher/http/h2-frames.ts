/** A server of HTTP/2 whose frames are written by hand, as no library would write them. Requests are told apart by their order. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer, type TLSSocket } from 'node:tls';
import { fieldBlock, frameOf, numbers } from '../../../../lab/ways/situations/h2-frames.ts';
import { certificate, privateKey } from './tls-fixture.ts';

export interface Stream {
  readonly id: number;
  readonly socket: TLSSocket;
  /** Values are bytes, one a character. */
  head(status: number, fields?: readonly (readonly [name: string, value: string])[], ends?: boolean): void;
  data(text: string, ends?: boolean): void;
  reset(code: number): void;
  goAway(code: number, lastStream?: number): void;
  /** Any frame. */
  frame(type: number, flags: number, payload: Buffer, stream?: number): void;
}

export interface Connection {
  /** From 1. */
  readonly number: number;
  /** Requests on it, this one included. */
  requests: number;
  /** PINGs that came. */
  pings: number;
  /** False: nothing more is read, as if the way were gone. */
  reads: boolean;
}

export interface FrameServer {
  readonly url: (path: string) => string;
  readonly connections: Connection[];
  /** Requests, by the protocol that they came in. */
  readonly asked: string[];
}

/** Payload of SETTINGS with MAX_CONCURRENT_STREAMS. */
export function streamsMaxOf(count: number): Buffer {
  return Buffer.concat([Buffer.of(0, 3), numbers(count)]);
}

export async function serveFrames(
  t: TestContext,
  answer: (stream: Stream, connection: Connection) => void,
  {
    answersPings = true,
    http1 = '',
    streamsMax,
  }: {
    readonly answersPings?: boolean;
    /** Response over HTTP/1.1. Empty: it is not offered. */
    readonly http1?: string;
    /** MAX_CONCURRENT_STREAMS. Absent: no limit. */
    readonly streamsMax?: number;
  } = {},
): Promise<FrameServer> {
  const connections: Connection[] = [];
  const asked: string[] = [];
  const sockets = new Set<TLSSocket>();
  const onSocket = (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (socket.alpnProtocol !== 'h2') {
      socket.on('data', () => {
        asked.push('1.1');
        socket.write(http1);
      });
      return;
    }
    const connection: Connection = { number: connections.length + 1, requests: 0, pings: 0, reads: true };
    connections.push(connection);
    const send = (type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)) => {
      if (!socket.destroyed) socket.write(frameOf(type, flags, id, payload));
    };
    send(4, 0, 0, streamsMax === undefined ? undefined : streamsMaxOf(streamsMax));
    let left: Buffer = Buffer.alloc(0);
    let isPast = false;
    socket.on('data', (chunk: Buffer) => {
      if (!connection.reads) return;
      left = Buffer.concat([left, chunk]);
      if (!isPast && left.length >= 24) {
        left = left.subarray(24);
        isPast = true;
      }
      while (isPast && left.length >= 9 && left.length >= 9 + left.readUIntBE(0, 3)) {
        const length = left.readUIntBE(0, 3);
        const [type, flags, id] = [left[3]!, left[4]!, left.readUInt32BE(5) & 0x7fffffff];
        const payload = left.subarray(9, 9 + length);
        left = left.subarray(9 + length);
        if (type === 4 && (flags & 1) === 0) send(4, 1, 0);
        if (type === 6 && (flags & 1) === 0) {
          connection.pings += 1;
          if (answersPings) send(6, 1, 0, Buffer.from(payload));
        }
        if (type !== 1) continue;
        connection.requests += 1;
        asked.push('2');
        answer(
          {
            id,
            socket,
            head: (status, fields = [], ends = false) =>
              send(1, ends ? 5 : 4, id, fieldBlock([[':status', `${status}`], ...fields])),
            data: (text, ends = false) => send(0, ends ? 1 : 0, id, Buffer.from(text)),
            reset: (code) => send(3, 0, id, numbers(code)),
            goAway: (code, lastStream = id) => send(7, 0, 0, numbers(lastStream, code)),
            frame: (kind, bits, bytes, stream = id) => send(kind, bits, stream, bytes),
          },
          connection,
        );
      }
    });
  };
  const ALPNProtocols = http1 === '' ? ['h2'] : ['h2', 'http/1.1'];
  const server = createServer({ key: privateKey, cert: certificate, ALPNProtocols }, onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { url: (path) => `https://secure.test:${port}${path}`, connections, asked };
}
