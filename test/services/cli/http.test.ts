import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { type CommandOptions, type Running, runCommand, startCommand } from './command.ts';
import { startSmallWeb } from './small-web.ts';

/** The address a service says it listens on. */
async function listening(running: Running): Promise<string> {
  for (;;) {
    const url = /listening on (http:\/\/\S+)/.exec(running.output())?.[1];
    if (url !== undefined) return url;
    assert.equal(running.child.exitCode, null, running.output());
    await sleep(20);
  }
}

test('a crawl with --http is alive, becomes ready, tells its metrics, and ends as without', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 20, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand([...small.crawlArguments, '--delay', '100', '--data', data, '--http', '0']);
  const url = await listening(crawl);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(20);
  const text = await (await fetch(`${url}/metrics`)).text();
  assert.match(text, /^crawlstream_ready 1$/m);
  assert.match(text, /^crawlstream_info\{version="[^"]+",role="crawl"\} 1$/m);
  assert.match(text, /^process_cpu_seconds_total /m);
  const ended = await crawl.ended;
  assert.equal(ended.code, 0, ended.stderr);
});

test('a bad address, a port in use and a token that can be guessed are refused before anything is made', async () => {
  const cwd = temporaryFolder();
  const seed = 'http://127.0.0.1:8/';
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const refused = async (http: string, says: RegExp, options: CommandOptions = {}) => {
    const ended = await runCommand(['crawl', seed, '--http', http], { cwd, ...options });
    assert.match(ended.stderr, says);
    assert.equal(ended.code, 2);
  };
  await refused('here', /^crawlstream: --http "here": give host:port, as in 127.0.0.1:9464/);
  await refused(`${port}`, /^crawlstream: cannot listen on 127.0.0.1:\d+ .*: choose another --http$/m);
  const env = { ...process.env, CRAWLSTREAM_HTTP_TOKEN: 'short' };
  await refused('0', /^crawlstream: CRAWLSTREAM_HTTP_TOKEN is too short.*at least 16 characters/, { env });
  taken.close();
  assert.deepEqual(readdirSync(cwd), []);
});
