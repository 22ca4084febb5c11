import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { searchFolder } from '../../../services/extras/index/sqlite-index.ts';
import { temporaryFolder } from '../../services/runtime/store/temporary-folder.ts';

const script = fileURLToPath(new URL('../../../lab/start/start.ts', import.meta.url));

function start(...args: string[]) {
  // The data folder of the show goes where temporary files go.
  const env = { ...process.env, TMPDIR: temporaryFolder() };
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  return { child, output: () => output, ended: once(child, 'close') as Promise<[number | null, string | null]> };
}

/** Is anything still listening where the show's web was? */
async function isUp(output: string): Promise<boolean> {
  const port = /127\.0\.0\.1:(\d+)/.exec(output)![1];
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

test('npm start crawls its own web, prints its verdict and what to try next, and leaves nothing behind', async () => {
  const show = start('--hosts', '9', '--pages', '4');
  const [code] = await show.ended;
  assert.equal(code, 0, show.output());
  assert.match(show.output(), /The crawl is done[\s\S]*Every allowed page was fetched once/);
  const [, expected, fetched] = /pages that may be fetched +(\d+)\n +pages fetched +(\d+)\n/.exec(show.output())!;
  assert.ok(Number(expected) >= 30);
  assert.equal(fetched, expected);
  const [, data] = /search "quiet harbor" --data (\S+)/.exec(show.output())!;
  const found = searchFolder(join(data!, 'index'), 'quiet harbor', { limit: 1_000 });
  assert.ok(found.length > 0 && found.length <= Number(fetched));
  assert.match(found[0]!.snippet, /\[(quiet|harbor)\]/i);
  assert.match(show.output(), /npm start -- https:\/\/example.org --max-pages 100 --contact me@example.org/);
  assert.equal(await isUp(show.output()), false);
});

test('npm start shows its crawl in a dashboard, can be interrupted, and ends its web too', async () => {
  const show = start('--hosts', '8', '--pages', '80');
  // The first line of progress: before the crawl has begun, the signal just ends the process.
  while (!show.output().includes('pages/s')) await sleep(20);
  const [, dashboard] = /see it at (http:\S+)/.exec(show.output())!;
  assert.match(await (await fetch(dashboard!)).text(), /<title>Crawlstream<\/title>/);
  show.child.kill('SIGINT');
  assert.deepEqual(await show.ended, [130, null], show.output());
  assert.match(show.output(), /stopping: finishing requests under way/);
  assert.equal(await isUp(show.output()), false);
});

test('npm start hands other arguments to crawlstream crawl', async () => {
  const show = start('https://example.org', '--max-pages', '100');
  assert.deepEqual(await show.ended, [2, null]);
  assert.match(show.output(), /^crawlstream: --contact is missing/);
});

test('a bad size is named', async () => {
  const show = start('--hosts', 'many');
  assert.deepEqual(await show.ended, [2, null]);
  assert.match(show.output(), /^--hosts many: give a whole number from 2 to 10000\n$/);
});
