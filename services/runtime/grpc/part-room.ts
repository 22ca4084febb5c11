/**
 * Bounds the memory that partly received messages may take together, over all calls and connections.
 *
 * grpc-js keeps each piece of a message until the rest comes, whatever its size: a client that never completes one
 * could fill the memory, by many calls or by pieces of a byte. grpc-js has no bound for that, and no hook before a
 * message is whole, so arriving bytes are counted at the stream below. Beyond the bound, the call whose message began
 * first is ended (its client gets RESOURCE_EXHAUSTED), since an honest client completes its messages soon.
 */
import { constants, type ServerHttp2Stream } from 'node:http2';
import type grpc from '@grpc/grpc-js';

/** Flag and length, before a message. */
const headBytes = 5;
/** What keeping a piece costs beside its bytes. */
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

  /**
   * This goes before all other interceptors, since bytes of a call that is refused are kept, too, while its client
   * sends.
   */
  readonly interceptor: grpc.ServerInterceptor = (_, call) => {
    this.watch((call as unknown as { readonly stream: ServerHttp2Stream }).stream);
    return call as grpc.ServerInterceptingCall;
  };

  watch(stream: PartStream): void {
    const part = new Part(stream);
    // Not `on`, which would have the stream flow before anybody reads it.
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
    // A piece of a byte keeps all that was read from the socket with it.
    if (piece.buffer !== this.#buffer) this.held += piece.buffer.byteLength;
    this.#buffer = piece.buffer;
    this.held += pieceBytes;
    return isWhole;
  }
}
