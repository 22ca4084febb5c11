/** Our own network goes away for longer than any host's retries last, over real sockets, and comes back: no host is given up for it. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const hosts = 6;
const pages = 30;

/** Sites on addresses of their own, and one switch for all of them. */
async function startSites(away: (socket: Socket) => void) {
  const net = {
    isAway: false,
    asked: [] as { readonly atMs: number; readonly isAway: boolean; readonly host: string }[],
  };
  const servers: Server[] = [];
  for (let n = 0; n < hosts; n++) {
    const server = createServer(({ url, socket, headers }, response) => {
      net.asked.push({ atMs: Date.now(), isAway: net.isAway, host: headers.host! });
      if (net.isAway) return away(socket);
      if (url === '/robots.txt') return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/html');
      const links = Array.from({ length: pages }, (_, page) => `<a href="/p${page}">${page}</a>`).join('');
      response.end(`<title>${url}</title>${url === '/' ? links : ''}`);
    });
    await new Promise<void>((resolve) => server.listen(0, `127.0.1.${n + 1}`, resolve));
    servers.push(server);
  }
  after(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });
  const seeds = servers.map((server, n) => `http://127.0.1.${n + 1}:${(server.address() as AddressInfo).port}/`);
  return { net, seeds };
}

const ways: Readonly<Record<string, (socket: Socket) => void>> = {
  'connections are reset': (socket) => void socket.resetAndDestroy(),
  'connections are closed': (socket) => void socket.end(),
};

for (const [how, away] of Object.entries(ways))
  test(`an outage of our own network loses no URL and no host (${how}), even with kill -9 in the middle`, {
    timeout: 180_000,
  }, async () => {
    const { net, seeds } = await startSites(away);
    const data = join(temporaryFolder(), 'crawl');
    const args = [
      ...['crawl', ...seeds, '--allow-private', '--scope', 'host', '--delay', '100ms', '--address-delay', '0'],
      ...['--retries', '300ms,600ms', '--contact', 'me@example.org', '--data', data],
    ];
    const first = startCommand(args);
    await until(() => net.asked.length > hosts * 6);
    net.isAway = true;
    await until(() => /network seems to be away/.test(first.output()), 30_000);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = startCommand(args);
    // On a busy machine it takes a while to start.
    await until(() => /network seems to be away/.test(second.output()), 60_000);
    // Past what is left of all retries.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    net.isAway = false;
    const backMs = Date.now();
    const { code, stderr } = await second.ended;
    assert.equal(code, 0, stderr);
    const soonest = net.asked.find(({ atMs }) => atMs >= backMs)!.atMs - backMs;
    assert.ok(soonest <= 10_000, `the first request came ${soonest} ms after the network's return`);
    const listed = await runCommand(['pages', '--data', data]);
    for (const seed of seeds)
      assert.equal(listed.stdout.split('\n').filter((line) => line.includes(seed)).length, pages + 1, seed);
    const deadLetters = await runCommand(['dlq', 'list', '--data', data]);
    assert.doesNotMatch(deadLetters.stdout, /http:/);
  });
