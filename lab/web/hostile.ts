/**
 * Answers that a crawler must survive: each wastes time, memory or patience in its own way.
 *
 * robots.txt of such a host is well-behaved; its pages are not. Nothing here outlives its connection, and every wait
 * has an end, so that a server with a hundred such hosts stays small.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, deflateRawSync } from 'node:zlib';
import type { HostileKind } from './hosts.ts';
import { mix } from './random.ts';

const chunkBytes = 65_536;
const filler = Buffer.alloc(chunkBytes, '<p>and so on, and on, and on</p>\n');
/** 512 MiB of zeros out of half a megabyte: chunks of a full-flushed deflate stream, repeated. */
let bombChunk: Buffer | undefined;
const bombChunkBytes = 16 * 1024 * 1024;
const bombChunks = 32;
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const dripMs = 500;
const nestingDepth = 200_000;
/** Node's own client and undici refuse header blocks over 16 KiB. */
const floodHeaders = 4_000;

export function answerWithMalice(
  kind: HostileKind,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): void {
  const html = { 'Content-Type': 'text/html; charset=utf-8' };
  const { socket } = request;
  switch (kind) {
    case 'endlessBody':
      response.writeHead(200, html);
      pour(response);
      return;
    case 'slowDrip': {
      response.writeHead(200, html);
      response.flushHeaders();
      const timer = setInterval(() => response.write('<'), dripMs);
      response.once('close', () => clearInterval(timer));
      return;
    }
    case 'gzipBomb':
      response.writeHead(200, { ...html, 'Content-Encoding': 'gzip' });
      response.write(gzipHeader);
      bombChunk ??= deflateRawSync(Buffer.alloc(bombChunkBytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
      for (let n = 0; n < bombChunks; n++) response.write(bombChunk);
      response.end();
      return;
    case 'longerThanSaid':
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n`);
      socket.end(filler);
      return;
    case 'shorterThanSaid':
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n`);
      socket.end(filler);
      return;
    case 'headerFlood': {
      const flood = Array.from({ length: floodHeaders }, (_, n) => `X-Flood-${n}: ${'f'.repeat(100)}\r\n`).join('');
      socket.end(`HTTP/1.1 200 OK\r\n${flood}Content-Length: 0\r\n\r\n`);
      return;
    }
    case 'redirectMaze': {
      // Every step is a new URL, so no seen test ends it.
      const step = mix(target.length, Number.parseInt(target.slice('/maze/'.length), 10) || 0);
      response.writeHead(302, { Location: `/maze/${step}` });
      response.end();
      return;
    }
    case 'reset':
      response.writeHead(200, { ...html, 'Content-Length': 100_000 });
      response.write('<!doctype html><p>half a p', () => socket.resetAndDestroy());
      return;
    case 'silence':
      return;
    case 'deepNesting':
      response.writeHead(200, html);
      response.end('<div>'.repeat(nestingDepth));
      return;
    case 'binaryAsHtml': {
      const noise = Buffer.allocUnsafe(chunkBytes);
      for (let i = 0; i < chunkBytes; i += 4) noise.writeUInt32LE(mix(i, 80), i);
      response.writeHead(200, { ...html, 'Content-Length': noise.length });
      response.end(noise);
    }
  }
}

/** As fast as the client reads, for ever. */
function pour(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(filler));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}
