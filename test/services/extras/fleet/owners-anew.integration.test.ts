/** The file of owners while a fleet runs: a key that is replaced opens nothing from then on, and a mistake in it changes nothing. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { startFleet } from './running-fleet.ts';

const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;

test('keys and quotas of owners follow their file without a restart', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 20 });
  const folder = temporaryFolder();
  const place = (name: string) => join(folder, name);
  const write = (owner: string, key: string) => writeFileSync(place(owner), `${key}\n`);
  const line = (owner: string, more = '') => `- { name: ${owner}, key: { file: ${place(owner)} }${more} }\n`;
  for (const owner of ['ann', 'bob', 'dan']) write(owner, keyOf(owner));
  const owners = place('owners.yaml');
  writeFileSync(owners, line('ann') + line('bob'));
  const flags = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--contact', 'me@example.org', '--owners', owners];
  const fleet = await startFleet(place('fleet'), flags, {
    env: { ...process.env, CRAWLSTREAM_HTTP_TOKEN: 'o'.repeat(20) },
  });
  after(() => fleet.running.child.kill('SIGKILL'));
  const call = (key: string, method: string, path: string, body?: object) =>
    fleet.call(method, path, body, { authorization: `Bearer ${key}` });
  const crawlsOf = async (key: string) => {
    const { status, body } = await call(key, 'GET', '/v1/crawls');
    return status === 200
      ? (body as { readonly crawls: readonly { readonly name: string }[] }).crawls.map(({ name }) => name)
      : status;
  };
  const policy = { delayMs: 60_000 };
  const made = await call(keyOf('ann'), 'POST', '/v1/crawls', { seeds: small.seeds, name: 'ann-1', policy });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const listens = await fetch(`${fleet.base}/v1/crawls/ann-1/events`, {
    headers: { authorization: `Bearer ${keyOf('ann')}` },
  });
  assert.equal(listens.status, 200);

  // A mistake: what was in force stays so.
  writeFileSync(owners, `${line('ann')}- { name: bob, key: secret }\n`);
  await until(() => fleet.running.output().includes('[1].key'));
  assert.match(
    fleet.running.output(),
    /--owners .*owners\.yaml: \[1\]\.key: .*as a reference.*: the previous owners stay in force/,
  );
  assert.deepEqual([await crawlsOf(keyOf('ann')), await crawlsOf(keyOf('bob'))], [['ann-1'], []]);

  // Another key of ann's, no bob, and a dan who may have nothing.
  write('ann', keyOf('anew'));
  writeFileSync(owners, line('ann') + line('dan', ', crawlsMax: 1, weightMax: 0.5'));
  await untilSlowly(async () => (await crawlsOf(keyOf('ann'))) === 401);
  assert.deepEqual(
    [await crawlsOf(keyOf('anew')), await crawlsOf(keyOf('bob')), await crawlsOf(keyOf('dan'))],
    [['ann-1'], 401, []],
  );
  const heavy = await call(keyOf('dan'), 'POST', '/v1/crawls', { seeds: small.seeds, policy });
  assert.match(JSON.stringify(heavy.body), /weight: the running crawls of dan may have at most 0\.5/);
  await listens.text(); // Ends, as its key opens nothing any more.

  // A key alone that is replaced, as a mounted secret is.
  write('dan', keyOf('dan-anew'));
  await untilSlowly(async () => (await crawlsOf(keyOf('dan-anew'))) !== 401);
  assert.equal(await crawlsOf(keyOf('dan')), 401);
  for (const key of ['ann', 'anew', 'bob', 'dan', 'dan-anew']) assert.ok(!fleet.running.output().includes(keyOf(key)));
});

/** Asks five times a second: each call counts against the owner's calls per minute. */
function untilSlowly(holds: () => Promise<boolean>): Promise<void> {
  return until(async () => (await holds()) || sleep(200, false));
}
