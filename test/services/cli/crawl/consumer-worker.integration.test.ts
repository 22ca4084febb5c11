/**
 * Consumers of a crawl with workers are in a process of their own: what each sees is the crawl, whatever is killed. Kills come
 * after numbers of requests that are drawn from a seed (`CRAWLSTREAM_TEST_KILL_SEED`); `CRAWLSTREAM_TEST_KILLS` says how many.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, lastJson, type Running, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { mix } from '../../../../lab/web/random.ts';
import { indexedUrls } from '../../../../services/extras/index/indexed-urls.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { assertFlawless, type SmallWeb, startSmallWeb } from '../small-web.ts';

const kills = Number(process.env['CRAWLSTREAM_TEST_KILLS'] ?? 6);
const seed = Number(process.env['CRAWLSTREAM_TEST_KILL_SEED'] ?? 1);
const consumers = ['dedup', 'index', 'archive', 'graph'];

const newFolder = () => join(temporaryFolder(), 'data');
const expectedPages = ({ plan, port }: SmallWeb) => [...plan.expected(port).fetch].sort();

/** A module of the user's own that notes each page on disk, with the process that got it. */
function noting(kind: 'handler' | 'plugin'): { readonly file: string; readonly notes: string } {
  const folder = temporaryFolder();
  const [file, notes] = [join(folder, `${kind}.mjs`), join(folder, 'notes')];
  const note = `const note = (url) => appendFileSync(${JSON.stringify(notes)}, \`\${process.pid} \${url}\\n\`);`;
  const handler = 'export default (page) => note(page.url);';
  const processor = `{ name: 'noting', does: 'notes pages', open: () => ({ handle: (batch) => { for (const { value } of batch) note(value.url); } }) }`;
  const given = kind === 'handler' ? handler : `export default { name: 'noting', processors: [${processor}] };`;
  writeFileSync(file, `import { appendFileSync } from 'node:fs';\n${note}\n${given}\n`);
  return { file, notes };
}

const notesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);

/** Command lines of the processes that another has started from its main thread, by process id. */
function childrenOf({ child }: Running): Map<number, string> {
  const found = new Map<number, string>();
  try {
    const text = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    for (const pid of text.trim().split(' ').filter(Boolean).map(Number))
      found.set(pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    // One of them has ended.
  }
  return found;
}

function consumersOf(running: Running): number | undefined {
  return [...childrenOf(running)].find(([, line]) => line.includes('consumer-worker'))?.[0];
}

/** Files below a folder that a process has open. */
function openIn(pid: number, folder: string): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((path) => path.startsWith(`${folder}/`));
}

async function until(running: Running, condition: () => boolean): Promise<void> {
  while (running.child.exitCode === null && running.child.signalCode === null && !condition()) await sleep(10);
}

function assertEnded(ended: Ended, pages: number): void {
  assert.equal(ended.code, 0, ended.stderr);
  const { end, pages: fetched } = lastJson(ended);
  assert.deepEqual({ end, fetched }, { end: 'done', fetched: pages }, ended.stderr);
}

/** Each consumer has read exactly the pages of the crawl. */
async function assertSeenByAll(data: string, pages: readonly string[]): Promise<void> {
  assert.deepEqual([...indexedUrls(join(data, 'index'))].sort(), pages);
  const clusters = await runCommand(['dedup', '--data', data, '--json']);
  assert.deepEqual(lastJson(clusters), { consumer: 'dedup', records: 0 }, clusters.stderr);
  const links = await runCommand(['export', 'graph', '--data', data, '--of', 'pages']);
  assert.equal(links.code, 0, links.stderr);
  const lines = links.stdout.trim().split('\n');
  const sources = lines.map((line) => (JSON.parse(line) as { source: string }).source);
  assert.deepEqual([...new Set(sources)].sort(), pages);
}

test('consumers of a crawl with workers run in one separate process, and see each page once', async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 25, domains: 2, seed: 11 });
  const data = newFolder();
  const [handler, plugin] = [noting('handler'), noting('plugin')];
  const flags = ['--delay', '10ms', '--workers', '2', '--data', data, '--json'];
  const beside = ['--with', consumers.join(','), '--handler', handler.file, '--plugin', plugin.file];
  const running = startCommand([...small.crawlArguments, ...flags, ...beside]);
  await until(running, () => existsSync(handler.notes) && existsSync(plugin.notes) && childrenOf(running).size === 3);
  const pid = consumersOf(running)!;
  for (const part of ['dedup', 'index', 'archive', 'graph']) {
    assert.ok(openIn(pid, join(data, part)).length > 0, part);
    assert.deepEqual(openIn(running.child.pid!, join(data, part)), []);
  }
  const ended = await running.ended;
  assertEnded(ended, expectedPages(small).length);
  assertFlawless(small.check({ delayMs: 10 }));
  for (const { notes } of [handler, plugin]) {
    assert.deepEqual(new Set(notesIn(notes).map(([by]) => by)), new Set([`${pid}`]));
    assert.deepEqual(
      notesIn(notes)
        .map(([, url]) => url)
        .sort(),
      expectedPages(small),
    );
  }
  await assertSeenByAll(data, expectedPages(small));
});

test('consumers whose process is killed repeatedly miss no page', async (t) => {
  const small = await startSmallWeb({
    preset: 'plain',
    hosts: 12,
    pagesPerHost: 100,
    domains: 4,
    seed: 5,
    slow: 0.3,
    slowMs: 60,
  });
  const data = newFolder();
  const handler = noting('handler');
  const flags = ['--delay', '30ms', '--workers', '2', '--data', data, '--json'];
  const beside = ['--with', consumers.join(','), '--handler', handler.file];
  const running = startCommand([...small.crawlArguments, ...flags, ...beside], { patienceMs: 300_000 });
  const killed: number[] = [];
  const notedBy = (pid: number) =>
    existsSync(handler.notes) ? notesIn(handler.notes).filter(([by]) => by === `${pid}`).length : 0;
  while (killed.length < kills && running.child.exitCode === null) {
    const dice = mix(seed, 71, killed.length);
    await until(running, () => consumersOf(running) !== undefined);
    const pid = consumersOf(running);
    if (pid === undefined) break;
    // At work, or, now and then, while it starts.
    if (dice % 4 === 0) await sleep(dice % 900);
    else await until(running, () => notedBy(pid) > dice % 40);
    if (!isAlive(pid)) break;
    process.kill(pid, 'SIGKILL');
    killed.push(pid);
    await until(running, () => consumersOf(running) !== pid);
  }
  const ended = await running.ended;
  assert.ok(killed.length >= Math.min(3, kills), `${killed.length}`);
  assertEnded(ended, expectedPages(small).length);
  const reported =
    /the process of the consumers died \(SIGKILL\): starting a new one, which continues where it stopped/g;
  assert.equal(ended.stderr.match(reported)?.length, killed.length, ended.stderr);
  // The fetch path has not noticed.
  assertFlawless(small.check({ delayMs: 30 }));
  const notes = notesIn(handler.notes);
  t.diagnostic(`${new Set(notes.map(([by]) => by)).size} processes noted pages, ${notes.length} notes`);
  assert.deepEqual([...new Set(notes.map(([, url]) => url))].sort(), expectedPages(small));
  await assertSeenByAll(data, expectedPages(small));
  const warc = await runCommand(['archive', '--data', data, '--json']);
  assert.deepEqual(lastJson(warc), { consumer: 'archive', records: 0 }, warc.stderr);
});

test('a consumer that fails for good ends the crawl as it does in one process, and the same command continues', async () => {
  const small = await startSmallWeb({ hosts: 4, pagesPerHost: 15, domains: 2 });
  const page = expectedPages(small)[30]!;
  const [mine, plugin] = [join(temporaryFolder(), 'mine.mjs'), join(temporaryFolder(), 'plugin.mjs')];
  const bringing = (open: string) =>
    `export default { name: 'mine', processors: [{ name: 'mine', does: 'fails', retriesMs: [], whenFailed: 'stop', batchRecords: 4, ${open} }] };\n`;
  const throwing = `handle(batch) { if (batch.some(({ value }) => value.url === '${page}')) throw new Error('no'); }`;
  const ends: unknown[] = [];
  for (const workers of ['1', '2']) {
    const data = newFolder();
    const args = [...small.crawlArguments, '--delay', '0', '--partitions', '2', '--workers', workers, '--data', data];
    /** Its code, and what it said of the cause. */
    const endOf = async (...more: string[]) => {
      const { code, stderr } = await runCommand([...args, ...more]);
      return [
        code,
        stderr.split('\n').find((line) => /^crawlstream: (?!plugin)/.test(line) && /mine|Error/.test(line)),
      ];
    };
    writeFileSync(mine, 'export default 5;\n');
    const noFunction = await endOf('--handler', mine);
    writeFileSync(plugin, bringing("open() { throw new Error('the door is shut'); }"));
    const open = await endOf('--plugin', plugin);
    writeFileSync(plugin, bringing('open: () => ({})'));
    const noHandle = await endOf('--plugin', plugin);
    writeFileSync(plugin, bringing(`open: () => ({ ${throwing} })`));
    const throws = await endOf('--plugin', plugin);
    ends.push({ noFunction, open, noHandle, throws });
    writeFileSync(plugin, bringing('open: () => ({ handle() {} })'));
    const resumed = await runCommand([...args, '--plugin', plugin, '--json']);
    assertEnded(resumed, expectedPages(small).length);
  }
  assert.deepEqual(ends[1], ends[0]);
  assert.deepEqual(ends[0], {
    noFunction: [
      2,
      `crawlstream: --handler ${mine}: export a function as default, as in export default async (page) => console.log(page.url)`,
    ],
    open: [70, 'crawlstream: a bug, please report it: Error: the door is shut'],
    noHandle: [2, 'crawlstream: processor mine: open() must return an object with handle, as in { handle }'],
    throws: [70, 'crawlstream: a bug, please report it: Error: no'],
  });
});

test('consumers whose process exits repeatedly end the crawl, with the remedy', async () => {
  const small = await startSmallWeb({ hosts: 4, pagesPerHost: 10, domains: 2 });
  const mine = join(temporaryFolder(), 'mine.mjs');
  writeFileSync(mine, 'export default () => process.exit(3);\n');
  const args = [...small.crawlArguments, '--delay', '0', '--workers', '2', '--data', newFolder()];
  const { code, stderr } = await runCommand([...args, '--handler', mine]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /failed 5 times before it handled a record \(code 3\): .* use --workers 1/);
});

test('a crawl that is killed while its consumers work continues once they are gone, with workers or without', async () => {
  const small = await startSmallWeb({ hosts: 6, pagesPerHost: 40, domains: 2 });
  const data = newFolder();
  const busy = join(temporaryFolder(), 'busy.mjs');
  const hold = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)';
  const seen = join(temporaryFolder(), 'seen');
  const args = [...small.crawlArguments, '--delay', '20ms', '--with', 'index,dedup', '--data', data, '--json'];
  for (const workers of ['2', '1']) {
    writeFileSync(seen, '');
    writeFileSync(
      busy,
      `import { appendFileSync } from 'node:fs';\nexport default ({ url }) => { appendFileSync(${JSON.stringify(seen)}, url + '\\n'); ${hold}; };\n`,
    );
    const running = startCommand([...args, '--workers', '2', '--handler', busy]);
    await until(running, () => readFileSync(seen, 'utf8') !== '');
    const pid = consumersOf(running)!;
    running.child.kill('SIGKILL');
    await once(running.child, 'exit');
    assert.ok(isAlive(pid), 'they are held by the function, and have seen nothing yet');
    writeFileSync(busy, 'export default () => {};\n');
    const next = startCommand([...args, '--workers', workers]);
    await until(next, () => !isAlive(pid) || openIn(next.child.pid!, join(data, 'index')).length > 0);
    assert.ok(!isAlive(pid), 'nobody else opens their files before');
    if (workers === '2') {
      next.child.kill('SIGKILL');
      await next.ended;
    } else assertEnded(await next.ended, expectedPages(small).length);
  }
  assert.deepEqual([...indexedUrls(join(data, 'index'))].sort(), expectedPages(small));
});

test('metrics and lag of consumers in their own process belong to the crawl, and never go back', async () => {
  const small = await startSmallWeb({ hosts: 6, pagesPerHost: 60, domains: 2, slow: 0.5, slowMs: 60 });
  const port = await freePort();
  const args = [...small.crawlArguments, '--delay', '30ms', '--workers', '2', '--data', newFolder(), '--json'];
  const running = startCommand([...args, '--with', 'index,dedup', '--http', `127.0.0.1:${port}`]);
  const records = async (consumer: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    if (answer === undefined) return { count: last, hasLag: false };
    const text = await answer.text();
    const of = (name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`));
    const line = of('crawlstream_consumer_records_total').find((one) => one.includes(`consumer="${consumer}"`));
    const hasLag = of('crawlstream_lag_records').some((one) => one.includes(`.${consumer}"`));
    return { count: line === undefined ? 0 : Number(line.split(' ').at(-1)), hasLag };
  };
  let last = 0;
  const pass = async (beyond: number) => {
    while (running.child.exitCode === null) {
      const { count, hasLag } = await records('index');
      assert.ok(count >= last, `${count} after ${last}`);
      last = count;
      if (count > beyond && hasLag) return count;
      await sleep(50);
    }
    return 0;
  };
  const before = await pass(20);
  process.kill(consumersOf(running)!, 'SIGKILL');
  const after = await pass(before + 5);
  assert.ok(before > 20 && after > before, `${before}, ${after}`);
  assertEnded(await running.ended, expectedPages(small).length);
});

test('a crawl drains when the reader of a handler’s output leaves', async () => {
  const small = await startSmallWeb({ hosts: 4, pagesPerHost: 60, domains: 2 });
  const mine = join(temporaryFolder(), 'mine.mjs');
  writeFileSync(mine, 'export default ({ url }) => console.log(url);\n');
  const args = [...small.crawlArguments, '--delay', '20ms', '--workers', '2', '--data', newFolder()];
  const running = startCommand([...args, '--handler', mine]);
  await until(running, () => running.output().includes('/p/'));
  running.child.stdout!.destroy();
  const { code, stderr } = await running.ended;
  assert.equal(code, 130, stderr);
  assert.doesNotMatch(stderr, /died|a bug/);
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
