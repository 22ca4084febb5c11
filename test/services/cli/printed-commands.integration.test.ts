/** Mistakes at the command line are answered with what to type, and commands that are printed run as they stand. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

test('options and values of other tools are answered with the option that is meant', async () => {
  const answers: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['crawl', 'http://a.test/', '--depth', '2'], /did you mean --max-depth\?/],
    [['export', 'pages', '-o', 'x.csv'], /did you mean --out\?/],
    [['crawl', 'http://a.test/', '--max-pages', 'all'], /give a whole number from 1, or none/],
  ];
  for (const [args, says] of answers) {
    const { code, stderr } = await runCommand(args);
    assert.match(stderr, says);
    assert.notEqual(code, 0);
  }
});

test('commands that a crawl prints run as they stand, also for a folder with a space; another --crawl is refused', async () => {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'text/html');
    if (url === '/gone' || url === '/robots.txt') response.writeHead(404).end();
    else response.end('<a href="/gone">x</a>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const data = join(temporaryFolder(), 'my data');
  // 10kb: in small letters, as people type it.
  const crawl = ['crawl', origin, '--allow-private', '--delay', '0', '--data', data, '--max-bytes', '10kb'];
  const { code, stdout, stderr } = await runCommand(crawl);
  assert.equal(code, 0, stderr);
  const printed = [...stdout.matchAll(/^ {2}(?:pages|failed|why): +(.*)$/gm)].map(([, command]) => command!);
  assert.equal(printed.length, 3, stdout);
  for (const command of printed) execFileSync('sh', ['-c', command], { stdio: 'pipe' });
  const other = await runCommand(['stats', '--data', data, '--crawl', 'nope']);
  assert.match(other.stderr, /holds the crawl crawl, not nope: leave out --crawl/);
  assert.equal(other.code, 2);
});
