/** Hosts whose certificates are not looked at, by name: what a browser beside the crawl loads from them, and from others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a page of a host named by --insecure is rendered with its subresources, on record; other hosts are not trusted', {
  skip: chromiumHere() === undefined ? noBrowser : false,
}, async (t) => {
  const asked: string[] = [];
  const server = createServer({ key: privateKey, cert: certificate }, ({ url, headers }, response) => {
    asked.push(`${headers.host?.split(':')[0]}${url}`);
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (url!.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      return response.end(`document.body.append('made by ${url} ');`);
    }
    response.setHeader('content-type', 'text/html');
    return response.end(
      `<script defer src="/own.js"></script><script defer src="https://other.test:${port}/theirs.js"></script>`,
    );
  });
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const folder = temporaryFolder();
  const rules = join(folder, 'extract.yaml');
  await writeFile(rules, 'render: [{ hosts: [secure.test] }]\n');
  const resolve = ['secure', 'other'].flatMap((name) => ['--resolve', `${name}.test:${port}:127.0.0.1`]);
  const flags = [...resolve, '--allow-private', '--contact', 'me@example.org', '--delay', '0', '--retries', 'none'];
  const data = join(folder, 'data');
  const crawled = await runCommand([
    ...['crawl', `https://secure.test:${port}/`, ...flags, '--insecure', 'secure.test'],
    ...['--extract', rules, '--with', 'render', '--data', data],
  ]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const printed = await runCommand(['pages', '--data', data, '--fields', 'rendered,text']);
  const page = JSON.parse(printed.stdout) as { rendered: boolean; text: string };
  assert.ok(page.rendered);
  assert.match(page.text, /made by \/own\.js/);
  assert.doesNotMatch(page.text, /theirs/);
  assert.ok(!asked.some((one) => one.startsWith('other.test')));
  // The page, its script, and the robots.txt of the fetcher and of the browser.
  const audited = await runCommand(['audit', '--data', data]);
  assert.match(audited.stdout, /not verified +4 TLS requests/);
});
