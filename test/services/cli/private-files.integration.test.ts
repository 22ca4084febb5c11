/** What a crawl and a fleet write is for their own user alone, unless the operator says otherwise. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../lab/process/command.ts';
import { startFleet } from '../extras/fleet/running-fleet.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { startSmallWeb } from './small-web.ts';

/** Paths below a folder, itself among them, that the group or others may do anything with. */
function openPaths(folder: string, mask: number): string[] {
  const paths = [folder, ...(readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name))];
  return paths.filter((path) => (statSync(path).mode & mask) !== 0);
}

test('other users of the machine cannot read files of crawls, dumps, exports, snapshots and fleets', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 3, domains: 1 });
  const home = join(temporaryFolder(), 'new');
  const data = ['--data', join(home, 'crawl')];
  const contact = ['--contact', 'me@example.org'];
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommand(args);
    assert.equal(code, 0, stderr);
  };
  await run(...web.crawlArguments, ...data, ...contact, '--delay', '0', '--with', 'archive');
  await run('dump', join(home, 'crawl.dump'), ...data);
  await run('export', 'pages', '--out', join(home, 'pages.jsonl'), ...data);
  const fleet = await startFleet(join(home, 'fleet'), [
    ...['--resolve', `*.test:${web.port}:127.0.0.1`, '--host-delay', '10ms', ...contact],
  ]);
  after(() => fleet.running.child.kill('SIGKILL'));
  await fleet.create({ seeds: [...web.seeds], name: 'one' });
  await fleet.until('the crawl has ended', (crawls) => crawls.every(({ state }) => state === 'ended'));
  assert.deepEqual(openPaths(home, 0o077), []);
});

test('CRAWLSTREAM_UMASK lets others read, and an invalid value is refused', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 1, domains: 1 });
  const home = join(temporaryFolder(), 'new');
  const args = [...web.crawlArguments, '--data', join(home, 'crawl'), '--contact', 'me@example.org', '--delay', '0'];
  const env = { ...process.env, CRAWLSTREAM_UMASK: '022' };
  assert.equal((await runCommand(args, { env })).code, 0);
  const pages = join(home, 'pages.jsonl');
  assert.equal((await runCommand(['export', 'pages', '--out', pages, '--data', join(home, 'crawl')], { env })).code, 0);
  assert.equal(statSync(pages).mode & 0o777, 0o644);
  const refused = await runCommand(args, { env: { ...process.env, CRAWLSTREAM_UMASK: '9' } });
  assert.deepEqual([refused.code, /CRAWLSTREAM_UMASK=9: give/.test(refused.stderr)], [2, true]);
});
