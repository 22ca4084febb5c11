/** Each program of docs/library.md is compiled and runs as it is written, against a site of our own in the place of example.org. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { serveSite } from '../services/fetcher/loopback.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { root } from './written-commands.ts';

const run = promisify(execFile);
const programs = [...readFileSync(join(root, 'docs/library.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
const prints = [
  /^http:\/\/127\.0\.0\.1:\d+\/ Home 2\n(?:\S+ Page 0\n){2}3 pages\n$/,
  /^(?:http:\/\/127\.0\.0\.1:\d+\/\S*\n){5}$/,
  /^(?:HOME\n|PAGE\n){3}$/,
  /^0 \S+\/\n1 \S+\/x\n2 \S+\/xx\n3 pages\n$/,
  /^new \S+\/a\?session=1\nnew \S+\/b\nnew \S+\/private\/c\n$/,
  /^\S+ ended 3 pages\n\S+ ended 1 pages\n$/,
];

test('the programs on the library’s page compile and work as described', { timeout: 600_000 }, async (t) => {
  assert.equal(programs.length, prints.length);
  const { port } = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.statusCode = 404;
    response.setHeader('content-type', 'text/html');
    const title = `<title>${request.url === '/' ? 'Home' : 'Page'}</title>`;
    const links = '<a href="/a?session=1">a</a> <a href="/b">b</a> <a href="/private/c">c</a>';
    response.end(
      request.url === '/' ? title + links.slice(0, request.headers['accept-language'] ? undefined : -31) : title,
    );
  });
  const folder = temporaryFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/crawlstream'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const files: string[] = [];
  for (const [at, [, text]] of programs.entries()) {
    const local = text!
      .replaceAll('https://example.org', `http://127.0.0.1:${port}`)
      .replace('  userAgent:', '  allowPrivate: true,\n  userAgent:')
      .replace('hostFleet({ ', 'hostFleet({ allowPrivate: true, hostDelayMs: 0, ');
    await writeFile(join(folder, `program-${at}.ts`), local);
    files.push(`program-${at}.ts`);
  }
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', ...types, '--skipLibCheck'];
  await run(process.execPath, [tsc, ...options, ...files], { cwd: folder });
  for (const [at, expected] of prints.entries()) {
    const { stdout } = await run(process.execPath, [`program-${at}.js`], { cwd: folder });
    assert.match(stdout, expected);
  }
});
