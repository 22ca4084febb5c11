/** The image: built, asked for its version, and a whole crawl in one container that may do next to nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine, output, root, show, timed } from './engine.ts';

const image = 'crawlstream';
/** As the manifests run it, with memory and without a network. */
const hardened = [
  ...['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--tmpfs', '/tmp'],
  ...['--network', 'none'],
];

export async function buildImage(): Promise<string> {
  const { seconds } = await timed(() => show(engine(), ['build', '-f', 'deploy/Dockerfile', '-t', image, '.']));
  const bytes = Number(await output(engine(), ['image', 'inspect', '--format', '{{.Size}}', image]));
  return `${Math.round(bytes / 1e6)} MB, built in ${seconds} s`;
}

export async function startUp(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { value, seconds } = await timed(() => output(engine(), [...hardened, '--memory', '1g', image, '--version']));
  assert.equal(value.trim(), version);
  return `--version after ${seconds} s`;
}

/** The crawl of `npm start`, over the web that comes with it, which says what it makes of its visitor. */
export async function hardenedCrawl(): Promise<string> {
  const { value, seconds } = await timed(() =>
    output(engine(), [
      ...[...hardened, '--memory', '1g', '--entrypoint', 'node', image],
      ...['dist/lab/start/start.js', '--hosts', '12', '--pages', '12'],
    ]),
  );
  assert.match(value, /Every allowed page was fetched once, and politely\./, value);
  const pages = /pages fetched +(\d+)/.exec(value)?.[1];
  return `${pages} pages, each once, nobody disturbed, in ${seconds} s`;
}

/** What V8 may take of 512 MiB, for a role without a store and for a frontier. */
export async function heaps(): Promise<string> {
  const program = 'console.log(Math.round(require("node:v8").getHeapStatistics().heap_size_limit / 2 ** 20))';
  const plain = await output(engine(), [
    ...[...hardened, '--memory', '512m', '--entrypoint', 'node', image, '-e', program],
  ]);
  // The command is replaced by itself with a heap that fits, and says of itself how it was started.
  const fitted = await output(engine(), [
    ...[...hardened, '--memory', '512m', '--entrypoint', 'sh', image, '-c'],
    'node dist/bundle/crawlstream.js crawl https://example.org --contact a@example.org --data /tmp/d & P=$!; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do sleep 1; if tr "\\0" " " < /proc/$P/cmdline | grep -q old-space; then break; fi; done; tr "\\0" " " < /proc/$P/cmdline; kill $P',
  ]);
  const size = Number(/--max-old-space-size=(\d+)/.exec(fitted)?.[1]);
  assert.ok(size >= 128 && size < 256, `a crawl in 512 MiB: ${fitted}`);
  return `of 512 MiB V8 by itself takes ${plain.trim()}, a crawl's heap is ${size}`;
}
