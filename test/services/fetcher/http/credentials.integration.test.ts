/** Credentials of a rule for a host reach no other port of it: by a link, by a redirect, or by a sitemap. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function serve(body: (path: string) => { readonly location?: string; readonly html?: string }) {
  const seen: { readonly path: string; readonly credentials: string }[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push({ path: url!, credentials: [headers.authorization, headers.cookie, headers['x-key']].join('|') });
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const { location, html = '' } = body(url!);
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { seen, port: (server.address() as AddressInfo).port };
}

test('another port of a host gets no credentials, and the seed’s own origin gets all', async () => {
  const other = await serve(() => ({ html: '<p>other</p>' }));
  const site = await serve((path) =>
    path === '/away'
      ? { location: `http://a.test:${other.port}/redirected` }
      : { html: `<a href="/away">away</a><a href="http://a.test:${other.port}/linked">other</a>` },
  );
  const folder = temporaryFolder();
  const requests = join(folder, 'requests.yaml');
  writeFileSync(
    requests,
    '- { hosts: [a.test], auth: { bearer: { env: KEY } }, cookies: { c: d }, headers: { X-Key: k }, redact: [X-Key] }\n',
  );
  const { code, stderr } = await runCommand(
    [
      ...['crawl', `http://a.test:${site.port}/`, '--scope', 'domain', '--delay', '0', '--contact', 'me@example.org'],
      ...['--resolve', `a.test:${site.port}:127.0.0.1`, '--resolve', `a.test:${other.port}:127.0.0.1`],
      ...['--requests', requests, '--data', join(folder, 'crawl')],
    ],
    { env: { ...process.env, KEY: 'secret-of-the-first-port' } },
  );
  assert.equal(code, 0, stderr);
  const of = (path: string) => [...site.seen, ...other.seen].find((one) => one.path === path)?.credentials;
  assert.equal(of('/'), 'Bearer secret-of-the-first-port|c=d|k');
  assert.equal(of('/away'), 'Bearer secret-of-the-first-port|c=d|k');
  assert.equal(of('/linked'), '||');
  assert.equal(of('/redirected'), '||');
  assert.ok(other.seen.every(({ credentials }) => credentials === '||'));
});
