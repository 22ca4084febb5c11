/** Requests that are signed: verified over sockets by a library of another language, that is none of ours. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Report {
  readonly path: string;
  readonly verdict: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The site in Python; `next` waits for what it makes of one more request. */
async function verifyingSite(t: TestContext, directory: string) {
  const python = join(pythonEnvironment('http-message-signatures', ['http-message-signatures==3.*']), 'bin/python');
  const script = fileURLToPath(new URL('verifying_site.py', import.meta.url));
  const child = spawn(python, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const port = Number((await lines.next()).value);
  return {
    port,
    next: async (): Promise<Report> => JSON.parse((await lines.next()).value as string) as Report,
  };
}

/** Sends headers as they are, with no other but Host. */
function resend(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, agent: false, headers: { ...headers, connection: 'close' } },
      (response) => {
        response.resume().on('end', resolve);
      },
    );
    sent.on('error', reject).end();
  });
}

async function madeIdentity(folder = temporaryFolder()) {
  const [published, key] = [join(folder, 'published'), join(folder, 'signing-key.pem')];
  const who = ['--contact', 'bot@example.org', '--user-agent', 'NewsBot/1'];
  const made = await runCommand(['identity', 'init', published, ...who, '--key', key, '--network', '192.0.2.0/24']);
  assert.equal(made.code, 0, made.stderr);
  const directory = join(published, '.well-known/http-message-signatures-directory');
  const signing = ['--signature-key', `file:${key}`, '--signature-agent', 'https://bot.example.org'];
  return { folder, published, key, directory, who, signing: [...signing, '--signature-directory', directory] };
}

test('each signed request verifies by its key in the directory; a repeated or altered one does not', async (t) => {
  const { directory, who, signing } = await madeIdentity();
  const site = await verifyingSite(t, directory);
  const data = join(temporaryFolder(), 'data');
  const more = ['--from', 'ops@example.org', '--accept-language', 'de,en;q=0.5'];
  const reach = ['--allow-private', '--delay', '0', '--data', data];
  const ended = await runCommand(['crawl', `http://127.0.0.1:${site.port}/`, ...reach, ...who, ...signing, ...more]);
  assert.equal(ended.code, 0, ended.stderr);
  const reported = [await site.next(), await site.next(), await site.next(), await site.next()];
  assert.deepEqual(reported.map(({ path }) => path).sort(), ['/', '/a?b=c%20d', '/caf%C3%A9', '/robots.txt']);
  for (const { path, verdict, headers } of reported) {
    assert.equal(verdict, 'verified', `${path} ${JSON.stringify(headers)}`);
    assert.equal(headers['from'], 'ops@example.org');
    assert.equal(headers['accept-language'], 'de,en;q=0.5');
    assert.equal(headers['signature-agent'], 'sig1="https://bot.example.org"');
  }
  const query = reported.find(({ path }) => path.startsWith('/a?'))!;
  const attempts: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    [query.path, query.headers, /^replayed$/],
    ['/a?b=other', query.headers, /InvalidSignature/],
    ['/other?b=c%20d', query.headers, /InvalidSignature/],
    [query.path, { ...query.headers, 'signature-agent': 'sig1="https://evil.example"' }, /InvalidSignature/],
    [query.path, { ...query.headers, host: 'other.example' }, /InvalidSignature/],
    [
      query.path,
      {
        ...query.headers,
        'signature-input': query.headers['signature-input']!.replace(/expires=\d+/, 'expires=4102444800'),
      },
      /InvalidSignature/,
    ],
  ];
  for (const [path, headers, expected] of attempts) {
    await resend(site.port, path, headers);
    assert.match((await site.next()).verdict, expected);
  }
  assert.equal((await runCommand(['audit', '--data', data])).code, 0);

  const fetched = await runCommand(['fetch', `http://127.0.0.1:${site.port}/`, '--allow-private', ...who, ...signing]);
  assert.equal(fetched.code, 0, fetched.stderr);
  assert.deepEqual([(await site.next()).verdict, (await site.next()).verdict], ['verified', 'verified']);
});

test('without a key no signature is sent', async (t) => {
  const { directory, who } = await madeIdentity();
  const site = await verifyingSite(t, directory);
  const fetched = await runCommand(['fetch', `http://127.0.0.1:${site.port}/`, '--allow-private', ...who]);
  assert.equal(fetched.code, 0, fetched.stderr);
  const { headers } = await site.next();
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  assert.deepEqual(
    names.filter((name) => /signature|^from$|accept-language/.test(name)),
    [],
  );
});

test('a key is created once, readable by its owner only, and rotated by another whose directory keeps the previous one', async () => {
  const { folder, published, key, directory, who } = await madeIdentity();
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const first = keysOf(directory);
  assert.equal(first.length, 1);
  const again = ['identity', 'init', published, ...who, '--key'];
  assert.equal((await runCommand([...again, key])).code, 0);
  assert.deepEqual(
    keysOf(directory).map(({ kid }) => kid),
    [first[0]!.kid],
    'the same key is there once',
  );
  assert.equal((await runCommand([...again, join(folder, 'next-key.pem')])).code, 0);
  const both = keysOf(directory);
  assert.equal(both.length, 2);
  assert.equal(both[1]!.kid, first[0]!.kid);
  const inside = await runCommand([...again, join(published, 'key.pem')]);
  assert.equal(inside.code, 2);
  assert.match(inside.stderr, /--key .*: choose a path outside .*, which will be published/);
});

function keysOf(directory: string): { readonly kid: string; readonly exp: number }[] {
  return (JSON.parse(readFileSync(directory, 'utf8')) as { keys: { kid: string; exp: number }[] }).keys;
}

test('an unverifiable signature set-up is refused by name, and nothing is created', async () => {
  const { folder, key, directory, who, signing } = await madeIdentity();
  const refused = async (flags: readonly string[], says: RegExp) => {
    const data = join(folder, 'data');
    const ended = await runCommand([
      'crawl',
      'http://127.0.0.1:1234/',
      '--allow-private',
      '--data',
      data,
      ...who,
      ...flags,
    ]);
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, says);
    assert.ok(!readdirSync(folder).includes('data'));
  };
  const [agent, keyFlag] = [signing.slice(2, 4), signing.slice(0, 2)];
  await refused([...agent], /--signature-agent without --signature-key/);
  await refused([...keyFlag], /--signature-key without --signature-agent/);
  await refused(['--signature-key', 'file:/nowhere/key.pem', ...agent], /--signature-key: .*\/nowhere\/key\.pem/);
  await refused(
    ['--signature-key', 'secret', ...agent],
    /--signature-key secret: write the key as env:NAME or file:PATH/,
  );
  await refused([...keyFlag, '--signature-agent', 'http://bot.example.org'], /--signature-agent .*https origin/);
  await refused([...signing.slice(0, 5), join(folder, 'none')], /--signature-directory .*none: ENOENT/);
  const aged = JSON.parse(readFileSync(directory, 'utf8')) as { keys: { exp: number }[] };
  writeFileSync(directory, JSON.stringify({ keys: aged.keys.map((one) => ({ ...one, nbf: 1, exp: 2 })) }));
  await refused(signing, /--signature-directory .*: its key has expired, 1970-01-01T00:00:02\.000Z/);
  const { directory: another } = await madeIdentity();
  await refused([...signing.slice(0, 5), another], /--signature-directory .*: the key .* is not in it/);
  renameSync(key, `${key}.old`);
  writeFileSync(key, 'no key');
  chmodSync(key, 0o600);
  await refused(signing, /--signature-key file:.*signing-key\.pem: .*private Ed25519 key/);
});
