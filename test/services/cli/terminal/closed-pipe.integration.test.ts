/** A reader that goes away, as head does, ends a command quietly: a crawl drains first, and the same command goes on. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { assertFlawless, startSmallWeb } from '../small-web.ts';

test('a crawl whose output reader leaves drains, ends silently, and continues at the next start', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 60, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawl = [...small.crawlArguments, '--data', data];
  // The shell tells of the crawl's own code and errors; the pipe's reader takes one line.
  const shellPrefix = 'f() { "$@" 2>&1; echo "code $?" >&3; }; f "$@" 3>&2 | head -n 1; exit;';
  const cut = await runCommand([...crawl, '--delay', '300ms'], { shellPrefix });
  assert.equal(cut.stdout.trimEnd().split('\n').length, 1, cut.stdout);
  assert.equal(cut.stderr, 'code 130\n');
  const rest = await runCommand([...crawl, '--delay', '0', '--json']);
  assert.equal(rest.code, 0, rest.stderr);
  assertFlawless(small.check({ delayMs: 0 }));
});

test('a list whose reader leaves ends well, on either stream', async () => {
  for (const into of ['', '2>&1']) {
    const shellPrefix = `f() { "$@" ${into}; echo "code $?" >&3; }; f "$@" 3>&2 | true; exit;`;
    const { stderr } = await runCommand(['config', 'init', '-'], { shellPrefix });
    assert.equal(stderr, 'code 0\n');
  }
});

test('an unwritable output is reported in a line, with code 1', {
  skip: !existsSync('/dev/full') && 'no /dev/full',
}, async () => {
  const { code, stderr } = await runCommand(['config', 'init', '-'], { shellPrefix: 'exec > /dev/full;' });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^crawlstream: the output can't be written: ENOSPC: .*: free some disk space, or redirect it\n$/,
  );
});
