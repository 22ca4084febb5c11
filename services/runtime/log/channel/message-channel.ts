/**
 * Calls between two processes over a stream: each side serves some functions, and calls or notifies those of the
 * other.
 *
 * Messages arrive in the order in which they were sent, and each is handled before the next, up to its first wait.
 * Messages of one turn of the event loop share a frame: its length, the length of the next part (u32, big-endian),
 * the list of messages in V8's serialisation without its byte arrays, and then these, one after another. They are
 * read as slices of the frame, so a record is copied only once.
 *
 * Both sides are the same release of this program: nothing here is stored, or comes from elsewhere.
 */
import type { Duplex } from 'node:stream';
import { DefaultDeserializer, DefaultSerializer } from 'node:v8';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';
import { LogTruncated } from '../log-truncated.ts';
import { RecordTooLarge } from '../record-too-large.ts';

export interface Channel {
  /** Rejects with the other side's error, or with PROCESS_ENDED if it is gone. */
  call(name: string, ...given: readonly unknown[]): Promise<unknown>;
  /** Sends a message without an answer; does nothing if the other side is gone. */
  notify(name: string, ...given: readonly unknown[]): void;
  /** Resolves once the other side is gone, and all its messages have been handled. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Functions of a side, by name. */
export type Served = Readonly<Record<string, (...given: never[]) => unknown>>;

const kinds = { call: 0, notify: 1, answer: 2, failure: 3 } as const;
type Message = readonly [kind: number, id: number, what: unknown, given?: readonly unknown[]];

const lengthBytes = 4;
/** The length of the frame, and of the part before the byte arrays. */
const headBytes = 8;

/** `onFault`: called with the error of a one-way message, which has no caller. */
export function createChannel(stream: Duplex, served: Served, onFault: (error: unknown) => void): Channel {
  return new StreamChannel(stream, served, onFault);
}

/** Its public acts are fields, since callers hand out single ones. */
class StreamChannel implements Channel {
  readonly #stream: Duplex;
  readonly #served: Served;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #outgoing: Message[] = [];
  #nextId = 1;
  #isOpen = true;
  #onClosed = () => {};
  readonly closed = new Promise<void>((resolve) => (this.#onClosed = resolve));

  constructor(stream: Duplex, served: Served, onFault: (error: unknown) => void) {
    this.#stream = stream;
    this.#served = served;
    this.#onFault = onFault;
    const frames = readFrames((messages) => {
      for (const message of messages) this.#take(message);
    });
    stream.on('data', frames);
    // A dying process may reset the stream; everything it sent has been read before.
    stream.on('error', () => {});
    stream.on('end', this.#end);
    stream.on('close', this.#end);
  }

  readonly #flush = () => {
    const messages = this.#outgoing;
    this.#outgoing = [];
    if (this.#isOpen) this.#stream.write(new FrameWriter().frame(messages));
  };

  #send(message: Message) {
    if (!this.#isOpen) return;
    if (this.#outgoing.push(message) === 1) queueMicrotask(this.#flush);
  }

  async #answer(id: number, name: string, given: readonly unknown[]) {
    try {
      this.#send([kinds.answer, id, await this.#act(name, given)]);
    } catch (error) {
      this.#send([kinds.failure, id, plainError(error)]);
    }
  }

  #act(name: string, given: readonly unknown[]): unknown {
    const one = this.#served[name] as ((...given: readonly unknown[]) => unknown) | undefined;
    if (one === undefined) throw new Error(`there is no handler for ${name} (a bug)`);
    return one(...given);
  }

  #take([kind, id, what, given = []]: Message) {
    if (kind === kinds.call) void this.#answer(id, what as string, given);
    else if (kind === kinds.notify) {
      try {
        this.#act(what as string, given);
      } catch (error) {
        this.#onFault(error);
      }
    } else {
      const caller = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (kind === kinds.answer) caller?.resolve(what);
      else caller?.reject(errorOf(what as PlainError));
    }
  }

  readonly #end = () => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#waiting.clear();
    this.#onClosed();
  };

  readonly call: Channel['call'] = (name, ...given) => {
    if (!this.#isOpen) return Promise.reject(gone());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send([kinds.call, id, name, given]);
    });
  };

  readonly notify: Channel['notify'] = (name, ...given) => this.#send([kinds.notify, 0, name, given]);
  readonly close: Channel['close'] = () => {
    if (this.#outgoing.length > 0) this.#flush();
    this.#stream.end();
    this.#end();
  };
}

/** Takes byte arrays out, so that each is copied once, and into its place. */
class FrameWriter extends DefaultSerializer {
  readonly #blobs: Uint8Array[] = [];
  #blobBytes = 0;

  _writeHostObject(blob: Uint8Array): void {
    this.writeUint32(this.#blobBytes);
    this.writeUint32(blob.byteLength);
    this.#blobs.push(blob);
    this.#blobBytes += blob.byteLength;
  }

  frame(messages: readonly Message[]): Buffer {
    this.writeHeader();
    this.writeValue(messages);
    const head = this.releaseBuffer();
    const frame = Buffer.allocUnsafeSlow(headBytes + head.length + this.#blobBytes);
    frame.writeUInt32BE(frame.length - lengthBytes);
    frame.writeUInt32BE(head.length, lengthBytes);
    frame.set(head, headBytes);
    let at = headBytes + head.length;
    for (const blob of this.#blobs) {
      frame.set(blob, at);
      at += blob.byteLength;
    }
    return frame;
  }
}

class FrameReader extends DefaultDeserializer {
  readonly #blobs: Buffer;

  /** `frame`: the bytes after the length. */
  constructor(frame: Buffer) {
    const blobsAt = headBytes - lengthBytes + frame.readUInt32BE();
    super(frame.subarray(headBytes - lengthBytes, blobsAt));
    this.#blobs = frame.subarray(blobsAt);
  }

  _readHostObject(): Buffer {
    const from = this.readUint32();
    return this.#blobs.subarray(from, from + this.readUint32());
  }

  messages(): readonly Message[] {
    this.readHeader();
    return this.readValue() as readonly Message[];
  }
}

/** Calls back with the messages of each whole frame. */
function readFrames(onFrame: (messages: readonly Message[]) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let wanted = lengthBytes;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
      const end = lengthBytes + whole.readUInt32BE();
      if (whole.length < end) {
        chunks = [whole];
        wanted = end;
        return;
      }
      const rest = whole.subarray(end);
      chunks = rest.length === 0 ? [] : [rest];
      bytes = rest.length;
      wanted = lengthBytes;
      onFrame(new FrameReader(whole.subarray(lengthBytes, end)).messages());
    }
  };
}

interface PlainError {
  /** Absent: the error has no code of ours, but is a bug. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Data of errors that callers distinguish by more than their code. */
  readonly tooLarge?: readonly number[];
  readonly truncated?: Pick<LogTruncated, 'end' | 'leaderEpoch' | 'partition' | 'topic'>;
}

export function plainError(error: unknown): PlainError {
  const { message = String(error), stack } = (error ?? {}) as Partial<Error>;
  if (!(error instanceof CrawlstreamError)) return { message, stack };
  const { code } = error;
  if (error instanceof RecordTooLarge) return { code, message, tooLarge: error.indexes };
  if (!(error instanceof LogTruncated)) return { code, message };
  const { topic, partition, end, leaderEpoch } = error;
  return { code, message, truncated: { topic, partition, end, leaderEpoch } };
}

export function errorOf({ code, message, stack, tooLarge, truncated }: PlainError): Error {
  if (tooLarge !== undefined) return Object.assign(new RecordTooLarge('', tooLarge), { message });
  if (truncated !== undefined) {
    const { topic, partition, end, leaderEpoch } = truncated;
    return Object.assign(new LogTruncated(topic, partition, { end, leaderEpoch }, end), { message });
  }
  if (code !== undefined) return new CrawlstreamError(code, message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

function gone(): CrawlstreamError {
  return new CrawlstreamError('PROCESS_ENDED', 'the other process (crawl or worker) has ended');
}
