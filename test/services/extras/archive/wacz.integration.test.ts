/**
 * A crawl's archive as one WACZ file, held by what others read such files with: the format's own validator, pywb, and
 * ReplayWeb.page in a real browser. None of them is part of the product; each is fetched once, from its registry.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { unusedPort } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { openPlayer } from './player.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const wacz = join(folder, 'pond.wacz');
const same = `<p>${'water '.repeat(100)}`;
const pages: Readonly<Record<string, string>> = {
  '/': '<title>The pond</title><h1>Pond</h1><a href="/deep/a.html">a</a> <a href="/find?n=1&q=b">b</a> <a href="/deep/c">c</a>',
  '/deep/a.html': `<title>Deep – größer</title>${same}`,
  '/deep/c': `<title>Deep – größer</title>${same}`,
  '/find?n=1&q=b': '<title>Found b</title><p>one frog',
};
let origin = '';

before(async () => {
  const site = createServer((request, response) => {
    const page = pages[request.url!];
    response.setHeader('content-type', 'text/html; charset=utf-8').writeHead(page === undefined ? 404 : 200);
    response.end(page ?? 'nothing');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  origin = `http://pond.test:${port}`;
  const way = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '10ms', '--data', join(folder, 'data')];
  const crawl = await runCommand(['crawl', `${origin}/`, ...way, '--with', 'archive', '--contact', 'a@pond.test']);
  site.close();
  assert.equal(crawl.code, 0, crawl.stderr);
  const words = ['--out', wacz, '--title', 'Ponds', '--main-page', `${origin}/`, '--json'];
  const made = await runCommand(['warc', 'wacz', join(folder, 'data/archive'), ...words]);
  assert.equal(made.code, 0, made.stderr);
  const { pages: counted, warcs, bytes } = lastJson(made);
  assert.deepEqual([counted, warcs], [4, 1]);
  assert.equal(bytes, readFileSync(wacz).length);
});

/** The file as Python's own library reads it: names, whether stored as it is, texts. */
function unzipped(): { name: string; stored: boolean; base64: string }[] {
  const program = `
import base64, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as file:
    print(json.dumps([{'name': one.filename, 'stored': one.compress_type == 0,
        'base64': base64.b64encode(file.read(one)).decode()} for one in file.infolist()]))`;
  return JSON.parse(execFileSync('python3', ['-c', program, wacz]).toString());
}

test('the format’s own validator accepts a WACZ file', async () => {
  const environment = pythonEnvironment('wacz', ['wacz==0.6.0']);
  const { stdout, stderr } = await run(join(environment, 'bin/wacz'), ['validate', '-f', wacz]);
  assert.match(stdout + stderr, /Validation succeeded/);
});

test('a WACZ file holds WARC files stored uncompressed, an index of all responses, and pages with titles', () => {
  const parts = new Map(unzipped().map((part) => [part.name, part]));
  const bytesOf = (name: string) => Buffer.from(parts.get(name)!.base64, 'base64');
  const [warc] = [...parts.keys()].filter((name) => name.startsWith('archive/'));
  assert.ok(parts.get(warc!)!.stored);
  assert.deepEqual(bytesOf(warc!), readFileSync(join(folder, 'data', warc!)));
  const index = gunzipSync(bytesOf('indexes/index.cdx.gz')).toString().trimEnd().split('\n');
  assert.deepEqual(index, [...index].sort());
  assert.equal(index.filter((line) => line.startsWith('test,pond:')).length, 5, 'four pages and robots.txt');
  const lines = bytesOf('pages/pages.jsonl').toString().trimEnd().split('\n');
  const [head, ...listed] = lines.map((line) => JSON.parse(line) as Record<string, string>);
  assert.equal(head!['format'], 'json-pages-1.0');
  // Of two pages with one body, the second is a revisit, whose payload is with the first.
  assert.deepEqual(new Set(listed.map(({ url }) => url!.slice(origin.length))), new Set(Object.keys(pages)));
  assert.deepEqual(
    new Set(listed.map(({ title }) => title)),
    new Set(['The pond', 'Deep – größer', 'Found b', undefined]),
  );
  const description = JSON.parse(bytesOf('datapackage.json').toString());
  assert.deepEqual([description.title, description.mainPageUrl], ['Ponds', `${origin}/`]);
});

test('pywb replays a WACZ file’s pages, also under other spellings of their URLs', async (t) => {
  const environment = pythonEnvironment('pywb', ['pywb==2.10.0', 'setuptools<81']);
  const collections = join(folder, 'pywb');
  await mkdir(collections);
  const manager = (...words: string[]) => run(join(environment, 'bin/wb-manager'), words, { cwd: collections });
  await manager('init', 'pond');
  await manager('add', '--unpack-wacz', 'pond', wacz);
  const port = await unusedPort();
  const server = spawn(join(environment, 'bin/wayback'), ['-p', `${port}`, '-b', '127.0.0.1'], {
    ...{ cwd: collections, stdio: 'ignore' },
  });
  t.after(() => server.kill('SIGKILL'));
  const base = `http://127.0.0.1:${port}/pond/mp_/`;
  await until(server, () => fetch(`http://127.0.0.1:${port}/`));
  const replayed = async (url: string) => (await fetch(base + url)).text();
  for (const [path, html] of Object.entries(pages)) {
    const title = /<title>(.*)<\/title>/.exec(html)![1]!;
    assert.match(await replayed(origin + path), new RegExp(`<title>${title}</title>`), path);
  }
  const other = origin.replace('//', '//www2.');
  assert.match(await replayed(`${other}/FIND/?PHPSESSID=0123456789abcdef0123456789abcdef&q=b&n=1`), /one frog/);
  assert.doesNotMatch(await replayed(`${origin}/find?n=1&q=c`), /one frog/);
});

const executablePath = chromiumHere();

test('ReplayWeb.page shows a WACZ file in a browser', {
  skip: executablePath === undefined && noBrowser,
}, async (t) => {
  const page = await openPlayer(t, wacz, `${origin}/find?n=1&q=b`);
  const deadlineMs = Date.now() + 60_000;
  for (let texts: string[] = []; !texts.some((text) => text.includes('one frog')); ) {
    assert.ok(Date.now() < deadlineMs, `waited for the page; the frames say: ${texts.join(' | ')}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    texts = await Promise.all(
      page.frames().map((frame) =>
        frame
          .locator('body')
          .innerText({ timeout: 1_000 })
          .catch(() => ''),
      ),
    );
  }
});

test('errors name the fault and the remedy, and leave no file', async () => {
  const archive = join(folder, 'data/archive');
  const warc = readdirSync(archive).find((name) => name.endsWith('.warc.gz'))!;
  const own = join(folder, 'own');
  await mkdir(own);
  const out = join(own, 'x.wacz');
  const refused = async (...words: string[]) => {
    const { code, stderr } = await runCommand(['warc', 'wacz', ...words]);
    assert.notEqual(code, 0);
    assert.deepEqual(
      readdirSync(own).filter((name) => name.startsWith('x.wacz')),
      [],
    );
    return stderr;
  };
  assert.match(await refused(archive, '--out', wacz), /pond\.wacz already exists: choose another --out/);
  assert.match(await refused(join(own, 'none'), '--out', out), /none cannot be read/);
  assert.match(await refused(own, '--out', out), /has no complete WARC file: crawl with --with archive/);
  assert.match(await refused(join(archive, warc), archive, '--out', out), new RegExp(`two files are named ${warc}`));
  const copy = join(own, 'copy.warc.gz');
  const index = readFileSync(join(archive, warc.replace('.warc.gz', '.cdxj')), 'utf8').replaceAll(warc, 'copy.warc.gz');
  writeFileSync(copy, readFileSync(join(archive, warc)));
  assert.match(
    await refused(copy, '--out', out),
    /copy\.warc\.gz has no index .*copy\.cdxj beside it: create it, as in: cdxj-indexer/,
  );
  const indexFile = join(own, 'copy.cdxj');
  writeFileSync(indexFile, index.split('\n').reverse().join('\n'));
  assert.match(
    await refused(copy, '--out', out),
    /copy\.cdxj, line \d+: the index is not sorted; sort it with LC_ALL=C sort/,
  );
  writeFileSync(indexFile, index.replace(/"offset":"\d+"/, '"offset":"7"'));
  assert.match(await refused(copy, '--out', out), /the index has \S+ at 7, but no record is there; rebuild the index/);
  writeFileSync(indexFile, index.replace(/"offset":"\d+"/, '"offset":"99999999"'));
  assert.match(await refused(copy, '--out', out), /the index has \S+ at 99999999, but the file ends before/);
  writeFileSync(indexFile, `${index}x\n`);
  assert.match(await refused(copy, '--out', out), /copy\.cdxj, line 6: not a CDXJ line of /);
  renameSync(copy, join(own, 'copy.warc.gz.open'));
  assert.match(await refused(join(own, 'copy.warc.gz.open'), '--out', out), /one named \.open is still being written/);
});

/** Waits until `act` works, or the process has ended. */
async function until(child: ChildProcess, act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await act();
      return;
    } catch (error) {
      if (child.exitCode !== null || tries > 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
