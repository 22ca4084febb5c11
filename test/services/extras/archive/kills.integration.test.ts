/**
 * The archiver killed with SIGKILL again and again, wherever it is: what it leaves in the end has every answer that the
 * host gave once, and warcio finds no fault in it.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { before, test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { numbers } from '../../../../lab/web/random.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { checkByWarcio, readByWarcio, warcioMissing } from './warcio.ts';

const kills = Number(process.env['CRAWLSTREAM_TEST_KILLS'] ?? 12);
const next = numbers(36);
/** Texts that do not compress away: files of one MiB fill up. */
const noise = Buffer.alloc(4_000_000, 0).map(() => 33 + (next() % 90));
const pages = 150;
const answered: string[] = [];
const crawled = join(temporaryFolder(), 'data');

before(async () => {
  const site = createServer((request, response) => {
    const path = request.url!;
    const n = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? -1);
    answered.push(path);
    const type = { 'content-type': n > 0 && n % 25 === 0 ? 'application/octet-stream' : 'text/html' };
    if (path === '/robots.txt') return response.writeHead(404).end();
    const links = Array.from({ length: n < 0 ? pages : 0 }, (_, i) => `<a href=/p${i}>x</a>`).join('');
    // Every 25th is too large for a message.
    const length = type['content-type'] === 'text/html' ? 30_000 : 3_000_000;
    const body = n < 0 ? links : Buffer.concat([Buffer.from(`<p>${n} `), noise.subarray(n, n + length)]);
    return response.writeHead(200, type).end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const way = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '0', '--responses', '--archive', 'all'];
  const { code, stderr } = await runCommand(['crawl', `http://pond.test:${port}/`, ...way, '--data', crawled]);
  assert.equal(code, 0, stderr);
  site.close();
  assert.equal(answered.length, pages + 2);
});

/** Empty: there is no such folder yet. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

test(`after ${kills} kills every response is archived once`, { skip: warcioMissing }, async () => {
  let killed = 0;
  let onTheWay = 0;
  let wholeMs = 3_000;
  for (let round = 0; killed < kills; round++) {
    const data = join(temporaryFolder(), 'data');
    cpSync(crawled, data, { recursive: true });
    for (let isDone = false; !isDone; ) {
      const startMs = performance.now();
      const { child, ended } = startCommand(['archive', '--data', data, '--archive-file-mb', '1']);
      // The first of all runs to its end, and tells how long that takes.
      const waitMs = round === 0 ? Number.POSITIVE_INFINITY : wholeMs * (0.3 + (next() % 1_000) / 1_400);
      const timer = round === 0 ? undefined : setTimeout(() => child.kill('SIGKILL'), waitMs);
      const { code, stderr } = await ended;
      clearTimeout(timer);
      isDone = code !== null;
      if (isDone) assert.equal(code, 0, stderr);
      else killed += 1;
      if (!isDone && namesIn(join(data, 'archive')).some((name) => name.includes('.warc.gz'))) onTheWay += 1;
      if (round === 0) wholeMs = performance.now() - startMs;
    }
    const folder = join(data, 'archive');
    const names = readdirSync(folder);
    assert.deepEqual(
      names.filter((name) => /\.(open|new)$/.test(name)),
      [],
    );
    const files = names.filter((name) => name.endsWith('.warc.gz')).map((name) => join(folder, name));
    assert.ok(files.length > 4, `${files.length} files`);
    await checkByWarcio(files);
    const reported = (await readByWarcio(files))
      .filter(({ type }) => type === 'response' || type === 'revisit')
      .map(({ url }) => new URL(url).pathname);
    assert.deepEqual(reported.sort(), [...answered].sort());
    assert.deepEqual(readdirSync(join(data, 'bodies')), []);
  }
  console.log(
    `${killed} kills, ${onTheWay} of them after a file was begun; a run that is not killed takes ${wholeMs.toFixed(0)} ms`,
  );
});
