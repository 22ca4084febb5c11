/** One page links to names whose name servers never answer: a host beside it is fetched as if they were not there, and a signal ends the crawl. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const silent = fileURLToPath(new URL('./silent-name-servers.cjs', import.meta.url));
const names = 3_000;
const pages = 100;

test('an honest host is fetched at its pace beside 3,000 names without a name server, and SIGINT ends the crawl', {
  timeout: 240_000,
}, async () => {
  const nameServer = createSocket('udp4', () => {});
  nameServer.bind(0, '127.0.0.1');
  await once(nameServer, 'listening');
  after(() => nameServer.close());
  const atMs: number[] = [];
  let robots = 0;
  const site = createServer((request, response) => {
    if (request.url === '/robots.txt') {
      robots += 1;
      return void response.writeHead(404).end();
    }
    atMs.push(Date.now());
    response.setHeader('content-type', 'text/html');
    const next = Number(request.url!.slice(1)) + 1;
    const dead = Array.from({ length: names }, (_, n) => `<a href="http://h${n}.dead${n % 1_000}.test/">x</a>`).join(
      '',
    );
    response.end(`<title>${next}</title>${next === 1 ? dead : ''}${next < pages ? `<a href="/${next}">next</a>` : ''}`);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  after(() => site.close());
  const { port } = site.address() as AddressInfo;
  const running = startCommand(
    [
      ...['crawl', `http://honest.test:${port}/0`, '--scope', 'all', '--delay', '100ms', '--contact', 'me@example.org'],
      ...['--resolve', `honest.test:${port}:127.0.0.1`, '--data', join(temporaryFolder(), 'crawl')],
    ],
    {
      env: {
        ...process.env,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${silent}`,
        SILENT_NAME_SERVER: `127.0.0.1:${nameServer.address().port}`,
      },
    },
  );
  // At a tenth of a second each, and in ten times that where the machine is busy; not at one in thirteen seconds.
  await until(() => atMs.length >= pages, 120_000);
  // A busy machine reads answers late, and then asks the host now and then whether the network is there.
  assert.ok(robots <= pages / 10, `${robots} requests for robots.txt`);
  const beganMs = Date.now();
  running.child.kill('SIGINT');
  const { code } = await running.ended;
  assert.ok(Date.now() - beganMs < 60_000, `${Date.now() - beganMs} ms after the signal`);
  assert.equal(code, 130);
});
