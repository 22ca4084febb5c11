/** `stats` says of a data folder whether a process runs it: of a crawl and of a served frontier, stopped or killed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

async function statsOf(data: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['stats', '--data', data]);
  assert.equal(code, 0, stderr);
  return stdout;
}

test('stats of a stopped crawl names the command that continues it, and stats of a running one does not', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 30, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const running = startCommand([...small.crawlArguments, '--delay', '1s', '--data', data]);
  while (!/\d+ pages/.test(running.output())) await sleep(50);
  assert.doesNotMatch(await statsOf(data), /no process runs it/);
  running.child.kill('SIGKILL');
  await running.ended;
  // Its last sign of life is not old yet.
  assert.match(
    await statsOf(data),
    new RegExp(`^ {2}no process runs it; to continue: node \\S+ crawl --data ${data}$`, 'm'),
  );
});

test('stats of a folder that urlfrontier served names urlfrontier once nobody serves it, and not before', async () => {
  const data = join(temporaryFolder(), 'served');
  const running = startCommand(['urlfrontier', '--port', '0', '--data', data]);
  while (!/serving crawl/.test(running.output())) await sleep(50);
  assert.doesNotMatch(await statsOf(data), /no process runs it/);
  running.child.kill('SIGTERM');
  await running.ended;
  const says = new RegExp(`^ {2}no process runs it; to continue: node \\S+ urlfrontier --data ${data}$`, 'm');
  assert.match(await statsOf(data), says);
});
