/** An option that allows what was refused brings back what it refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function startSite(): Promise<number> {
  const server = createServer(({ url }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end('<title>Here</title><a href="/second">second</a>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

test('URLs of a refused private address are fetched once --allow-private is given with the same command', async () => {
  const port = await startSite();
  const data = join(temporaryFolder(), 'data');
  const resolve = ['--resolve', `*.test:${port}:127.0.0.1`, '--contact', 'me@example.org', '--delay', '0'];
  const crawl = ['crawl', `http://localhost:${port}/`, '--data', data, ...resolve, '--json'];
  const refused = await runCommand(crawl);
  assert.match(refused.stderr + refused.stdout, /--allow-private/);
  const allowed = await runCommand([...crawl, '--allow-private']);
  assert.equal(allowed.code, 0, allowed.stderr);
  assert.match(allowed.stderr, /private addresses are allowed now: refetching 1 URL of 1 host refused before/);
  assert.equal(lastJson(allowed)['pages'], 2);
  const again = await runCommand([...crawl, '--allow-private']);
  assert.doesNotMatch(again.stderr, /fetched again/);
});

test('another allowed network brings back its URLs', async () => {
  const port = await startSite();
  const data = join(temporaryFolder(), 'data');
  const crawl = [
    'crawl',
    `http://127.0.0.1:${port}/`,
    '--data',
    data,
    '--contact',
    'me@example.org',
    '--delay',
    '0',
    '--json',
  ];
  await runCommand([...crawl, '--allow-private', '10.0.0.0/8']);
  const allowed = await runCommand([...crawl, '--allow-private', '10.0.0.0/8,127.0.0.0/8']);
  assert.equal(lastJson(allowed)['pages'], 2, allowed.stderr);
});
