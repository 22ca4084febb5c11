import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a crawl continues in a loaded folder, also if the dump has no seeds', async (t) => {
  const asked: string[] = [];
  const site = createServer(({ url }, response) => {
    asked.push(url ?? '');
    response
      .writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
      .end('<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.after(() => site.close());
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const [first, second, dump] = ['first', 'second', 'dump.jsonl'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const how = ['--allow-private', '--contact', 'me@example.org', '--delay', '0', '--address-delay', '0'];
  const begun = await runCommand(['crawl', `${origin}/`, '--data', first, '--max-pages', '1', ...how]);
  assert.equal(begun.code, 0, begun.stderr);
  assert.equal((await runCommand(['dump', dump, '--data', first])).code, 0);
  // As of a crawl on Kafka.
  const [head, ...lines] = readFileSync(dump, 'utf8').split('\n');
  writeFileSync(dump, [JSON.stringify({ ...JSON.parse(head!), seeds: [] }), ...lines].join('\n'));
  const loaded = await runCommand(['load', dump, '--data', second]);
  assert.equal(loaded.code, 0, loaded.stderr);
  asked.length = 0;
  const gone = await runCommand(['crawl', '--data', second, '--max-pages', '100', ...how]);
  assert.equal(gone.code, 0, gone.stderr);
  assert.deepEqual(asked.filter((url) => url !== '/robots.txt').sort(), ['/a', '/b', '/c']);
});

test('an empty folder still needs a seed', async () => {
  const folder = temporaryFolder();
  const list = join(folder, 'list');
  writeFileSync(list, 'https://known.test/\n');
  assert.equal((await runCommand(['load', '--seen', list, '--data', join(folder, 'data')])).code, 0);
  const gone = await runCommand(['crawl', '--data', join(folder, 'data'), '--contact', 'me@example.org']);
  assert.equal(gone.code, 2);
  assert.match(gone.stderr, /no seed is given/);
});
