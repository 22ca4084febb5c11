/**
 * Bounds the memory of partly received messages together, over all calls and connections.
 *
 * grpc-js keeps each piece of a message until the rest arrives. So a client that never completes a message could fill
 * the memory, with many calls or with pieces of one byte. grpc-js has no bound for that, and no hook before a message
 * is complete, so arriving bytes are counted at the stream below. Beyond the bound, the call with the oldest partial
 * message is ended (its client gets RESOURCE_EXHAUSTED), because an honest client completes its messages soon.
 */
import { constants, type ServerHttp2Stream } from 'node:http2';
import type grpc from '@grpc/grpc-js';

/** Flag and length, before a message. */
const headBytes = 5;
/** Memory per piece, in addition to its bytes. */
const pieceBytes = 256;

/** The parts of a stream that are needed to count its bytes, so that a test can supply one. */
export type PartStream = Pick<ServerHttp2Stream, 'prependListener' | 'once' | 'close'>;

export class PartRoom {
  readonly #bytesMax: number;
  /** In the order in which their messages began. */
  readonly #parts = new Set<Part>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Must run before all other interceptors, because bytes of a refused call are also kept while its client sends. */
  readonly interceptor: grpc.ServerInterceptor = (_, call) => {
    this.watch((call as unknown as { readonly stream: ServerHttp2Stream }).stream);
    return call as grpc.ServerInterceptingCall;
  };

  watch(stream: PartStream): void {
    const part = new Part(stream);
    // Not `on`, which would make the stream flow before it has a reader.
    stream.prependListener('data', (piece: Buffer) => this.#came(part, piece));
    stream.once('close', () => this.#leave(part));
  }

  #came(part: Part, piece: Buffer): void {
    if (part.isGone) return;
    const before = part.held;
    if (part.take(piece)) this.#parts.delete(part);
    this.#bytes += part.held - before;
    if (part.held > 0) this.#parts.add(part);
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = this.#parts;
      this.#leave(oldest!);
      // Message of RESOURCE_EXHAUSTED for gRPC clients.
      oldest!.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    }
  }

  #leave(part: Part): void {
    this.#parts.delete(part);
    this.#bytes -= part.held;
    part.held = 0;
    part.isGone = true;
  }
}

/** The message of one stream that is not whole. */
class Part {
  readonly stream: PartStream;
  /** Bytes that are kept for it. 0: none has begun. */
  held = 0;
  /** Its call is over. */
  isGone = false;
  #headLeft = headBytes;
  #left = 0;
  #buffer: ArrayBufferLike | undefined;

  constructor(stream: PartStream) {
    this.stream = stream;
  }

  /** True if a message became whole. */
  take(piece: Buffer): boolean {
    let isWhole = false;
    for (let at = 0; at < piece.length; ) {
      if (this.#headLeft > 0) {
        const byte = piece[at++]!;
        if (this.#headLeft < headBytes) this.#left = this.#left * 256 + byte;
        this.#headLeft -= 1;
      } else {
        const taken = Math.min(this.#left, piece.length - at);
        this.#left -= taken;
        at += taken;
      }
      if (this.#headLeft > 0 || this.#left > 0) continue;
      isWhole = true;
      this.#headLeft = headBytes;
    }
    if (isWhole) this.held = 0;
    if (isWhole) this.#buffer = undefined;
    if (this.#headLeft === headBytes) return isWhole;
    // A piece of one byte keeps all bytes in memory that were read from the socket with it.
    if (piece.buffer !== this.#buffer) this.held += piece.buffer.byteLength;
    this.#buffer = piece.buffer;
    this.held += pieceBytes;
    return isWhole;
  }
}
