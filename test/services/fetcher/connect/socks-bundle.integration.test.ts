/** SOCKS in what is shipped: the library is bundled, and loaded only by who needs it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../../run/files.ts';
import { serveSite } from '../loopback.ts';
import { serveSocks5 } from '../proxy-servers.ts';

test('the shipped command crawls through a SOCKS5 proxy', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>through</title>');
  });
  const proxy = await serveSocks5(t, { port: site.port });
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-socks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const rules = join(folder, 'requests.yaml');
  writeFileSync(rules, `- hosts: ["*"]\n  proxies: ["socks5://127.0.0.1:${proxy.port}"]\n`);
  const command = [join(root, 'dist/bundle/crawlstream.js'), 'crawl', site.url('127.0.0.1', '/')];
  const options = ['--data', join(folder, 'data'), '--contact', 'bot@example.org', '--allow-private', '--delay', '0'];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...command, ...options, '--requests', rules, '--max-time', '30s'],
    { timeout: 60_000 },
  );
  assert.match(`${stdout}${stderr}`, /pages fetched +1\n/);
  assert.ok(proxy.asked.every((asked) => asked === `SOCKS 127.0.0.1:${site.port}`) && proxy.asked.length > 0);
});
