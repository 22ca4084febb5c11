import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

test('lists of domains with numbers load by hash, apply on every partition, and follow their file', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 3, domains: 1 });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const crawl = [...web.crawlArguments, ...data, '--delay', '0', '--json'];
  assert.equal(lastJson(await runCommand(crawl))['end'], 'done');
  const shown = await runCommand(['policy', 'show', ...data, '--json']);
  const top = join(folder, 'top.csv');
  await writeFile(top, '1,example.org\n');
  const score = { ...defaultScore, lists: [{ name: 'top', kind: 'traffic', path: 'top.csv' }] };
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ ...lastJson(shown), score }));
  const set = lastJson(await runCommand(['policy', 'set', file, ...data, '--json']));
  const following = startCommand(['policy', 'reload', '--every', '1s', ...data]);
  while (!following.output().includes('no list has changed')) {
    assert.equal(following.child.exitCode, null, following.output());
    await sleep(50);
  }
  await writeFile(top, '1,example.com\n2,example.org\n');
  while (!following.output().includes('is accepted')) {
    assert.equal(following.child.exitCode, null, following.output());
    await sleep(50);
  }
  following.child.kill('SIGINT');
  assert.equal((await following.ended).code, 0);
  await runCommand(crawl);
  const last = lastJson(await runCommand(['policy', 'history', ...data, '--json']));
  assert.ok((last['version'] as number) > (set['version'] as number));
  assert.ok((last['partitions'] as number[]).length > 0, 'the frontier has found the list, and decides by it');
});
