/** Pages are taken back from the consumers of plugins, too. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** A file for each page. `silent` says nothing of what it keeps. */
const plugin = `
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const keeper = (name, more, forgets) => ({
  name,
  does: 'keeps each page in a file',
  ...more,
  open({ folder }) {
    const fileOf = (url) => join(folder, encodeURIComponent(url));
    return {
      handle: (batch) => batch.forEach(({ value }) => writeFileSync(fileOf(value.url), value.text)),
      ...(forgets && { forget: (urls) => urls.forEach((url) => rmSync(fileOf(url), { force: true })) }),
    };
  },
});
export default {
  name: 'keep',
  processors: [keeper('files', { holds: 'pages' }, true), keeper('counted', { holds: 'nothing' }), keeper('silent', {})],
};
`;

test('a receipt names a plugin’s consumer as followed once it has deleted its copies, and one that declares nothing as not reached', async (t) => {
  const site = await serveSite(t, ({ url }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end(url === '/' ? '<a href="/one">one</a><a href="/two">two</a>' : `<p>page ${url}</p>`);
  });
  const data = join(temporaryFolder(), 'crawl');
  const file = join(temporaryFolder(), 'keep.mjs');
  writeFileSync(file, plugin);
  const run = async (...words: string[]) => {
    const ended = await runCommand([...words, '--data', data]);
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  const reach = ['--delay', '0s', '--resolve', `*.test:${site.port}:127.0.0.1`];
  const handler = join(temporaryFolder(), 'handler.mjs');
  writeFileSync(handler, 'export default () => {};');
  await run('crawl', site.url('a.test', '/'), ...reach, '--plugin', file, '--handler', handler);
  const kept = () => readdirSync(join(data, 'plugins', 'files')).filter((name) => name.startsWith('http'));
  assert.equal(kept().length, 3);

  await run('purge', site.url('a.test', '/one'));
  const receiptOf = async () => {
    const receipt = lastJson(await run('forget', '--json'));
    const places = (receipt['places'] as { place: string; left: number }[]).map(
      ({ place, left }) => `${place}: ${left}`,
    );
    const notReached = (receipt['notReached'] as { place: string; why: string }[]).filter(({ place }) =>
      /group|plugin|consumer/.test(place),
    );
    return { places, notReached };
  };
  const before = await receiptOf();
  const why = 'it does not declare which copies it keeps: look there yourself';
  const silent = [
    { place: 'consumer silent of plugin keep', why },
    { place: 'group handler', why },
  ];
  assert.deepEqual(before.notReached, [{ place: 'group files', why: 'it still has 1 record to read' }, ...silent]);
  assert.equal(kept().length, 3);

  await run('consume', 'files', '--plugin', file);
  assert.deepEqual(
    kept()
      .map((name) => new URL(decodeURIComponent(name)).pathname)
      .sort(),
    ['/', '/two'],
  );
  const after = await receiptOf();
  assert.ok(after.places.includes('group files: 0'), after.places.join(', '));
  assert.deepEqual(after.notReached, silent);
});

test('a consumer that keeps pages must say how it deletes them', async (t) => {
  const site = await serveSite(t, (_, response) => void response.end('x'));
  const file = join(temporaryFolder(), 'keep.mjs');
  writeFileSync(file, plugin.replace('forgets && {', 'false && {'));
  assert.ok(readFileSync(file, 'utf8').includes('false && {'));
  const reach = ['--resolve', `*.test:${site.port}:127.0.0.1`, '--data', join(temporaryFolder(), 'crawl')];
  const { code, stderr } = await runCommand(['crawl', site.url('a.test', '/'), ...reach, '--plugin', file]);
  assert.notEqual(code, 0);
  assert.match(stderr, /processor files: holds is 'pages', so open\(\) must return a function forget/);
});
