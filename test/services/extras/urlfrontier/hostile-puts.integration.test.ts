import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import grpc from '@grpc/grpc-js';
import { grpcLimits } from '../../../../services/runtime/grpc/grpc-limits.ts';
import { connect, found } from './client.ts';
import { startRig } from './rig.ts';

const bytes = (value: Buffer) => value;
const mib = 1024 * 1024;

function openStream(client: grpc.Client, rpc: string): grpc.ClientDuplexStream<Buffer, Buffer> {
  return client.makeBidiStreamRequest(`/urlfrontier.URLFrontier/${rpc}`, bytes, bytes, new grpc.Metadata());
}

function connectRaw(port: number): grpc.Client {
  return new grpc.Client(`localhost:${port}`, grpc.credentials.createInsecure());
}

/** How a call ends, with the answers it had by then. */
function ended(call: grpc.ClientDuplexStream<Buffer, Buffer>): Promise<{ code: number; answers: number }> {
  let answers = 0;
  call.on('data', () => answers++);
  call.on('error', () => {});
  return new Promise((resolve) => call.on('status', ({ code }) => resolve({ code, answers })));
}

/** A length-delimited field, as in `0a 03 …`. */
function field(number: number, value: Buffer): Buffer {
  const length: number[] = [];
  let left = value.length;
  for (; left >= 0x80; left >>>= 7) length.push((left & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, left]), value]);
}

const url = (text: string) => field(1, field(1, field(1, Buffer.from(text))));

test('an undecodable message ends its own call with INVALID_ARGUMENT; earlier messages are acknowledged', async () => {
  const rig = await startRig();
  const raw = connectRaw(rig.port);
  const beside = openStream(raw, 'PutURLs');
  for (const rpc of ['PutURLs', 'PutDiscovered']) {
    const call = openStream(raw, rpc);
    if (rpc === 'PutURLs') call.write(url('http://a.com/1'));
    call.write(Buffer.from('0aff', 'hex'));
    call.write(url('http://a.com/2'));
    call.end();
    assert.deepEqual(
      await ended(call),
      { code: grpc.status.INVALID_ARGUMENT, answers: rpc === 'PutURLs' ? 1 : 0 },
      rpc,
    );
  }
  beside.write(url('http://b.com/'));
  beside.end();
  assert.deepEqual(await ended(beside), { code: grpc.status.OK, answers: 1 });
  assert.equal((await rig.client.unary('GetStats')).size, 2);
  raw.close();
  await rig.close();
});

test('a batch with too many fields for its items’ memory is refused before it is read', async () => {
  const rig = await startRig();
  const raw = connectRaw(rig.port);
  const items = Buffer.alloc(2 * 200_000, field(2, Buffer.alloc(0)));
  const entries = field(2, Buffer.alloc(2 * 200_000, field(3, Buffer.alloc(0))));
  for (const batch of [items, entries]) {
    const call = openStream(raw, 'PutDiscovered');
    call.end(batch);
    assert.deepEqual(await ended(call), { code: grpc.status.INVALID_ARGUMENT, answers: 0 });
  }
  raw.close();
  await rig.close();
});

/** Passes connections on to a server, and counts what it takes. */
async function countingProxy(to: number) {
  let taken = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = createConnection(to, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', ({ length }) => (taken += length));
    client.pipe(server).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    /** Bytes, once no more come for a second. */
    settled: async () => {
      for (let before = -1; taken > before; await new Promise((resolve) => setTimeout(resolve, 1_000))) before = taken;
      return taken;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

/** Sends so many messages and reads nothing: over plain HTTP/2, as grpc-js takes answers that nobody has asked for. */
function pour(port: number, message: Buffer, count: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  const headers = { ':method': 'POST', ':path': '/urlfrontier.URLFrontier/PutURLs', te: 'trailers' };
  const stream = session.request({ ...headers, 'content-type': 'application/grpc' });
  stream.on('error', () => {});
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  for (let n = 0; n < count; n++) stream.write(Buffer.concat([head, message]));
  return session;
}

test('a client that reads no acknowledgements has few bytes under way, and many such clients few together', async () => {
  const rig = await startRig();
  // An item's ID is as long as its client likes, and its ack repeats it.
  const message = Buffer.concat([url('http://a.com/'), field(3, Buffer.alloc(200_000, 'x'))]);
  const ofOne = await countingProxy(rig.port);
  const one = pour(ofOne.port, message, 100);
  const bytesOfOne = await ofOne.settled();
  assert.ok(bytesOfOne < 8 * mib, `${bytesOfOne} bytes of one stream`);
  one.destroy();
  const ofMany = await countingProxy(rig.port);
  const sessions = Array.from({ length: 32 }, () => pour(ofMany.port, message, 50));
  const bytesOfMany = await ofMany.settled();
  assert.ok(bytesOfMany < 120 * mib, `${bytesOfMany} bytes of 32 streams`);
  // Whoever reads goes on beside them.
  const honest = connect(rig.port);
  const acks = await honest.all(
    'PutURLs',
    Array.from({ length: 500 }, (_, n) => found(`http://b.com/${n}`)),
  );
  assert.equal(acks.length, 500);
  honest.close();
  for (const session of sessions) session.destroy();
  for (const proxy of [ofOne, ofMany]) proxy.close();
  await rig.close();
});

test('endless messages take bounded memory over all calls: the oldest lose theirs, others go on', async () => {
  for (const token of [undefined, 'a-token-of-some-length']) {
    const rig = await startRig(1, token === undefined ? {} : { token }, token);
    const session = connectHttp2(`http://127.0.0.1:${rig.port}`);
    session.on('error', () => {});
    const calls = Array.from({ length: 40 }, (_, n) => {
      const path = `/urlfrontier.URLFrontier/${['PutURLs', 'PutDiscovered', 'GetURLs', 'GetStats'][n % 4]}`;
      const call = session.request({
        ':method': 'POST',
        ':path': path,
        te: 'trailers',
        'content-type': 'application/grpc',
      });
      call.on('error', () => {});
      call.resume();
      const head = Buffer.alloc(5);
      head.writeUInt32BE(4 * mib - 1, 1);
      call.write(Buffer.concat([head, Buffer.alloc(3 * mib)]));
      return call;
    });
    const left = () => calls.filter(({ closed }) => !closed).length;
    const deadlineMs = Date.now() + 120_000;
    while (3 * mib * left() > grpcLimits.partBytesOfAll) {
      assert.ok(Date.now() < deadlineMs, `waited for calls to end, of which ${left()} stand`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // Who is refused for want of a token has its status before.
    if (token === undefined) {
      const codes = new Set(calls.filter(({ closed }) => closed).map(({ rstCode }) => rstCode));
      assert.deepEqual(codes, new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
    }
    assert.equal((await rig.client.all('PutURLs', [found('http://b.com/')]))[0].status, 'OK');
    session.destroy();
    await rig.close();
  }
});

/** A connection of so many streams whose client takes no byte of any answer, and what became of them. */
function openUnread(port: number, path: string, message: Buffer, streams: number) {
  const session = connectHttp2(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
  session.on('error', () => {});
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  const calls = Array.from({ length: streams }, () => {
    const headers = { ':method': 'POST', ':path': `/urlfrontier.URLFrontier/${path}`, te: 'trailers' };
    const call = session.request({ ...headers, 'content-type': 'application/grpc' });
    call.on('error', () => {});
    call.end(Buffer.concat([head, message]));
    return call;
  });
  return { session, calls };
}

test('unread answers are bounded over all calls, however many: the slowest lose theirs', async () => {
  const rig = await startRig();
  const items = Array.from({ length: 1_000 }, (_, n) => found(`http://many.com/${'x'.repeat(500)}${n}`));
  assert.equal((await rig.client.all('PutURLs', items)).length, 1_000);
  const put = Buffer.concat([url('http://a.com/'), field(3, Buffer.alloc(200_000, 'x'))]);
  // {size: 16,383, key: 'many.com'}
  const list = Buffer.concat([Buffer.from([0x10, 0xff, 0x7f]), field(3, Buffer.from('many.com'))]);
  for (const [path, message, perCall] of [
    ['PutURLs', put, 200_000],
    ['ListURLs', list, 256 * 1024],
  ] as const) {
    const opened = Array.from({ length: 5 }, () => openUnread(rig.port, path, message, 100));
    const calls = opened.flatMap((one) => one.calls);
    const left = () => calls.filter(({ closed }) => !closed).length;
    const deadlineMs = Date.now() + 120_000;
    while (perCall * left() > grpcLimits.bytesOfAllHard + perCall) {
      assert.ok(Date.now() < deadlineMs, `${path}: waited for calls to end, of which ${left()} of 500 stand`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const codes = new Set(calls.filter(({ closed }) => closed).map(({ rstCode }) => rstCode));
    assert.deepEqual(codes, new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]), path);
    // Whoever reads goes on beside them.
    const honest = Array.from({ length: 500 }, (_, n) => found(`http://b.com/${path}${n}`));
    assert.equal((await rig.client.all('PutURLs', honest)).length, 500);
    for (const { session } of opened) session.destroy();
  }
  await rig.close();
});
