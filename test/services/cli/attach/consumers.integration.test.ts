/** A crawl with all its consumers in one process, killed on the way; the same consumers from zero; and dead letters. */
import assert from 'node:assert/strict';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { searchFolder } from '../../../../services/extras/index/sqlite-index.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { printedPages, startSmallWeb } from '../small-web.ts';

const all = ['--with', 'dedup,index,archive'];

/** What the consumers have made, in forms that can be compared. */
async function made(data: string) {
  const found = searchFolder(join(data, 'index'), 'harbor', { limit: 10_000 }).map(
    ({ url, title }) => `${url} ${title}`,
  );
  const records: string[] = [];
  for (const name of (await readdir(join(data, 'archive'))).filter((one) => one.endsWith('.warc.gz')).sort()) {
    for await (const { type, fields } of readWarc(join(data, 'archive', name))) {
      // A kill or a stop begins another file; which one a record is in is no part of it.
      if (type !== 'warcinfo')
        records.push(`${type} ${fields.get('warc-record-id')} ${fields.get('warc-block-digest')}`);
    }
  }
  return { found: found.sort(), records };
}

test('consumers of a killed crawl end with the same result as a read from zero', async () => {
  const web = await startSmallWeb({
    preset: 'full',
    hosts: 6,
    pagesPerHost: 10,
    seed: 31,
    crawlDelayMs: 40,
    slowMs: 20,
  });
  const data = join(temporaryFolder(), 'data');
  const args = [
    ...web.crawlArguments,
    '--delay',
    '20ms',
    '--retries',
    '0.1',
    ...all,
    '--archive-file-mb',
    '1',
    '--data',
    data,
  ];
  for (const requests of [15, 50]) {
    const running = startCommand(args);
    while (web.web.requests().length < requests && running.child.exitCode === null) await sleep(5);
    running.child.kill('SIGKILL');
    await running.ended;
  }
  const ended = await runCommand(args);
  assert.equal(ended.code, 0, ended.stderr);
  const live = await made(data);
  const pages = await printedPages(data);
  assert.ok(live.found.length > 20 && live.found.length <= pages.length);
  // A request per response: each was archived once, however often the archiver was killed.
  assert.equal(live.records.length, 3 * new Set(live.records.filter((one) => one.startsWith('request'))).size);
  for (const name of ['dedup', 'index', 'archive']) {
    await rename(join(data, name), join(data, `old-${name}`));
    const { code, stdout, stderr } = await runCommand([name, '--data', data]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^${name}: [1-9]\\d* records read\n$`));
  }
  assert.deepEqual(await made(data), live);
  const archive = join(data, 'archive');
  const files = (await readdir(archive)).filter((name) => name.endsWith('.warc.gz')).sort();
  const again = join(temporaryFolder(), 'again');
  const replayed = await runCommand(['warc', 'replay', ...files.map((name) => join(archive, name)), '--data', again]);
  assert.equal(replayed.code, 0, replayed.stderr);
  const parsed = new Map((await pagesOf(again)).map((page) => [page['url'], page]));
  for (const page of await pagesOf(data)) {
    const other = parsed.get(page['url']);
    // WARC-Date is when capture began; a page's time is when its fetch was over.
    const [began, ended] = [other?.['fetchedAtMs'], page['fetchedAtMs']] as [number, number];
    assert.ok(began <= ended && ended - began < 30_000, `${began}, ${ended}`);
    // A replay parses text and links alone; the crawl also extracted the main text, for its dedup.
    assert.deepEqual({ ...other, fetchedAtMs: ended, mainText: page['mainText'] }, page);
  }
});

test('paths full of duplicates are deferred as a trap; their neighbours are crawled', {
  timeout: 600_000,
}, async (t) => {
  const words = (name: string) => Array.from({ length: 80 }, (_, n) => `${name}${(n * n) % 79}`).join(' ');
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const [, kind, number] = url.split('/');
    const links = url === '/' ? Array.from({ length: 30 }, (_, n) => [`/copy/${n}/text`, `/own/${n}/text`]).flat() : [];
    // Each copy leads to a later one: what is found once the verdict is there is deferred.
    if (kind === 'copy' && Number(number) < 300) links.push(`/copy/${Number(number) + 30}/text`);
    // No two have the same bytes: fetchers and frontier see no copies, the dedup alone does.
    const text = kind === 'copy' ? words('same') : words(`${kind}${number}`);
    return response.end(`<!-- ${url} --><p>${text}</p>${links.map((link) => `<a href="${link}">x</a>`).join(' ')}`);
  });
  const data = ['--data', join(temporaryFolder(), 'data')];
  const seed = `http://127.0.0.1:${site.port}/`;
  const ended = await runCommand(
    ['crawl', seed, '--json', '--allow-private', '--delay', '20ms', '--address-delay', '0', '--with', 'dedup', ...data],
    { patienceMs: 110_000 },
  );
  assert.equal(ended.code, 0, ended.stderr);
  const asked = new Set(site.hits.map(({ path }) => path));
  const paths = (kind: string) => Array.from({ length: 330 }, (_, n) => `/${kind}/${n}/text`);
  assert.equal(paths('own').filter((path) => asked.has(path)).length, 30);
  const left = paths('copy').filter((path) => !asked.has(path));
  assert.ok(left.length > 0 && left.length <= 305, `${left.length} of 330 copies were not asked for`);
  assert.ok(Number(lastJson(ended)['deferred']) > 0, ended.stdout);
  const explained = await runCommand(['explain', seed + left[0]!.slice(1), ...data]);
  assert.match(explained.stdout, /trap +\/copy\/#\/\{\}: duplicateContent, \d+ of \d+ pages are duplicates of others/);
});

async function pagesOf(data: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await runCommand(['pages', '--data', data]);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a crawl that is stopped drains its consumers: fetched pages can be found', async () => {
  const web = await startSmallWeb({ hosts: 4, pagesPerHost: 60, seed: 32 });
  const data = join(temporaryFolder(), 'data');
  const running = startCommand([...web.crawlArguments, '--delay', '30ms', '--with', 'index', '--data', data]);
  while (web.web.requests().length < 30) await sleep(5);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  assert.equal(code, 130, stderr);
  const indexed = searchFolder(join(data, 'index'), 'generated text', { limit: 1_000 }).map(({ url }) => url);
  assert.deepEqual(indexed.sort(), await printedPages(data));
  const search = await runCommand(['search', 'generated', '--data', data, '--json', '--limit', '3']);
  const lines = search.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; snippet: string });
  assert.equal(lines.length, 3);
  for (const { url, snippet } of lines) assert.ok(indexed.includes(url) && /\[generated\]/i.test(snippet));
});

test('dead letters are listed, shown, and replayed once', async () => {
  const web = await startSmallWeb({
    preset: 'full',
    hosts: 5,
    pagesPerHost: 6,
    seed: 33,
    crawlDelayMs: 30,
    slowMs: 20,
  });
  const data = join(temporaryFolder(), 'data');
  const args = [...web.crawlArguments, '--delay', '10ms', '--retries', '0.05s', '--data', data];
  assert.equal((await runCommand(args)).code, 0);
  const at = ['--data', data];
  const list = async (...more: string[]) => {
    const { stdout } = await runCommand(['dlq', 'list', ...at, '--json', ...more]);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: string; url: string; reason: string });
  };
  const reason = ['--reason', 'retriesExhausted'];
  const exhausted = await list(...reason);
  assert.ok(exhausted.length > 0 && exhausted.every((deadLetter) => deadLetter.reason === 'retriesExhausted'));
  const [first] = exhausted as [(typeof exhausted)[number]];
  const shown = await runCommand(['dlq', 'show', first.id, ...at]);
  assert.equal((JSON.parse(shown.stdout) as { url: string }).url, first.url);
  const { hostname, pathname } = new URL(first.url);
  const asked = () =>
    web.web.requests().filter(({ path, host }) => path === pathname && web.plan.hosts[host] === hostname).length;
  const before = asked();
  assert.deepEqual(lastJson(await runCommand(['dlq', 'replay', first.id, ...at, '--json'])), {
    replayed: 1,
    before: 0,
  });
  assert.deepEqual(lastJson(await runCommand(['dlq', 'replay', first.id, ...at, '--json'])), {
    replayed: 0,
    before: 1,
  });
  assert.equal((await list(...reason)).length, exhausted.length - 1);
  assert.equal((await runCommand(args)).code, 0);
  // Once more, with its retry; it failed again, and that is another letter.
  assert.equal(asked(), 2 * before);
  assert.equal((await list(...reason)).length, exhausted.length);
  const none = await runCommand(['dlq', 'show', '7/7', ...at]);
  assert.deepEqual([none.code, none.stderr.includes('there is no dead letter 7/7')], [2, true]);
});
