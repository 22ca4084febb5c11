/** What is long goes through a pager on a terminal, and nowhere else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../../lab/process/command.ts';
import { pagerOf } from '../../../../services/cli/terminal/pager.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

const data = join(temporaryFolder(), 'data');
const main = fileURLToPath(new URL('../../../../dist/bundle/crawlstream.js', import.meta.url));
const python = spawnSync('python3', ['-c', 'import pty']).status === 0;

before(async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 6, domains: 1 });
  const ended = await runCommand([...small.crawlArguments, '--delay', '0', '--data', data]);
  assert.equal(ended.code, 0, ended.stderr);
});

/** On a terminal: python's pty, as nothing else makes one everywhere. */
function onTerminal(args: readonly string[], pager: string) {
  const spawn = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  const argv = ['-c', spawn, process.execPath, main, ...args];
  const ended = spawnSync('python3', argv, { encoding: 'utf8', input: '', env: { ...process.env, PAGER: pager } });
  return { code: ended.status, lines: ended.stdout.split(/\r?\n/).filter((line) => line !== '') };
}

test('the pager is $PAGER, else less if installed, and none if PAGER is cat or empty', () => {
  assert.equal(pagerOf({ PAGER: 'most -s' }), 'most -s');
  assert.equal(pagerOf({ PAGER: '', PATH: process.env['PATH'] }), undefined);
  assert.equal(pagerOf({ PAGER: 'cat', PATH: process.env['PATH'] }), undefined);
  assert.equal(pagerOf({ PATH: '/nowhere' }), undefined);
});

test('pages uses the pager on a terminal, unless --no-pager; leaving it early is no error', {
  skip: !python && 'no python3 to make a terminal with',
}, async () => {
  const through = onTerminal(['pages', '--data', data], "sed 's/^/paged: /'");
  assert.equal(through.code, 0, through.lines.join('\n'));
  assert.equal(through.lines.filter((line) => line.startsWith('paged: ')).length, 6);
  const plain = onTerminal(['pages', '--no-pager', '--data', data], "sed 's/^/paged: /'");
  assert.equal(plain.lines.length, 6);
  assert.ok(plain.lines.every((line) => !line.startsWith('paged: ')));
  const left = onTerminal(['pages', '--data', data], 'head -n 1');
  assert.deepEqual([left.code, left.lines.length], [0, 1], left.lines.join('\n'));
  const piped = await runCommand(['pages', '--data', data], { env: { ...process.env, PAGER: 'false' } });
  assert.equal(piped.code, 0, piped.stderr);
  assert.equal(piped.stdout.trimEnd().split('\n').length, 6, 'a pipe is no terminal');
});
