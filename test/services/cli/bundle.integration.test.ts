/** What is built for a start: few files, which find their workers, their assets and each other. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

type KeptCode = typeof import('../../../services/cli/kept-code.ts');
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A loader's hook that counts the product's own modules, and prints how many at the end. */
const counting = `
import { register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';
const { port1, port2 } = new MessageChannel();
const urls = new Set();
port1.on('message', (url) => urls.add(url));
port1.unref();
const hook = 'let port; export const initialize = (given) => { port = given; };' +
  'export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };';
register('data:text/javascript,' + encodeURIComponent(hook), { data: port2, transferList: [port2] });
process.on('exit', () => console.error('modules ' + [...urls].filter((url) => /\\/dist\\//.test(url)).length));
`;

test('starting the command loads few modules of the product', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'count.mjs'), counting);
  const words = ['--import', join(folder, 'count.mjs'), join(root, 'dist/bundle/crawlstream.js'), 'topics', '--help'];
  const { stderr } = await promisify(execFile)(process.execPath, words);
  const modules = Number(/modules (\d+)/.exec(stderr)?.[1]);
  assert.ok(modules > 0 && modules < 120, stderr);
});

test('the entries of the package share their classes', async () => {
  const entry = (name: string) => import(join(root, 'dist/bundle', name));
  const [library, consumer] = await Promise.all([entry('library.js'), entry('consumer.js')]);
  assert.equal(typeof library.CrawlstreamError, 'function');
  assert.equal(library.CrawlstreamError, consumer.CrawlstreamError);
});

test('the built command takes the code that was kept of it', async () => {
  const { loadScript } = (await import(join(root, 'dist/services/cli/kept-code.js'))) as KeptCode;
  const { fromKept, exports } = loadScript(join(root, 'dist/bundle/crawlstream.cjs'));
  assert.equal(fromKept, true);
  assert.equal(typeof (exports as { run: unknown }).run, 'function');
});

test('an error of the package that a plugin throws is one line of the command, and no bug of it', async () => {
  const folder = temporaryFolder();
  const plugin = join(folder, 'titles.mjs');
  const consumer = pathToFileURL(join(root, 'dist/bundle/consumer.js')).href;
  writeFileSync(
    plugin,
    `import { CrawlstreamError } from ${JSON.stringify(consumer)};
    const open = () => { throw new CrawlstreamError('INVALID_ARGUMENT', 'titles need a list: give --set titles.list=FILE'); };
    export default { name: 'titles', processors: [{ name: 'titles', does: 'lists titles', open }] };`,
  );
  const words = [
    'crawl',
    'http://127.0.0.1:18998/',
    '--allow-private',
    '--contact',
    'me@example.org',
    '--plugin',
    plugin,
  ];
  const command = join(root, 'dist/bundle/crawlstream.js');
  const ended = await promisify(execFile)(process.execPath, [command, ...words, '--data', join(folder, 'data')]).then(
    () => assert.fail('it ended well'),
    (error: { code: number; stderr: string }) => error,
  );
  assert.match(ended.stderr, /^crawlstream: .*titles need a list: give --set titles\.list=FILE$/m);
  assert.doesNotMatch(ended.stderr, /Warning|a bug|\n +at /);
  assert.equal(ended.code, 2);
});
