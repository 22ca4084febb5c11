/** `identity check`: what is published, asked for over TLS as a site would. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const who = ['--contact', 'bot@example.org', '--user-agent', 'NewsBot/1', '--robots-token', 'NewsBot'];
const directoryPath = '/.well-known/http-message-signatures-directory';

/** Serves a folder as a web server does that was told the directory's media type, or was not. */
async function publish(t: TestContext, folder: string, directoryType: string) {
  const server = createServer({ key: privateKey, cert: certificate }, ({ url }, response) => {
    const file = join(folder, url === '/' ? 'index.html' : url!);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader('content-type', url === directoryPath ? directoryType : 'text/plain');
    return response.end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const authority = join(temporaryFolder(), 'ca.pem');
  writeFileSync(authority, certificate);
  const reach = ['--resolve', `secure.test:${port}:127.0.0.1`, '--allow-private', '--ca', authority];
  return (...more: readonly string[]) =>
    runCommand(['identity', 'check', `https://secure.test:${port}`, ...reach, ...who, '--json', ...more]);
}

interface Found {
  readonly found: readonly { readonly what: string; readonly problem: string }[];
}

const problems = async (
  ended: Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }>,
) => {
  const done = await ended;
  const { found } = lastJson(done as never) as unknown as Found;
  const reported = Object.fromEntries(found.map(({ what, problem }) => [what, problem]));
  assert.equal(done.code, Object.values(reported).every((problem) => problem === '') ? 0 : 1);
  return reported;
};

test('a complete key directory passes the check, and each missing or wrong part is named', async (t) => {
  const folder = temporaryFolder();
  const [published, key] = [join(folder, 'published'), join(folder, 'key.pem')];
  const init = [
    'identity',
    'init',
    published,
    ...who,
    '--key',
    key,
    '--network',
    '192.0.2.0/24',
    '--network',
    '2001:db8::/32',
  ];
  assert.equal((await runCommand(init)).code, 0);
  const page = readFileSync(join(published, 'index.html'), 'utf8');
  assert.match(page, /User-agent: NewsBot\nDisallow: \//);
  assert.ok(page.includes('<link rel="client-ranges" href="/ip-ranges.json">'));
  assert.deepEqual(
    (JSON.parse(readFileSync(join(published, 'ip-ranges.json'), 'utf8')) as { prefixes: unknown }).prefixes,
    [{ ipv4Prefix: '192.0.2.0/24' }, { ipv6Prefix: '2001:db8::/32' }],
  );
  const check = await publish(t, published, 'application/http-message-signatures-directory+json');
  const fine = { page: '', addresses: '', keys: '' };
  assert.deepEqual(await problems(check()), fine);
  const signing = ['--signature-key', `file:${key}`, '--signature-agent', 'https://bot.example.org'];
  assert.deepEqual(await problems(check(...signing)), fine);

  const unreported = await publish(t, published, 'application/octet-stream');
  assert.match(
    (await problems(unreported()))['keys']!,
    /media type is application\/octet-stream, but must be application\/http-message/,
  );

  writeFileSync(join(published, 'index.html'), page.replace(/<link rel="client-ranges"[^>]*>/, ''));
  assert.match((await problems(check()))['page']!, /has no link to its address ranges/);
  writeFileSync(join(published, 'index.html'), 'nothing yet');
  writeFileSync(join(published, 'ip-ranges.json'), '{"prefixes":[{}]}');
  writeFileSync(join(published, directoryPath), '{"keys":[]}');
  assert.deepEqual(await problems(check()), {
    page: 'it does not name NewsBot, bot@example.org',
    addresses: 'one of its prefixes is neither ipv4Prefix nor ipv6Prefix',
    keys: 'it has no Ed25519 key',
  });
  const elsewhere = await publish(t, temporaryFolder(), 'text/plain');
  assert.match((await problems(elsewhere()))['keys']!, /status 404/);
});
