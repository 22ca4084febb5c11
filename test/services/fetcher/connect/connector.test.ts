/** Which address and port a connection goes to, on sockets. */
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { ConnectError } from '../../../../services/fetcher/connect/connect-error.ts';
import { createConnectors } from '../../../../services/fetcher/connect/connector.ts';
import type { Resolver } from '../../../../services/fetcher/connect/resolver.ts';

/** Of the addresses none listens on the ports of the web. */
const lonely = '127.1.2.3';

type Target = Parameters<ReturnType<ReturnType<typeof createConnectors>>>[0];

function connect(addresses: readonly string[], target: Pick<Target, 'protocol' | 'port'>) {
  const asked: number[] = [];
  const resolver: Resolver = {
    resolve: (_, port) => {
      asked.push(port);
      return { ok: true, addresses, overridden: false };
    },
    known: () => assert.fail('nobody asks'),
    askedAtMs: () => undefined,
    avoid: () => false,
    waiting: 0,
    forgetFailures: () => {},
    resolvesOthers: () => assert.fail('nobody asks'),
  };
  const connected: string[] = [];
  const to = createConnectors({ resolver, timeoutMs: 4_000 })((address) => connected.push(address), null, '', false);
  return new Promise<{ error: Error | null; socket: Socket | null; connected: string[]; asked: number[] }>(
    (resolve) => {
      to({ hostname: 'a.test', host: 'a.test', ...target }, (...[error, socket]) =>
        resolve({ error, socket, connected, asked } as never),
      );
    },
  );
}

describe('a connection', () => {
  it('a connection uses the default port of its scheme if the URL names none', async () => {
    for (const [protocol, port] of [
      ['http:', 80],
      ['https:', 443],
    ] as const) {
      const { error, asked } = await connect([lonely], { protocol, port: '' });
      assert.deepEqual(asked, [port]);
      assert.ok(error instanceof ConnectError && error.kind === 'connectionFailed', `${error}`);
      assert.ok(error.message.includes(`port ${port}:`), error.message);
    }
  });

  it('a connection tries the next address of a name if one refuses, at most three', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const target = { protocol: 'http:', port: String(port) };
    const second = await connect([lonely, '127.0.0.1'], target);
    assert.deepEqual([second.error, second.connected], [null, ['127.0.0.1']]);
    second.socket?.destroy();
    const third = await connect([lonely, '127.1.2.4', '127.0.0.1'], target);
    assert.deepEqual(third.connected, ['127.0.0.1']);
    third.socket?.destroy();
    const fourth = await connect([lonely, '127.1.2.4', '127.1.2.5', '127.0.0.1'], target);
    assert.ok(fourth.error instanceof ConnectError);
    server.close();
  });
});
