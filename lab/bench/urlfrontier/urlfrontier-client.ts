/**
 * A client of URLFrontier's API with the least possible cost, so that the figures are the server's: HTTP/2 by
 * node:http2, with frames and messages built by hand. It is not for crawling: it knows only the calls that it measures.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';

export interface BenchClient {
  /** Opens a call. `onMessage`: called with each message of the answer, which is valid until it returns. */
  call(rpc: string, onMessage: (message: Buffer) => void): BenchCall;
  /** One request, all answers. */
  ask(rpc: string, request: Buffer): Promise<Buffer[]>;
  close(): void;
}

export interface BenchCall {
  /** Frames, one after another; resolves when there is room for more. */
  send(frames: Buffer): Promise<void>;
  end(): void;
  /** Resolves at the end of the answer; rejects if its status is not OK. */
  readonly ended: Promise<void>;
}

const windowBytes = 4 * 1024 * 1024;

export function connectBench(target: string): BenchClient {
  const session = connect(`http://${target}`, { settings: { initialWindowSize: windowBytes } });
  session.on('error', () => {}); // each call reports it
  session.once('connect', () => session.setLocalWindowSize(windowBytes));
  return {
    call: (rpc, onMessage) => openCall(session, rpc, onMessage),
    ask: async (rpc, request) => {
      const answers: Buffer[] = [];
      const call = openCall(session, rpc, (message) => answers.push(Buffer.from(message)));
      await call.send(frameOf(request));
      call.end();
      await call.ended;
      return answers;
    },
    close: () => session.close(),
  };
}

function openCall(session: ClientHttp2Session, rpc: string, onMessage: (message: Buffer) => void): BenchCall {
  const stream: ClientHttp2Stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: `/urlfrontier.URLFrontier/${rpc}`,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    [constants.HTTP2_HEADER_TE]: 'trailers',
  });
  let rest: Buffer = Buffer.alloc(0);
  let status: string | undefined;
  stream.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (at + 5 <= bytes.length) {
      const end = at + 5 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      onMessage(bytes.subarray(at + 5, end));
      at = end;
    }
    rest = bytes.subarray(at);
  });
  const readStatus = (headers: object) => {
    status ??= (headers as Record<string, string | undefined>)['grpc-status'];
  };
  stream.on('response', readStatus);
  stream.on('trailers', readStatus);
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('error', reject);
    stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`${rpc}: gRPC status ${status}`))));
  });
  ended.catch(() => {});
  return {
    send: async (frames) => {
      if (!stream.write(frames)) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), ended]);
    },
    end: () => stream.end(),
    ended,
  };
}

/** One message with its frame head. */
export function frameOf(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A field of bytes, text or a message. */
export function fieldOf(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), lengthOf(value.length), value]);
}

export function uintOf(number: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([number << 3]), lengthOf(value)]);
}

function lengthOf(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  bytes.push(left);
  return Buffer.from(bytes);
}
