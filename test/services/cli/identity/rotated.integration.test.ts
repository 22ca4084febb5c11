/** Another key for a crawl that runs: by an event, which outlives the process; and keys that nobody can read change nothing. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { publicJwk, readKey } from '../../../../services/fetcher/http/web-bot-auth.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const folder = temporaryFolder();

function keyPair(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const file = join(folder, name);
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { file, reference: `file:${file}`, publicKey, id: publicJwk(readKey(`file:${file}`)).kid };
}

test('a running crawl signs with the key that an event names, after the old file is lost, and after a kill', async (t) => {
  const [one, two] = [keyPair('one.pem'), keyPair('two.pem')];
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    const next = Number(url.slice(1)) + 1;
    return response.setHeader('content-type', 'text/html').end(`<a href="/${next}">${next}</a>`);
  });
  const inputs = () => site.hits.map(({ headers }) => `${headers['signature-input']}`);
  const signedBy = (id: string) => inputs().filter((input) => input.includes(`keyid="${id}"`)).length;
  const data = join(folder, 'data');
  const flags = ['--contact', 'bot@example.org', '--user-agent', 'NewsBot/1', '--allow-private', '--delay', '100ms'];
  const signing = ['--signature-key', one.reference, '--signature-agent', 'https://bot.example.org'];
  const crawl = ['crawl', `http://127.0.0.1:${site.port}/0`, '--data', data, '--max-depth', '10000', ...flags];
  const first = startCommand([...crawl, ...signing], { patienceMs: 240_000 });
  await until(() => signedBy(one.id) >= 3);

  const nowhere = await runCommand(['identity', 'rotate', 'file:/nowhere', '--data', data]);
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /\/nowhere/);
  const rotated = await runCommand(['identity', 'rotate', two.reference, '--data', data]);
  assert.equal(rotated.code, 0, rotated.stderr);
  rmSync(one.file);
  await until(() => signedBy(two.id) >= 3);
  const last = site.hits.at(-1)!;
  const input = /^sig1=(.*)$/.exec(inputs().at(-1)!)![1]!;
  const base = [
    '"@method": GET',
    `"@authority": 127.0.0.1:${site.port}`,
    `"@path": ${last.path}`,
    '"@query": ?',
    '"signature-agent";key="sig1": "https://bot.example.org"',
    `"@signature-params": ${input}`,
  ].join('\n');
  const value = Buffer.from(/^sig1=:(.*):$/.exec(`${last.headers['signature']}`)![1]!, 'base64');
  assert.ok(verify(null, Buffer.from(base), two.publicKey, value));

  first.child.kill('SIGKILL');
  await once(first.child, 'close');
  const before = { one: signedBy(one.id), two: signedBy(two.id) };
  // The event stands, whatever key the command is given.
  const three = keyPair('three.pem');
  const again = ['--signature-key', three.reference, '--signature-agent', 'https://bot.example.org'];
  const second = startCommand([...crawl, ...again], { patienceMs: 240_000 });
  await until(() => signedBy(two.id) >= before.two + 3);
  assert.deepEqual([signedBy(one.id), signedBy(three.id)], [before.one, 0]);
  second.child.kill('SIGTERM');
  await once(second.child, 'close');
});
