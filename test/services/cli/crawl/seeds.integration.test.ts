/** Seeds as people type them: hosts without a scheme, hosts with a port, files. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { printedPages, startSmallWeb } from '../small-web.ts';

test('a host with a port and no scheme is tried with https, then http, and that is reported; a resume does not ask again', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 3, domains: 1 });
  const { host } = new URL(small.seeds[0]!);
  const cwd = temporaryFolder();
  const typed = ['crawl', host, '--resolve', `*.test:${small.port}:127.0.0.1`, '--delay', '0', '--json'];
  const first = await runCommand([...typed, '--max-pages', '1'], { cwd });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, new RegExp(`${host} has no https \\(\\S+\\): crawling ${small.seeds[0]}`));
  assert.equal(lastJson(first)['pages'], 1);
  const second = await runCommand([...typed, '--max-pages', '3'], { cwd });
  assert.equal(lastJson(second)['pages'], 3, second.stderr);
  assert.doesNotMatch(second.stderr, /has no https/);
});

test('a file of seeds is crawled with its priorities; a missing file is not taken for a host', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 3, domains: 2 });
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'seeds.txt'), `# two\n${small.seeds[0]} priority=3\n${small.seeds[1]}\n`);
  const rest = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--delay', '0'];
  const ended = await runCommand(['crawl', 'seeds.txt', '--data', 'data', ...rest], { cwd });
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal((await printedPages(join(cwd, 'data'))).length, 6);
  const missing = await runCommand(['crawl', 'seedz.txt', ...rest], { cwd });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /"seedz\.txt": there is no such file; if it is a host, write http:\/\/seedz\.txt\//);
  assert.equal(existsSync(join(cwd, 'crawl-data')), false);
});
