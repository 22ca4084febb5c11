/** Sends an answer part by part, and breaks it where its situation requires. */
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Part } from './answer-parts.ts';
import { frameOf, frameTypes, numbers } from './situations/h2-frames.ts';
import type { Answer, Break } from './situations/situation.ts';

/** A connection: `socket` takes bytes, and `wire` is the TCP connection, below TLS if there is any. */
export interface Line {
  readonly socket: Socket;
  readonly wire: Socket;
}

/** Resolves once the answer is sent. True: the connection takes another request. */
export async function send(line: Line, answer: Answer, parts: readonly Part[], stream = 0): Promise<boolean> {
  const { socket } = line;
  for (const { bytes, place, waitMs } of parts) {
    if (socket.destroyed) return false;
    if (bytes.length > 0) socket.write(bytes);
    if (place !== undefined && answer.broken?.at === place) return breakOff(line, answer.broken.by, stream);
    const pauseMs = (waitMs ?? 0) + (answer.waits !== undefined && answer.waits.at === place ? answer.waits.ms : 0);
    if (pauseMs > 0) await wait(pauseMs);
  }
  return true;
}

/**
 * A client reads bytes written before a reset only if it does so in time: libuv reports both at once as a plain end. ms
 */
const beforeResetMs = 1000;

async function breakOff({ socket, wire }: Line, by: Break, stream: number): Promise<boolean> {
  if (by === 'silence') return false;
  if (typeof by === 'number') {
    socket.write(frameOf(frameTypes.reset, 0, stream, numbers(by)));
    return true;
  }
  if (by === 'close') {
    socket.end();
    return false;
  }
  await wait(beforeResetMs);
  wire.resetAndDestroy();
  return false;
}
