/**
 * gRPC over @grpc/grpc-js; calls from one server to another are in services/extras/urlfrontier/grpc-peer.ts.
 *
 * The answers of a method are sent in batches. grpc-js writes each message separately, which costs 5 µs. Here, a
 * batch is framed first and passed to grpc-js as one message; its bytes, with the heads of all frames, replace the
 * frame of grpc-js: 0.5 µs a message (`npm run bench -- urlfrontier` measures both). Flow control works in both
 * directions: a method that waits for `write` stops if the client does not read, and `pause` stops the client.
 */
import { timingSafeEqual } from 'node:crypto';
import { constants, type ServerHttp2Stream } from 'node:http2';
import grpc from '@grpc/grpc-js';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { TlsPair } from '../http/tls-pair.ts';
import { CallRoom, type Debtor } from './call-room.ts';
import type { Codec } from './codec.ts';
import { grpcLimits } from './grpc-limits.ts';
import { PartRoom } from './part-room.ts';
import { RenewedCredentials } from './renewed-credentials.ts';

/** Destination of answers. */
export interface Answers {
  /** Resolves when there is room for more; rejects once the client is gone. */
  write(messages: readonly Uint8Array[]): Promise<void>;
  readonly isCancelled: boolean;
  /** As in `Caller`. */
  readonly isLocal: boolean;
}

export interface Caller {
  /** Aborts when the client has hung up. */
  readonly gone: AbortSignal;
  /** Another server of the same crawls passed this call on: it wants only the data of this server. */
  readonly isLocal: boolean;
}

/** Metadata of a call that was passed on. */
export const localHeader = 'crawlstream-local';

export interface Requests {
  /** Sets the handler that gets each request as it arrives. */
  onRequest(take: (request: Uint8Array) => void): void;
  onEnd(act: () => void): void;
  pause(): void;
  resume(): void;
  /** Memory room of all calls of the server. */
  readonly room: CallRoom;
}

export type Method =
  | {
      readonly kind: 'unary';
      readonly request: string;
      readonly answer: string;
      act(request: never, caller: Caller): Promise<unknown>;
    }
  | { readonly kind: 'stream'; readonly request: string; act(request: never, answers: Answers): Promise<void> }
  | { readonly kind: 'duplex'; act(requests: Requests, answers: Answers): Promise<void> };

/** Returns the codec of a message type, by name. */
export type CodecOf = (name: string) => Codec<unknown>;

export interface GrpcListen {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: plain text. */
  readonly tls?: TlsPair | undefined;
  /** Required in every call, as `authorization: Bearer …`. Absent: any client may call. */
  readonly token?: string | undefined;
}

export interface GrpcServer {
  readonly port: number;
  /** Ends the calls in progress, slow ones by force. */
  close(): Promise<void>;
}

/** An error that the caller made, or that may pass. */
export class CallFailed extends Error {
  readonly code: 'NOT_FOUND' | 'INVALID_ARGUMENT' | 'UNAVAILABLE' | 'RESOURCE_EXHAUSTED';

  constructor(code: CallFailed['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export async function serveGrpc(
  service: string,
  methods: Readonly<Record<string, Method>>,
  codecOf: CodecOf,
  listen: GrpcListen,
  onBug: (error: unknown) => void,
): Promise<GrpcServer> {
  const parts = new PartRoom(grpcLimits.partBytesOfAll);
  const room = new CallRoom(grpcLimits.bytesOfAll, grpcLimits.bytesOfAllHard);
  const server = new grpc.Server({
    'grpc.max_receive_message_length': grpcLimits.messageBytesMax,
    'grpc-node.flow_control_window': grpcLimits.streamWindowBytes,
    'grpc.max_concurrent_streams': grpcLimits.streamsPerConnection,
    interceptors: [parts.interceptor, ...(listen.token === undefined ? [] : [refuseStrangers(listen.token)])],
  });
  const definition: Record<string, grpc.MethodDefinition<unknown, unknown>> = {};
  const handlers: Record<string, grpc.UntypedHandleCall> = {};
  for (const [name, method] of Object.entries(methods)) {
    definition[name] = definitionOf(`/${service}/${name}`, method);
    handlers[name] = handlerOf(method, codecOf, room, onBug);
  }
  server.addService(definition, handlers);
  const { credentials, unwatch } = credentialsOf(listen.tls);
  const port = await new Promise<number>((resolve, reject) => {
    const address = `${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${listen.port}`;
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) return resolve(bound);
      const remedy = 'if another server uses it, choose another port or address';
      reject(new CrawlstreamError('INVALID_ARGUMENT', `cannot listen on ${address}: ${remedy} (${error.message})`));
    });
  });
  return {
    port,
    close: async () => {
      unwatch();
      const force = setTimeout(() => server.forceShutdown(), grpcLimits.closeMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

/** Until `unwatch`, new connections get the present certificate; open ones keep theirs. */
function credentialsOf(tls: TlsPair | undefined): { credentials: grpc.ServerCredentials; unwatch: () => void } {
  if (tls === undefined) return { credentials: grpc.ServerCredentials.createInsecure(), unwatch: () => {} };
  const credentials = new RenewedCredentials(tls);
  return { credentials, unwatch: tls.watch((pair) => credentials.renew(pair)) };
}

function definitionOf(path: string, method: Method): grpc.MethodDefinition<unknown, unknown> {
  const batched = method.kind !== 'unary';
  return {
    path,
    requestStream: method.kind === 'duplex',
    responseStream: batched,
    requestSerialize: (value) => value as Buffer,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: batched ? (value) => framed(value as readonly Uint8Array[]) : (value) => value as Buffer,
    responseDeserialize: (bytes) => bytes,
  };
}

/** Length, before a message. */
const headBytes = 5;

/**
 * Combines messages, each with its frame, into one serialized message for grpc-js. That allocates `byteLength` and room
 * for a header, writes the header, and calls the message to copy itself after it. This one copies its frames over both.
 */
function framed(messages: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const message of messages) length += headBytes + message.length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const message of messages) {
    bytes[at] = 0;
    bytes.writeUInt32BE(message.length, at + 1);
    bytes.set(message, at + headBytes);
    at += headBytes + message.length;
  }
  const copy = (target: Buffer, targetStart: number) => bytes.copy(target, targetStart - headBytes);
  return { byteLength: length - headBytes, copy } as unknown as Buffer;
}

function handlerOf(
  method: Method,
  codecOf: CodecOf,
  room: CallRoom,
  onBug: (error: unknown) => void,
): grpc.UntypedHandleCall {
  if (method.kind === 'unary') {
    const [request, answer] = [codecOf(method.request), codecOf(method.answer)];
    const handle: grpc.handleUnaryCall<Buffer, Buffer> = (call, done) => {
      const gone = new AbortController();
      call.on('cancelled', () => gone.abort());
      const caller = { ...originOf(call.metadata), gone: gone.signal };
      run(async () => method.act(decoded(request, call.request) as never, caller), onBug).then(
        (value) => done(null, answer.encode(value)),
        (error) => done(error),
      );
    };
    return handle as grpc.UntypedHandleCall;
  }
  if (method.kind === 'stream') {
    const request = codecOf(method.request);
    const handle: grpc.handleServerStreamingCall<Buffer, readonly Uint8Array[]> = (call) => {
      run(async () => method.act(decoded(request, call.request) as never, answersOf(call, room)), onBug).then(
        () => call.end(),
        (error) => call.emit('error', error),
      );
    };
    return handle as grpc.UntypedHandleCall;
  }
  const handle: grpc.handleBidiStreamingCall<Buffer, readonly Uint8Array[]> = (call) => {
    const requests: Requests = {
      onRequest: (take) => void call.on('data', take),
      onEnd: (act) => void call.on('end', act),
      pause: () => void call.pause(),
      resume: () => void call.resume(),
      room,
    };
    readOneAhead(call);
    call.on('error', () => {}); // the client is gone: what it sent is decided all the same
    run(async () => method.act(requests, answersOf(call, room)), onBug).then(
      () => call.end(),
      (error) => call.emit('error', error),
    );
  };
  return handle as grpc.UntypedHandleCall;
}

/**
 * Limits reading ahead: grpc-js reads sixteen messages of a paused stream, whatever their size, and has no option for
 * it.
 */
function readOneAhead(call: unknown): void {
  (call as { _readableState: { highWaterMark: number } })._readableState.highWaterMark = 1;
}

interface Writable {
  readonly metadata: grpc.Metadata;
  write(value: readonly Uint8Array[], taken: () => void): boolean;
  on(event: 'cancelled', act: () => void): unknown;
}

/**
 * Ends a call at once. grpc-js would end it only after the client has read all answers, but the stream below can be
 * closed.
 */
function dropCall(call: unknown): void {
  let inner = (call as { readonly call: Inner }).call;
  while (inner.nextCall !== undefined) inner = inner.nextCall;
  // Message of RESOURCE_EXHAUSTED for gRPC clients.
  inner.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** A call of grpc-js, or an interceptor's around it. */
interface Inner {
  readonly nextCall?: Inner;
  readonly stream: ServerHttp2Stream;
}

function answersOf(call: Writable, room: CallRoom): Answers {
  let wake: (() => void)[] = [];
  const wakeAll = () => {
    const woken = wake;
    wake = [];
    for (const act of woken) act();
  };
  let ahead = 0;
  let isOver = false;
  const leave = () => {
    isOver = true;
    room.paid(debtor);
    room.release(ahead);
    ahead = 0;
    wakeAll();
  };
  const debtor: Debtor = {
    drop: () => {
      leave();
      dropCall(call);
    },
  };
  call.on('cancelled', leave);
  return {
    ...originOf(call.metadata),
    get isCancelled() {
      return isOver;
    },
    write: async (messages) => {
      if (messages.length > 0 && !isOver) {
        const bytes = messages.reduce((sum, { length }) => sum + length, 0);
        ahead += bytes;
        call.write(messages, () => {
          if (isOver) return;
          ahead -= bytes;
          if (ahead === 0) room.paid(debtor);
          room.release(bytes);
          if (ahead <= grpcLimits.answerBytesAhead) wakeAll();
        });
        room.owe(bytes, debtor);
      }
      while (ahead > grpcLimits.answerBytesAhead && !isOver) {
        await new Promise<void>((resolve) => wake.push(resolve));
      }
      if (isOver) throw new CallFailed('UNAVAILABLE', 'the client disconnected');
    },
  };
}

function originOf(metadata: grpc.Metadata): Pick<Caller, 'isLocal'> {
  return { isLocal: metadata.get(localHeader).length > 0 };
}

function decoded(codec: Codec<unknown>, bytes: Buffer): unknown {
  try {
    return codec.decode(bytes);
  } catch (error) {
    throw new CallFailed('INVALID_ARGUMENT', `the request cannot be read: ${(error as Error).message}`);
  }
}

/** Runs a method; converts errors to a status. */
async function run<T>(act: () => Promise<T>, onBug: (error: unknown) => void): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw statusOf(error, onBug);
  }
}

function statusOf(error: unknown, onBug: (error: unknown) => void): Partial<grpc.StatusObject> {
  if (error instanceof CallFailed)
    return Object.assign(error, { code: grpc.status[error.code], details: error.message });
  if (error instanceof CrawlstreamError) {
    const code = error.retriable ? grpc.status.UNAVAILABLE : grpc.status.FAILED_PRECONDITION;
    return Object.assign(new Error(error.message), { code, details: error.message });
  }
  onBug(error);
  return Object.assign(new Error('a bug'), { code: grpc.status.INTERNAL, details: 'a bug of the server; see its log' });
}

/** Checks the token in the call's metadata, before a stranger's message, which may have megabytes, is taken. */
function refuseStrangers(token: string): grpc.ServerInterceptor {
  return (_, call) =>
    new grpc.ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, go) => {
            if (isAllowed(token, metadata)) go(metadata);
            else call.sendStatus(refused);
          },
        }),
    });
}

const refused = {
  code: grpc.status.UNAUTHENTICATED,
  details: 'this call needs the metadata authorization: Bearer <token>',
};

function isAllowed(token: string, metadata: grpc.Metadata): boolean {
  const given = Buffer.from(String(metadata.get('authorization')[0] ?? '').replace(/^Bearer +/i, ''));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
