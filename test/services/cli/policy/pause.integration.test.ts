import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, type Running, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

/** Resolves once nothing has been requested for so long. */
async function untilQuiet(running: Running, requests: () => number, ms: number): Promise<number> {
  for (let before = -1; ; ) {
    assert.equal(running.child.exitCode, null, running.output());
    const now = requests();
    if (now === before) return now;
    before = now;
    await sleep(ms);
  }
}

test('a paused crawl ends its leases and fetches nothing, also after a restart, and resume completes it', async () => {
  const small = await startSmallWeb({ hosts: 24, pagesPerHost: 4, domains: 24 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--concurrency', '2', '--data', data, '--json'];
  const requests = () => small.web.requests().length;
  const report = async (...words: string[]) => {
    const ended = await runCommand([...words, '--data', data, '--json']);
    assert.equal(ended.code, 0, ended.stderr);
    return lastJson(ended);
  };
  // So slow that the pause comes in its middle, however busy the machine.
  const slowly = [...args, '--delay', '1000ms'];
  const first = startCommand(slowly);
  while (requests() < 4) await sleep(20);
  assert.ok((await report('pause'))['version']);
  assert.deepEqual(await report('pause'), { paused: true, changed: false });
  const atRest = await untilQuiet(first, requests, 2_500);
  assert.ok(atRest < 96, 'some of the crawl is left');
  assert.equal((await report('stats'))['leased'], 0);
  assert.equal((await report('stats'))['paused'], true);
  first.child.kill('SIGKILL');
  await first.ended;

  const second = startCommand(slowly);
  assert.equal(await untilQuiet(second, requests, 2_000), atRest, 'a restart is no resume');
  await report('resume');
  while (requests() === atRest) await sleep(50);
  second.child.kill('SIGKILL');
  await second.ended;
  const ended = await runCommand([...args, '--delay', '0']);
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(lastJson(ended)['pages'], 96);
});

test('a bandwidth limit holds a crawl to its bytes per second, and removing it releases the crawl', async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 8, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--delay', '0', '--data', data, '--json'];
  await runCommand([...args, '--max-pages', '1']);
  const set = await runCommand(['bandwidth', '40k', '--data', data, '--json']);
  assert.equal(set.code, 0, set.stderr);
  assert.match(
    (await runCommand(['bandwidth', 'fast', '--data', data])).stderr,
    /bandwidth "fast": give bytes per second/,
  );
  // The same options as the policy was made of: an operator's word since then stays.
  const running = startCommand([...args, '--max-pages', '1']);
  await running.ended;
  const policy = lastJson(await runCommand(['policy', 'show', '--data', data, '--json']));
  assert.equal(policy['bytesPerSecond'], 40_000);
  const rate = 100_000;
  const file = join(temporaryFolder(), 'policy.json');
  const { version: _, ...endless } = { ...policy, pageQuota: null, bytesPerSecond: rate } as Record<string, unknown>;
  await writeFile(file, JSON.stringify(endless));
  assert.equal((await runCommand(['policy', 'set', file, '--data', data])).code, 0);
  const before = small.web.requests().length;
  const capped = lastJson(await runCommand([...args, '--max-pages', '1'])) as Record<string, number>;
  const received = small.web
    .requests()
    .slice(before)
    .reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(received > 2 * rate, `${received} bytes tell nothing`);
  // Over real sockets: what a second allows at once may come at the beginning, and the last response may run over.
  assert.ok(received < rate * (capped['seconds']! + 1.5), `${received} bytes in ${capped['seconds']} s`);
  const free = await runCommand(['bandwidth', 'none', '--data', data, '--json']);
  assert.equal(free.code, 0, free.stderr);
  assert.equal(lastJson(await runCommand(['policy', 'show', '--data', data, '--json']))['bytesPerSecond'], undefined);
});
