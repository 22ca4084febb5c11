/** A gRPC server as a client meets it: answers, streams, refusals, and clients that leave or do not read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { type TestContext, test } from 'node:test';
import grpc from '@grpc/grpc-js';
import { grpcLimits } from '../../../../services/runtime/grpc/grpc-limits.ts';
import {
  type Answers,
  type Caller,
  CallFailed,
  type CodecOf,
  type GrpcListen,
  localHeader,
  type Method,
  serveGrpc,
} from '../../../../services/runtime/grpc/grpc-server.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { until } from '../../until.ts';

const json: CodecOf = () => ({
  encode: (message) => Buffer.from(JSON.stringify(message)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
});
const asIs = (bytes: Buffer) => bytes;
const path = (name: string) => `/test.Service/${name}`;

async function served(t: TestContext, methods: Readonly<Record<string, Method>>, listen: Partial<GrpcListen> = {}) {
  const bugs: unknown[] = [];
  const onBug = (error: unknown) => bugs.push(error);
  const server = await serveGrpc('test.Service', methods, json, { host: '127.0.0.1', port: 0, ...listen }, onBug);
  const client = new grpc.Client(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure());
  t.after(async () => {
    client.close();
    await server.close();
  });
  const unary = (name: string, request: Buffer | object, metadata = new grpc.Metadata()) => {
    const bytes = Buffer.isBuffer(request) ? request : Buffer.from(JSON.stringify(request));
    return new Promise<unknown>((resolve, reject) => {
      client.makeUnaryRequest(path(name), asIs, asIs, bytes, metadata, {}, (error, answer) =>
        error === null ? resolve(JSON.parse(answer!.toString())) : reject(error),
      );
    });
  };
  return { client, server, bugs, unary };
}

const unaryMethod = (act: (request: never, caller: Caller) => Promise<unknown>): Method => ({
  ...{ kind: 'unary', request: 'Any', answer: 'Any', act },
});
const streamMethod = (act: (request: never, answers: Answers) => Promise<void>): Method => ({
  ...{ kind: 'stream', request: 'Any', act },
});
const echo = unaryMethod(async (request) => request);
const metadataOf = (name: string, value: string) => {
  const metadata = new grpc.Metadata();
  metadata.set(name, value);
  return metadata;
};

test('a call is answered, and one that another server passed on is known as local', async (t) => {
  const { unary, bugs } = await served(t, {
    Echo: unaryMethod(async (request, { isLocal }) => ({ request, isLocal })),
  });
  assert.deepEqual(await unary('Echo', { a: 1 }), { request: { a: 1 }, isLocal: false });
  assert.deepEqual(await unary('Echo', { a: 1 }, metadataOf(localHeader, '1')), { request: { a: 1 }, isLocal: true });
  await assert.rejects(unary('Echo', Buffer.from('no message')), {
    code: grpc.status.INVALID_ARGUMENT,
    details: /^the request cannot be read: /,
  });
  assert.deepEqual(bugs, []);
});

test('each error has its status, and only a bug is reported', async (t) => {
  const errors = [
    new CallFailed('NOT_FOUND', 'no such queue'),
    new CallFailed('RESOURCE_EXHAUSTED', 'full'),
    new CrawlstreamError('BROKER_UNREACHABLE', 'no broker'),
    new CrawlstreamError('DISK_FULL', 'full disk'),
    new TypeError('mine'),
  ];
  const { unary, bugs } = await served(t, {
    Fail: unaryMethod(async ({ n }: { readonly n: number }) => {
      throw errors[n];
    }),
  });
  for (const [n, [code, details]] of [
    [grpc.status.NOT_FOUND, 'no such queue'],
    [grpc.status.RESOURCE_EXHAUSTED, 'full'],
    [grpc.status.UNAVAILABLE, 'no broker'],
    [grpc.status.FAILED_PRECONDITION, 'full disk'],
    [grpc.status.INTERNAL, 'a bug of the server; see its log'],
  ].entries())
    await assert.rejects(unary('Fail', { n }), { code, details });
  assert.deepEqual(bugs, [errors[4]]);
});

/** All messages of a stream, and its end. */
function collected(call: grpc.ClientReadableStream<Buffer>) {
  const messages: string[] = [];
  const end = new Promise<grpc.StatusObject>((resolve) => call.on('status', resolve));
  call.on('data', (message: Buffer) => messages.push(message.toString())).on('error', () => {});
  return { messages, end };
}

test('answers of a stream arrive in order, whatever the sizes of their batches', async (t) => {
  const large = 'x'.repeat(300_000);
  const { client } = await served(t, {
    Many: streamMethod(async ({ fails }: { readonly fails: boolean }, answers) => {
      for (const batch of [['one'], [], ['', 'two', large], ['three']])
        await answers.write(batch.map((text) => Buffer.from(text)));
      if (fails) throw new CallFailed('NOT_FOUND', 'no more');
    }),
  });
  for (const fails of [false, true]) {
    const request = Buffer.from(JSON.stringify({ fails }));
    const { messages, end } = collected(client.makeServerStreamRequest(path('Many'), asIs, asIs, request));
    const { code, details } = await end;
    assert.deepEqual(messages, ['one', '', 'two', large, 'three']);
    assert.deepEqual([code, details], fails ? [grpc.status.NOT_FOUND, 'no more'] : [grpc.status.OK, 'OK']);
  }
});

test('a client and a server exchange messages both ways until the client ends', async (t) => {
  const { client } = await served(t, {
    Chat: {
      kind: 'duplex',
      act: (requests, answers) =>
        new Promise((resolve) => {
          let answered = Promise.resolve();
          requests.onRequest((request) => {
            requests.pause();
            answered = answered.then(() => answers.write([Buffer.from(`got ${Buffer.from(request)}`)]));
            void answered.then(() => requests.resume());
          });
          requests.onEnd(() => void answered.then(resolve));
        }),
    },
  });
  const call = client.makeBidiStreamRequest(path('Chat'), asIs, asIs);
  const { messages, end } = collected(call);
  const words = Array.from({ length: 50 }, (_, n) => `word ${n}`);
  for (const word of words) call.write(Buffer.from(word));
  call.end();
  assert.equal((await end).code, grpc.status.OK);
  assert.deepEqual(
    messages,
    words.map((word) => `got ${word}`),
  );
});

test('a call without the token is refused, whatever stands in its place', async (t) => {
  const { unary } = await served(t, { Echo: echo }, { token: 'secret' });
  const refused = { code: grpc.status.UNAUTHENTICATED, details: /authorization: Bearer <token>/ };
  await assert.rejects(unary('Echo', {}), refused);
  for (const value of ['secre', 'Bearer secreT', 'Bearer secret2', 'Basic secret', ''])
    await assert.rejects(unary('Echo', {}, metadataOf('authorization', value)), refused, value);
  for (const value of ['Bearer secret', 'bearer  secret'])
    assert.deepEqual(await unary('Echo', { a: 1 }, metadataOf('authorization', value)), { a: 1 });
});

test('an address that is taken is an error that names it', async (t) => {
  const { server } = await served(t, { Echo: echo });
  const listen = { host: '127.0.0.1', port: server.port };
  await assert.rejects(serveGrpc('test.Service', { Echo: echo }, json, listen, assert.ifError), {
    code: 'INVALID_ARGUMENT',
    message: new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${server.port}: if another server uses it`),
  });
});

test('a client that hangs up is noticed by the work for it', async (t) => {
  let isGone = false;
  const failed: unknown[] = [];
  const { client } = await served(t, {
    Wait: unaryMethod(
      (_, { gone }) =>
        new Promise((resolve) => {
          gone.addEventListener('abort', () => {
            isGone = true;
            resolve({});
          });
        }),
    ),
    Many: streamMethod(async (_, answers) => {
      await answers.write([Buffer.from('first')]);
      await until(() => answers.isCancelled);
      await answers.write([Buffer.from('second')]).catch((error: unknown) => failed.push(error));
    }),
  });
  const waiting = client.makeUnaryRequest(path('Wait'), asIs, asIs, Buffer.from('{}'), () => {});
  setTimeout(() => waiting.cancel(), 20);
  await until(() => isGone);
  const call = client.makeServerStreamRequest(path('Many'), asIs, asIs, Buffer.from('{}'));
  call.on('error', () => {}).once('data', () => call.cancel());
  await until(() => failed.length > 0);
  const [error] = failed as CallFailed[];
  assert.deepEqual([error!.code, error!.message], ['UNAVAILABLE', 'the client disconnected']);
});

test('a server waits for a client that does not read, and goes on when it reads', async (t) => {
  const message = Buffer.alloc(256 << 10, 'x');
  const count = 100;
  let written = 0;
  const { server } = await served(t, {
    Many: streamMethod(async (_, answers) => {
      for (; written < count; written++) await answers.write([message]);
    }),
  });
  // grpc-js has no client that does not read.
  const session = connect(`http://127.0.0.1:${server.port}`);
  t.after(() => session.close());
  const call = session.request({
    ...{ ':method': 'POST', ':path': path('Many'), 'content-type': 'application/grpc', te: 'trailers' },
  });
  call.end(Buffer.from([0, 0, 0, 0, 2, ...Buffer.from('{}')]));
  let [before, same] = [-1, 0];
  await until(() => {
    same = written === before ? same + 1 : 0;
    before = written;
    return written > 0 && same > 50;
  });
  assert.ok(written * message.length <= 4 * grpcLimits.answerBytesAhead, `${written} of ${count}`);
  let bytes = 0;
  call.on('data', (piece: Buffer) => (bytes += piece.length));
  await once(call, 'end');
  assert.equal(bytes, count * (message.length + 5));
});
