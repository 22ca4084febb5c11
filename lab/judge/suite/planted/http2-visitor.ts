/**
 * Asks for URLs over one connection of HTTP/2, in frames written by hand: a visitor that goes on after GOAWAY, or
 * answers no PING, is none that a library would make.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { fieldBlock, frameOf, frameTypes, numbers } from '../../../ways/situations/h2-frames.ts';

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const windowBytes = 1 << 24;
const windowUpdate = 8;
const flags = { end: 1, ack: 1, endHeaders: 4 } as const;

export interface StreamsOptions {
  readonly authority: string;
  readonly paths: readonly string[];
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Wait before each path but the first. */
  readonly delayMs: number;
  /** Answers no PING. */
  readonly isDeaf: boolean;
  /** Leave after this many bytes. */
  readonly bytesMax: number;
}

/** Resolves when the last answer has ended, or the connection has. */
export async function askOverHttp2(socket: TLSSocket, options: StreamsOptions): Promise<void> {
  const { authority, paths, fields, delayMs } = options;
  const ended = readFrames(socket, options);
  socket.write(preface);
  // INITIAL_WINDOW_SIZE, and the window of the connection: no answer waits for this side.
  socket.write(frameOf(frameTypes.settings, 0, 0, Buffer.concat([Buffer.of(0, 4), numbers(windowBytes)])));
  socket.write(frameOf(windowUpdate, 0, 0, numbers(windowBytes)));
  for (const [i, path] of paths.entries()) {
    if (i > 0) await sleep(delayMs);
    const block = fieldBlock([
      ...([
        [':method', 'GET'],
        [':scheme', 'https'],
        [':authority', authority],
        [':path', path],
      ] as const),
      ...fields,
    ]);
    if (!socket.destroyed) socket.write(frameOf(frameTypes.headers, flags.end | flags.endHeaders, 2 * i + 1, block));
    await ended(2 * i + 1);
  }
  // The answers of this side to frames that came last.
  await sleep(20);
  socket.destroy();
}

/** Answers SETTINGS and PING. Returns a promise of the end of each stream. */
function readFrames(socket: TLSSocket, { isDeaf, bytesMax }: StreamsOptions): (stream: number) => Promise<void> {
  const over = new Set<number>();
  let waiting: (() => void) | undefined;
  let [left, bytes]: [Buffer, number] = [Buffer.alloc(0), 0];
  const end = (stream: number) => {
    over.add(stream);
    waiting?.();
  };
  const answer = (type: number, payload: Buffer) => socket.write(frameOf(type, flags.ack, 0, payload));
  socket.on('close', () => waiting?.());
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes >= bytesMax) return void socket.destroy();
    left = Buffer.concat([left, chunk]);
    while (left.length >= 9 && left.length >= 9 + left.readUIntBE(0, 3)) {
      const size = left.readUIntBE(0, 3);
      const [type, flag, stream] = [left[3]!, left[4]!, left.readUInt32BE(5) & 0x7fff_ffff];
      const payload = Buffer.from(left.subarray(9, 9 + size));
      left = left.subarray(9 + size);
      if (type === frameTypes.settings && (flag & flags.ack) === 0) answer(type, Buffer.alloc(0));
      if (type === frameTypes.ping && (flag & flags.ack) === 0 && !isDeaf) answer(type, payload);
      const ends = type === frameTypes.data || type === frameTypes.headers ? (flag & flags.end) !== 0 : false;
      if (ends || type === frameTypes.reset) end(stream);
    }
  });
  return (stream) =>
    new Promise((resolve) => {
      waiting = () => {
        if (over.has(stream) || socket.destroyed) resolve();
      };
      waiting();
    });
}
