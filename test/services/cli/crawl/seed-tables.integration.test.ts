/** Seeds from tables: each counts as the depth that is said of it, and its priority is the front queue it waits in. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

test('a crawl takes seeds from CSV, JSON lines and lists, with priority and depth', async () => {
  const web = await startSmallWeb({
    preset: 'plain',
    hosts: 3,
    pagesPerHost: 10,
    domains: 3,
    linksPerPage: 8,
    sameHostShare: 1,
  });
  const [a, b, c] = web.seeds;
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  await writeFile(file('a.csv'), `url,priority,depth\n${a},7,1\n`);
  await writeFile(file('b.jsonl'), `{"url":"${b}","priority":2}\n`);
  await writeFile(file('c.tsv'), `${c}\tpriority=0\tdepth=2\n`);
  const data = ['--data', file('data')];
  const crawl = [
    'crawl',
    file('a.csv'),
    file('b.jsonl'),
    file('c.tsv'),
    ...web.crawlArguments.slice(1 + web.seeds.length),
  ];
  const { code, stderr } = await runCommand([...crawl, ...data, '--delay', '0', '--max-depth', '1', '--scope', 'host']);
  assert.equal(code, 0, stderr);
  const reported = async (url: string) => lastJson(await runCommand(['explain', url, ...data, '--json'])) as never;
  const { seen: ofA } = (await reported(a!)) as { seen: { depth: number; frontQueue: number }[] };
  const { seen: ofB } = (await reported(b!)) as { seen: { depth: number; frontQueue: number }[] };
  assert.deepEqual([ofA[0]?.depth, ofA[0]?.frontQueue, ofB[0]?.depth, ofB[0]?.frontQueue], [1, 7, 0, 2]);
  const asked = (host: number) =>
    [...web.web.requests()].filter((one) => one.host === host && one.path !== '/robots.txt');
  assert.deepEqual(
    asked(0).map(({ path }) => path),
    ['/'],
    'its links are too deep',
  );
  assert.ok(asked(1).length > 1, 'links of a seed of depth 0 are not');
  assert.equal(asked(2).length, 0, 'a seed beyond the depth of the crawl is not admitted');
});
