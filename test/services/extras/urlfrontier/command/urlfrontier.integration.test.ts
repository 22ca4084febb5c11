import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, runCommand, startCommand } from '../../../../../lab/process/command.ts';
import { javaClientSkipReason, runJavaClient } from '../../../../urlfrontier/java-client.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { connect, found, known } from '../client.ts';

async function serve(
  data: string,
  flags: readonly string[] = [],
  shellPrefix?: string,
): Promise<{ readonly running: Running; readonly port: number }> {
  const running = startCommand(['urlfrontier', '--port', '0', '--data', data, ...flags], {
    patienceMs: 120_000,
    ...(shellPrefix !== undefined && { shellPrefix }),
  });
  for (;;) {
    const port = /serving crawl .*:(\d+)/.exec(running.output())?.[1];
    if (port !== undefined) return { running, port: Number(port) };
    if (running.child.exitCode !== null) throw new Error(running.output());
    await sleep(20);
  }
}

async function kill({ child, ended }: Running, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await ended;
}

const skip = await javaClientSkipReason();

test('URLFrontier’s own Java client passes all calls, and finds everything acknowledged after kill -9', {
  skip,
}, async () => {
  const data = join(await temporaryFolder(), 'served');
  const first = await serve(data);
  assert.match(await runJavaClient(first.port, 'before'), /^before: all/);
  await kill(first.running, 'SIGKILL');
  const second = await serve(data);
  assert.match(await runJavaClient(second.port, 'after'), /^after: all/);
  await kill(second.running, 'SIGTERM');
});

test('kill -9 during puts loses nothing acknowledged', async () => {
  const data = join(await temporaryFolder(), 'served');
  const first = await serve(data);
  const client = connect(first.port);
  const acked: string[] = [];
  const putting = (async () => {
    for (let n = 0; ; n++) {
      const acks = await client.all(
        'PutURLs',
        Array.from({ length: 20 }, (_, i) => found(`http://host-${i}.com/${n}`)),
      );
      for (const { ID } of acks) acked.push(ID);
    }
  })().catch(() => {});
  while (acked.length < 2_000) await sleep(5);
  await kill(first.running, 'SIGKILL');
  await putting;
  client.close();
  const second = await serve(data);
  const again = connect(second.port);
  const acks = await again.all(
    'PutURLs',
    acked.map((url) => found(url)),
  );
  assert.deepEqual([...new Set(acks.map(({ status }) => status))], ['SKIPPED']);
  again.close();
  await kill(second.running, 'SIGTERM');
});

test('crawl ids from a stranger end no server, and existing crawls go on', {
  skip: process.platform === 'linux' ? false : 'descriptors are counted on Linux',
}, async () => {
  const data = join(await temporaryFolder(), 'served');
  const { running, port } = await serve(data, undefined, 'ulimit -n 400;');
  const client = connect(port);
  let made = 0;
  let refused = '';
  while (refused === '' && made < 300) {
    const acks = client.all('PutURLs', [found('http://a.test/', { crawlID: `id-${made}` })]);
    const [ack] = await acks.catch((error: Error) => [{ status: error.message }]);
    if (ack.status === 'OK') made += 1;
    else refused = ack.status;
  }
  assert.ok(made > 0);
  assert.match(refused, /FAIL|RESOURCE_EXHAUSTED/);
  // Many at once, which none of the looks before has seen.
  const crowd = Array.from({ length: 200 }, (_, n) => found('http://a.test/', { crawlID: `crowd-${n}` }));
  await client.all('PutURLs', crowd).catch(() => {});
  assert.equal(running.child.exitCode, null, running.output());
  const [ack] = await client.all('PutURLs', [found('http://b.test/', { crawlID: 'id-0' })]);
  assert.equal(ack.status, 'OK');
  assert.equal((await client.all('PutURLs', [found('http://c.test/')]))[0].status, 'OK');
  const open = readdirSync(`/proc/${running.child.pid}/fd`).length;
  assert.ok(open < 400 * 0.8, `${open} descriptors`);
  client.close();
  await kill(running, 'SIGTERM');
});

test('operators’ commands reach a served crawl, with delays below a second; a crawl has one sink', async () => {
  const data = join(await temporaryFolder(), 'served');
  const { running, port } = await serve(data);
  const client = connect(port);
  await client.unary('SetDelay', { key: '', delay_requestable: 3_600 });
  const reported = await runCommand(['delay', 'a.com', '250ms', '--data', data]);
  assert.equal(reported.code, 0, reported.stderr);
  await client.all('PutURLs', [
    found('http://a.com/1'),
    found('http://a.com/2'),
    found('http://b.com/1'),
    found('http://b.com/2'),
  ]);
  assert.equal((await client.all('GetURLs', { max_urls_per_queue: 1 })).length, 2);
  await client.all('PutURLs', [known('http://a.com/1'), known('http://b.com/1')]);
  await sleep(250);
  assert.deepEqual(
    (await client.all('GetURLs', {})).map(({ url }) => url),
    ['http://a.com/2'],
  );
  const stats = await runCommand(['stats', '--json', '--data', data]);
  assert.equal(JSON.parse(stats.stdout).pages, 2, stats.stderr);
  client.close();
  await kill(running, 'SIGTERM');
  const crawl = await runCommand(['crawl', 'http://a.com/', '--contact', 'me@a.com', '--data', data]);
  assert.equal(crawl.code, 1);
  assert.match(crawl.stderr, /a crawl cannot do both/);
});

test('urlfrontier refuses unsupported options by name', async () => {
  const folder = await temporaryFolder();
  const half = await runCommand(['urlfrontier', '--data', join(folder, 'a'), '--tls-cert', 'x.pem']);
  assert.equal(half.code, 2);
  assert.match(half.stderr, /--tls-cert without --tls-key/);
  const { running, port } = await serve(join(folder, 'b'));
  const taken = await runCommand(['urlfrontier', '--data', join(folder, 'c'), '--port', `${port}`]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /cannot listen/);
  await kill(running, 'SIGTERM');
  for (const [env, lacks] of [
    [{}, /without a token .*CRAWLSTREAM_GRPC_TOKEN.* and without TLS .*--allow-plain/],
    [{ CRAWLSTREAM_GRPC_TOKEN: 'a-token-of-some-length' }, /without TLS .*--tls-cert/],
  ] as const) {
    const open = ['urlfrontier', '--data', join(folder, 'd'), '--address', '0.0.0.0', '--port', '0'];
    const refused = await runCommand(open, { env: { ...process.env, ...env } });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, lacks);
  }
  const known = await serve(join(folder, 'd'), ['--address', '0.0.0.0', '--allow-plain']);
  assert.match(known.running.output(), /anyone who reaches 0\.0\.0\.0 can call it without a token/);
  await kill(known.running, 'SIGTERM');
  const help = await runCommand(['urlfrontier', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /Example:/);
});
