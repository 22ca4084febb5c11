/** A connection to a broker that the test plays. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { raw } from '../../../../../services/runtime/log/kafka/kafkajs-wire.ts';
import { type LinkOptions, openLink } from '../../../../../services/runtime/log/kafka/link.ts';

const host = '127.0.0.1';
const apiVersions = 18;
const metadata = 3;

interface Played {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
}

/** A broker with versions 0 to `versionOf(api)` of each API. It answers nothing else, and may break the connection. */
async function play(t: TestContext, versionOf: (api: number) => number, breaks = false): Promise<Played> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (frame: Buffer) => {
      if (frame.readInt16BE(4) === apiVersions) socket.write(versionsAnswer(frame.readInt32BE(8), versionOf));
      else if (breaks) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

function versionsAnswer(correlation: number, versionOf: (api: number) => number): Buffer {
  const apis = Array.from({ length: 61 }, (_, api) => ({ api, newest: versionOf(api) })).filter(
    ({ newest }) => newest >= 0,
  );
  const answer = Buffer.alloc(4 + 4 + 2 + 4 + 6 * apis.length + 4);
  answer.writeInt32BE(answer.length - 4, 0);
  answer.writeInt32BE(correlation, 4);
  answer.writeInt32BE(apis.length, 10);
  apis.forEach(({ api, newest }, n) => {
    answer.writeInt16BE(api, 14 + 6 * n);
    answer.writeInt16BE(newest, 18 + 6 * n);
  });
  return answer;
}

function options(credentials: LinkOptions['credentials'] = () => ({})): LinkOptions {
  return { clientId: 'test', credentials };
}

/** What a link reports of its broker. */
function events() {
  const reported: string[] = [];
  return {
    reported,
    answered: (address: string) => void reported.push(`${address} answered`),
    failed: (address: string) => void reported.push(`${address} failed`),
    measured: (api: string, ms: number, isAnswered: boolean) => {
      assert.ok(ms >= 0);
      reported.push(`${api} ${isAnswered ? 'answered' : 'lost'}`);
    },
  };
}

const question = () => raw('ApiVersions', {});

test('a link that is open answers requests, until it is closed', async (t) => {
  const { port } = await play(t, () => 99);
  const { reported, ...handlers } = events();
  const link = await openLink({ host, port }, options(), handlers);
  assert.deepEqual([link.address, link.isOpen(), link.hasLeaderEpochs], [`${host}:${port}`, true, true]);
  const { errorCode } = await link.send<{ errorCode: number }>(question());
  assert.equal(errorCode, 0);
  assert.deepEqual(reported, [`${host}:${port} answered`, 'ApiVersions answered', `${host}:${port} answered`]);
  link.close();
  link.close();
  assert.equal(link.isOpen(), false);
  await assert.rejects(link.send(question()), {
    code: 'BROKER_UNREACHABLE',
    message: `the connection to broker ${host}:${port} is closed`,
  });
  assert.equal(reported.length, 3, 'a link that was closed here shows nothing about the broker');
});

test('leader epochs count from the version of Metadata that came with Kafka 2.4', async (t) => {
  for (const [newest, hasLeaderEpochs] of [
    [8, false],
    [9, true],
  ] as const) {
    const { port } = await play(t, (api) => (api === metadata ? newest : 99));
    const link = await openLink({ host, port }, options());
    assert.equal(link.hasLeaderEpochs, hasLeaderEpochs, `${newest}`);
    link.close();
  }
});

test('a broker that lacks a request, or its version, is refused by name', async (t) => {
  for (const [newest, there] of [
    [6, '0 to 6'],
    [-1, 'none'],
  ] as const) {
    const { port, sockets } = await play(t, (api) => (api === metadata ? newest : 99));
    const { reported, ...handlers } = events();
    await assert.rejects(openLink({ host, port }, options(), handlers), {
      code: 'UNSUPPORTED',
      message: `broker ${host}:${port} speaks Metadata ${there}, not 7: Kafka 2.3 to 4.3 are supported`,
    });
    assert.deepEqual(reported, [`${host}:${port} failed`]);
    while (sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  }
});

test('a request whose answer never comes closes the link, and may have been executed', async (t) => {
  const { port } = await play(t, () => 99, true);
  const { reported, ...handlers } = events();
  const link = await openLink({ host, port }, options(), handlers);
  await assert.rejects(link.send(raw('ListGroups', {})), {
    code: 'BROKER_UNREACHABLE',
    message: new RegExp(`^broker ${host}:${port} did not answer ListGroups: `),
  });
  assert.equal(link.isOpen(), false);
  assert.deepEqual(reported.slice(1), ['ListGroups lost', `${host}:${port} failed`]);
});

test('a request that waits when its link is closed ends at once, and counts against no broker', async (t) => {
  const { port } = await play(t, () => 99);
  const { reported, ...handlers } = events();
  const link = await openLink({ host, port }, options(), handlers);
  const waiting = assert.rejects(link.send(raw('ListGroups', {})), { code: 'BROKER_UNREACHABLE' });
  await new Promise((resolve) => setImmediate(resolve));
  link.close();
  await waiting;
  assert.deepEqual(reported, [`${host}:${port} answered`]);
});

test('a broker that cannot be reached is an error that passes, with what to check', async (t) => {
  const { port } = await play(t, () => 99, true);
  const closed = createServer().listen(0, host);
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port: nobody } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await assert.rejects(openLink({ host, port: nobody }, options()), {
    code: 'BROKER_UNREACHABLE',
    message: new RegExp(
      `^broker ${host}:${nobody} can't be reached .*: check the address.*whether it wants TLS or SASL$`,
    ),
  });
  const refusing = { mechanism: 'plain', username: 'me', password: 'hush' };
  await assert.rejects(
    openLink(
      { host, port: nobody },
      options(() => ({ sasl: refusing })),
    ),
    {
      message: /its TLS and SASL settings$/,
    },
  );
  // The server speaks no TLS.
  await assert.rejects(
    openLink(
      { host, port },
      options(() => ({ ssl: true })),
    ),
    { code: 'BROKER_UNREACHABLE', message: /its TLS and SASL settings$/ },
  );
});

test('credentials are asked for at each connection', async (t) => {
  const { port } = await play(t, () => 99);
  let asked = 0;
  const each = options(() => {
    asked += 1;
    return {};
  });
  for (const expected of [1, 2]) {
    (await openLink({ host, port }, each)).close();
    assert.equal(asked, expected);
  }
});
