/** A signal ends each role within its grace period, whatever is pending: names, connections, handshakes, answers, readers, brokers. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Running, startCommand } from '../../../../lab/process/command.ts';
import { fleetServiceLimits } from '../../../../services/extras/fleet/fleet-service-limits.ts';
import { requestLimits } from '../../../../services/fetcher/http/request-limits.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { listening } from '../listening.ts';

const silentNames = fileURLToPath(new URL('../../fetcher/connect/silent-name-servers.cjs', import.meta.url));
/** A socket whose queue of connections is full: the system answers no further SYN. */
const fullBacklog = `
import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
held = []
for _ in range(4):
    c = socket.socket(); c.setblocking(False); c.connect_ex(s.getsockname()); held.append(c)
print(s.getsockname()[1], flush=True)
time.sleep(600)
`;
const kinds = ['resolver', 'connect', 'tls', 'head', 'body', 'parse', 'proxy'] as const;
type Kind = (typeof kinds)[number];

let hanging: Awaited<ReturnType<typeof startHanging>>;
before(async () => {
  hanging = await startHanging();
});
after(() => hanging.close());

async function startHanging() {
  const sockets = new Set<Socket>();
  const asked = new Set<string>();
  const listen = async (server: Server) => {
    server.on('connection', (socket) => {
      sockets.add(socket.on('error', () => {}));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const silent = createTcpServer((socket) => {
    socket.once('data', () => asked.add(`silent ${socket.localPort}`));
    socket.resume();
  });
  const site = createServer((request, response) => {
    const name = request.headers.host!.split('.')[0]!;
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    asked.add(name);
    if (name === 'head' || name === 'hook') return;
    response.setHeader('content-type', 'text/html');
    if (name === 'body') return void response.write('<title>half');
    response.end('<blockquote><p>a'.repeat(name === 'parse' ? 16_000 : 1));
  });
  const nameServer = createSocket('udp4', () => asked.add('resolver'));
  nameServer.bind(0, '127.0.0.1');
  await once(nameServer, 'listening');
  const full: ChildProcess = spawn('python3', ['-c', fullBacklog], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(full.stdout!, 'data')) as [Buffer];
  const [sitePort, silentPort, fullPort] = [await listen(site), await listen(silent), Number(`${line}`)];
  const urls: Readonly<Record<Kind, string>> = {
    resolver: 'http://page.dead.test/',
    connect: `http://connect.test:${fullPort}/`,
    tls: `https://tls.test:${silentPort}/`,
    head: `http://head.test:${sitePort}/`,
    body: `http://body.test:${sitePort}/`,
    parse: `http://parse.test:${sitePort}/`,
    proxy: `http://proxy.test:${sitePort}/`,
  };
  const resolved = [sitePort, silentPort, fullPort].map((port) => ['--resolve', `*.test:${port}:127.0.0.1`]);
  return {
    ...{ urls, asked, silentPort, sitePort },
    flags() {
      const rules = join(temporaryFolder(), 'requests.yaml');
      writeFileSync(rules, `- { hosts: [proxy.test], proxies: ["http://127.0.0.1:${silentPort}"] }\n`);
      return [...resolved.flat(), '--requests', rules, '--contact', 'me@example.org'];
    },
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${silentNames}`,
      SILENT_NAME_SERVER: `127.0.0.1:${nameServer.address().port}`,
    },
    close() {
      full.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      for (const server of [site, silent, nameServer]) server.close();
    },
  };
}

async function endsWithin(running: Running, signal: NodeJS.Signals, ms: number, exit: number): Promise<void> {
  const beganMs = performance.now();
  running.child.kill(signal);
  const { code, stderr } = await running.ended;
  const tookMs = performance.now() - beganMs;
  assert.equal(code, exit, stderr);
  assert.ok(tookMs < ms, `${Math.round(tookMs)} ms after ${signal}\n${stderr}`);
}

/** What a busy machine takes beside the grace period: stores are closed, workers are ended. */
const slackMs = 20_000;

describe('SIGINT ends a crawl within its grace period', { concurrency: 4 }, () => {
  // A crawl by itself reads no Markdown, which is what keeps a worker busy.
  for (const kind of kinds.filter((one) => one !== 'parse'))
    it(`SIGINT ends a crawl with a hanging request within its grace period: ${kind}`, async () => {
      const { urls, flags, env } = hanging;
      const data = join(temporaryFolder(), 'crawl');
      const running = startCommand(['crawl', urls[kind], ...flags(), '--data', data], { env });
      while (running.output() === '') await sleep(100);
      await sleep(5_000);
      assert.equal(running.child.exitCode, null, running.output());
      await endsWithin(running, 'SIGINT', requestLimits.totalTimeoutMs + slackMs, 130);
    });
});

it('SIGTERM ends a fleet within its grace period, with each kind of request, a webhook and a reader hanging', async () => {
  const { urls, flags, env, sitePort, asked } = hanging;
  const running = startCommand(['fleet', '--data', join(temporaryFolder(), 'fleet'), '--http', '0', ...flags()], {
    env,
  });
  const base = await listening(running);
  for (const kind of kinds) {
    const call = { name: kind, seeds: [urls[kind]], output: { markdown: true } };
    const webhook = { url: `http://hook.test:${sitePort}/`, secret: `whsec_${Buffer.alloc(32).toString('base64')}` };
    const body = JSON.stringify({ ...call, webhook });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    let response = await fetch(`${base}/v1/crawls`, init);
    for (let again = 0; response.status === 503 && again < 100; again++) {
      await sleep(100);
      response = await fetch(`${base}/v1/crawls`, init);
    }
    assert.equal(response.status, 201, await response.text());
    const reader = connect(Number(new URL(base).port), '127.0.0.1');
    reader.on('error', () => {});
    reader.write(`GET /v1/crawls/${kind}/events HTTP/1.1\r\nhost: ${new URL(base).host}\r\n\r\n`);
    reader.pause();
  }
  for (let look = 0; look < 100 && !['hook', 'head', 'body'].every((name) => asked.has(name)); look++) await sleep(100);
  await sleep(3_000);
  await endsWithin(running, 'SIGTERM', fleetServiceLimits.graceMs * 2 + slackMs, 130);
});

describe('SIGTERM ends a role whose broker accepts and never answers', { concurrency: 3 }, () => {
  for (const [name, role, exit] of [
    ['fetcher', ['fetcher', '--contact', 'a@example.org'], 0],
    ['frontier', ['frontier', '--data', 'DATA'], 0],
    ['dedup', ['dedup', '--data', 'DATA'], 0],
    ['fleet', ['fleet', '--data', 'DATA', '--fleet', 'one', '--contact', 'a@example.org'], 130],
    [
      'fetcher of a fleet',
      ['fleet', '--role', 'fetcher', '--fleet', 'one', '--data', 'DATA', '--contact', 'a@example.org'],
      130,
    ],
    [
      'consumers of a fleet',
      ['fleet', '--role', 'consumers', '--fleet', 'one', '--with', 'dedup', '--data', 'DATA'],
      130,
    ],
  ] as const)
    it(name, async () => {
      const { silentPort } = hanging;
      const args = role.map((arg) => (arg === 'DATA' ? join(temporaryFolder(), 'data') : arg));
      const running = startCommand([...args, '--brokers', `127.0.0.1:${silentPort}`, '--http', '127.0.0.1:0']);
      await listening(running);
      await sleep(2_000);
      await endsWithin(running, 'SIGTERM', 15_000 + slackMs, exit);
    });
});
