/** The policy of a crawl that runs in another process: set, seen, restarted with, read anew, rolled back. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

interface Version {
  readonly version: number;
  readonly by: string;
  readonly partitions: readonly number[];
}

interface Explained {
  readonly filter: { readonly policyVersion: number };
  readonly asOf: { readonly policyVersion: number };
  readonly seen: readonly { readonly policyVersion: number; readonly from: { readonly page: string } | null }[];
  readonly queue: unknown;
  readonly outcomes: readonly { readonly httpStatus: number }[];
}

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('a policy set in mid-crawl applies on all partitions, over a restart, and can be rolled back', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 30, domains: 6, linksPerPage: 8 });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const args = [...web.crawlArguments, ...data, '--partitions', '3', '--json'];
  const history = async () =>
    (await run('policy', 'history', ...data, '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Version);

  const crawl = startCommand([...args, '--delay', '500ms']);
  while (web.web.requests().length < 20) {
    assert.equal(crawl.child.exitCode, null, `ended too early: ${crawl.output()}`);
    await sleep(50);
  }
  const policy = JSON.parse(await run('policy', 'show', ...data)) as Record<string, unknown>;
  const list = join(folder, 'deny.txt');
  await writeFile(list, 'nobody.test\n');
  const lists = [{ name: 'deny', kind: 'hosts', verdict: 'deny', path: 'deny.txt' }];
  const file = join(folder, 'policy.json');
  const filters = policy['filters'] as object;
  await writeFile(file, JSON.stringify({ ...policy, maxDepth: 1, filters: { ...filters, lists } }));
  const set = JSON.parse(await run('policy', 'set', file, ...data, '--by', 'test', '--json')) as Version;
  const { code, stdout, stderr } = await crawl.ended;
  assert.equal(code, 0, stderr);
  const first = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, number>;
  assert.ok(first['tooDeep']! > 0, 'the new depth decides');
  const inForce = (await history()).at(-1)!;
  assert.deepEqual([inForce.version, inForce.by, inForce.partitions], [set.version, 'test', [0, 1, 2]]);

  const explained = JSON.parse(await run('explain', web.seeds[0]!, ...data, '--json')) as Explained;
  assert.equal(explained.filter.policyVersion, set.version);
  assert.equal(explained.asOf.policyVersion, set.version);
  assert.equal(explained.seen[0]?.policyVersion, policy['version'], 'each decision keeps the version it was made with');
  assert.deepEqual([explained.seen[0]?.from?.page, explained.queue], ['', { in: 'end', status: 'page' }]);
  assert.equal(explained.outcomes.at(-1)?.httpStatus, 200);
  assert.match(await run('explain', 'http://nobody.test/', ...data), /refused by deny: nobody.test/);

  // The same command goes on with the policy in force, though the list's file has changed since.
  await writeFile(list, 'somebody.test\n');
  await run(...args, '--delay', '500ms');
  assert.equal((await history()).at(-1)!.version, set.version);
  const reloaded = JSON.parse(await run('policy', 'reload', ...data, '--json')) as Version;
  assert.ok(reloaded.version > set.version);
  assert.match(await run('policy', 'reload', ...data), /no list has changed/);
  const original = (await history())[0]!.version;
  await run('policy', 'rollback', String(original), ...data);
  const again = lastJson({ ...(await runCommand([...args, '--delay', '500ms'])) });
  assert.equal(again['end'], 'done');
  const last = (await history()).at(-1)!;
  assert.match(last.by, new RegExp(`back to ${original}`));
  assert.deepEqual(last.partitions, [0, 1, 2]);
  const shown = JSON.parse(await run('policy', 'show', ...data)) as Record<string, unknown>;
  assert.deepEqual({ ...shown, version: 0 }, { ...policy, version: 0 });
  assert.equal(await readFile(list, 'utf8'), 'somebody.test\n');
});

test('policy fields in YAML change only themselves, also nested ones, and the changes are printed', async () => {
  const web = await startSmallWeb({ hosts: 1, pagesPerHost: 2, domains: 1 });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  await run(...web.crawlArguments, ...data, '--delay', '0', '--exclude', 'never');
  const file = join(folder, 'change.yaml');
  await writeFile(file, 'delayMs: 2000\nfilters:\n  hostsDenied: [bad.test]\n');
  const reported = await run('policy', 'set', file, ...data);
  assert.match(reported, /^ {2}delayMs 0 → 2000$/m);
  assert.match(reported, /^ {2}filters\.hostsDenied \[\] → \["bad\.test"\]$/m);
  const { delayMs, delayFactor, filters } = JSON.parse(await run('policy', 'show', ...data));
  assert.deepEqual([delayMs, delayFactor, filters.exclude, filters.hostsDenied], [2000, 0, ['never'], ['bad.test']]);
});

test('an impossible policy is refused before it is sent, with the field and the remedy', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'policy.json');
  for (const [text, says] of [
    ['{', /policy set .*policy\.json: /],
    ['{"maxDepht":1}', /policy\.maxDepht: .*policy show prints all fields/],
  ] as const) {
    await writeFile(file, text);
    const { code, stderr } = await runCommand(['policy', 'set', file, '--data', folder]);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
});
