/** What a crawl says of a host that TLS keeps out, and what brings the host back. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function startSite(): Promise<{ seed: string; flags: readonly string[] }> {
  const server = createServer({ key: privateKey, cert: certificate }, ({ url }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end('<title>Proven</title><a href="/second">second</a>');
  });
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const resolve = ['--resolve', `secure.test:${port}:127.0.0.1`, '--allow-private', '--contact', 'me@example.org'];
  return { seed: `https://secure.test:${port}/`, flags: [...resolve, '--delay', '0', '--retries', 'none'] };
}

const authority = join(temporaryFolder(), 'ca.pem');
writeFileSync(authority, certificate);

test('a host that fails by TLS is reported with the reason, and returns at a start that trusts its authority', async () => {
  const { seed, flags } = await startSite();
  const data = join(temporaryFolder(), 'data');
  const first = await runCommand(['crawl', seed, ...flags, '--data', data]);
  assert.equal(first.code, 1, first.stderr);
  assert.match(
    first.stdout,
    /TLS errors prevent requests to secure\.test:\d+: robots\.txt: .*: TLS: self-signed certificate\n/,
  );
  assert.match(first.stdout, /with --ca FILE, or --insecure secure\.test\n/);
  const deadLetters = await runCommand(['dlq', 'list', '--data', data]);
  assert.match(deadLetters.stdout, /robotsUnreachable .*; last failure: .*TLS: self-signed certificate$/m);
  const explained = await runCommand(['explain', seed, '--data', data]);
  assert.match(explained.stdout, /host failed +\d{4}-.*TLS: self-signed certificate/);

  const same = await runCommand(['crawl', '--data', data]);
  assert.doesNotMatch(same.stderr + same.stdout, /refetching/);
  const trusting = await runCommand(['crawl', '--data', data, '--ca', authority, '--json']);
  assert.equal(trusting.code, 0, trusting.stderr);
  assert.match(trusting.stderr, /trusted certificates changed .* refetching 1 URL of 1 host with TLS failures/);
  assert.equal(lastJson(trusting)['pages'], 2);
});

test('a host named by --insecure is fetched without certificate check, and every request says so in the audit', async () => {
  const { seed, flags } = await startSite();
  const data = join(temporaryFolder(), 'data');
  const crawled = await runCommand(['crawl', seed, ...flags, '--insecure', 'secure.test', '--data', data, '--json']);
  assert.equal(crawled.code, 0, crawled.stderr);
  assert.equal(lastJson(crawled)['pages'], 2);
  const audited = await runCommand(['audit', '--data', data]);
  assert.match(audited.stdout, /not verified +3 TLS requests/);
  for (const host of ['*', '*.test', 'secure.test:443', 'https://secure.test']) {
    const refused = await runCommand(['crawl', seed, ...flags, '--insecure', host, '--data', `${data}-none`]);
    assert.match(refused.stderr, /--insecure .*give one host/, host);
    assert.notEqual(refused.code, 0);
  }
});

test('commands that contact one host trust the named authorities and hosts, as crawls do', async () => {
  const { seed, flags } = await startSite();
  const reach = flags.slice(0, flags.indexOf('--delay'));
  for (const command of [['fetch'], ['check', 'page'], ['check', 'robots']]) {
    const refused = await runCommand([...command, seed, ...reach]);
    assert.match(refused.stdout + refused.stderr, /self-signed certificate/, command.join(' '));
    for (const trust of [
      ['--ca', authority],
      ['--insecure', 'secure.test'],
    ]) {
      const ended = await runCommand([...command, seed, ...reach, ...trust]);
      assert.equal(ended.code, 0, ended.stdout + ended.stderr);
      assert.doesNotMatch(ended.stdout + ended.stderr, /self-signed/);
    }
  }
});
