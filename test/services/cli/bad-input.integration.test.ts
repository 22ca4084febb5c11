import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CommandOptions, type Ended, lastJson, runCommand, startCommand } from '../../../lab/process/command.ts';
import type { DeadLetter } from '../../../schemas/types.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../../services/runtime/avro/schema-registry.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { mountSmallDisk } from './full-disk.ts';
import { assertFlawless, printedPages, type SmallWeb, startSmallWeb } from './small-web.ts';

const webMain = fileURLToPath(new URL('../../../lab/web/main.ts', import.meta.url));
/** Nobody listens there; a local address needs no contact. */
const seed = 'http://127.0.0.1:8/';

/** One clear line on stderr, nothing on stdout, a code that says failure. */
function assertRefused(ended: Ended, says: RegExp, context = ''): void {
  assert.match(ended.stderr, says, context);
  assert.equal(ended.stderr.trimEnd().split('\n').length, 1, `${context}: ${ended.stderr}`);
  assert.doesNotMatch(ended.stderr, /\bat .*:\d+:\d+|a bug/);
  assert.equal(ended.stdout, '', context);
  assert.ok(ended.code === 1 || ended.code === 2, `${context}: exit code ${ended.code}`);
}

async function refuses(args: readonly string[], says: RegExp, options: CommandOptions = {}): Promise<void> {
  assertRefused(await runCommand(args, options), says, args.join(' '));
}

/** At most three commands at a time: a machine has few cores. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all([work(), work(), work()]);
}

test('a malformed seed is refused by name, with a valid form, and nothing is created', async () => {
  const cwd = temporaryFolder();
  const cases = [
    ['http://exa mple.org', /seed "http:\/\/exa mple.org": it contains white space/],
    ['ftp://example.org/', /seed "ftp:\/\/example.org\/": the scheme ftp: is not supported; use http/],
    ['http://[::1', /seed "http:\/\/\[::1": it is not a URL; write one such as/],
    ['http://me:secret@example.org/', /seed "example.org": it has a user name or password/],
    ['', /seed "": it is empty; write a URL/],
    ['http://127.0.0.1/film.mp4', /seed http:\/\/127.0.0.1\/film.mp4 is refused by rule .*change the seed/],
  ] as const;
  await each(cases, ([text, says]) => refuses(['crawl', text], says, { cwd }));
  await refuses(['crawl'], /no seed is given: add a URL to start from/, { cwd });
  assert.deepEqual(readdirSync(cwd), []);
});

test('an invalid value of any option is refused by name, with a valid one, and nothing is created', async () => {
  const cwd = temporaryFolder();
  const cases = [
    ['--max-pages', '0', /--max-pages "0": give a whole number from 1/],
    ['--max-depth', '-1', /--max-depth "-1": give a whole number/],
    ['--scope', 'planet', /--scope "planet": give one of host, domain, all/],
    ['--include', '(', /--include "\(": Invalid regular expression.*write a JavaScript regular expression/],
    ['--exclude', '[z-a]', /--exclude "\[z-a\]": Invalid regular expression/],
    ['--delay', '1.5', /--delay "1.5": a duration needs a unit: did you mean 1.5s or 1.5ms\?/],
    ['--delay', '2', /did you mean 2s or 2ms\?/],
    ['--delay', '1.5ms', /--delay "1.5ms": give a number and ms, s, m, h or d, as in 36h, from 0ms to 1d/],
    ['--delay', '99999999999ms', /--delay "99999999999ms": give a number and ms/],
    ['--max-crawl-delay', '60', /--max-crawl-delay "60": a duration needs a unit: did you mean 60s or 60ms\?/],
    ['--retries', '5,,30', /--retries "5,,30": give delays with units/],
    ['--retries', '1e300', /--retries "1e300": give delays with units.* none above 30d/],
    ['--retries', Array(21).fill('1').join(), /--retries .*at most 20 of them/],
    ['--resolve', 'example.org', /--resolve example.org: write HOST\[:PORT\]:ADDRESS/],
    ['--contact', 'me', /--contact "me": give a web or mail address/],
    ['--sitemap', 'foo:bar', /--sitemap "foo:bar": give an http or https URL, or a path such as \/sitemap.xml/],
    ['--keep', '3 weeks', /--keep "3 weeks": give a number and ms, s, m, h or d/],
    ['--partitions', '0', /--partitions "0": give a whole number from 1/],
    ['--partitions', '1000000', /--partitions "1000000": give a whole number from 1 to 1024/],
    ['--concurrency', 'all', /--concurrency "all": give a whole number from 1/],
    ['--seen', 'maybe', /--seen "maybe": give one of exact, bloom/],
    ['--seen-memory', '1', /--seen-memory "1": give a whole number from 16 to/],
    ['--seen-errors', '1', /--seen-errors "1": give a number above 0 and below 1/],
    ['--allow-private', seed, /--allow-private ".*": give networks, as in 10\.1\.0\.0\/16,::1, or no value for all/],
    ['--unknown', 'x', /unknown option '--unknown'/],
  ] as const;
  await each(cases, ([option, value, says]) => refuses(['crawl', seed, option, value], says, { cwd }));
  await refuses(['crawl', seed, '--data'], /option '--data <dir>' argument missing/, { cwd });
  assert.deepEqual(readdirSync(cwd), []);
});

test('a crawl of a public site without --contact is refused before anything is contacted or created', async () => {
  const cwd = temporaryFolder();
  const says = /--contact is missing: give a web or mail address where webmasters can reach you/;
  await refuses(['crawl', 'https://example.org/'], says, { cwd });
  await refuses(['crawl', 'http://10.1.2.3/', '--allow-private'], says, { cwd });
  // Resolved elsewhere than to this machine, it is somebody else's.
  await refuses(['crawl', 'http://a.test/', '--resolve', 'a.test:192.0.2.1'], says, { cwd });
  assert.deepEqual(readdirSync(cwd), []);
});

test('the synthetic web on a port in use says so, with the remedy', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const ended = await runCommand(['--hosts', '1', '--pages', '1', '--port', `${port}`], { script: webMain });
  taken.close();
  assertRefused(ended, new RegExp(`cannot listen: .*${port}.*; choose another --port, or 0 for any`));
});

/** A finished crawl of three pages. */
async function smallCrawl(): Promise<{ readonly small: SmallWeb; readonly data: string; readonly args: string[] }> {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 3, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--delay', '0', '--data', data];
  const ended = await runCommand(args);
  assert.equal(ended.code, 0, ended.stderr);
  return { small, data, args };
}

test('a data folder of another crawl, of a newer version, or damaged is named and left unchanged', async () => {
  const { small, data, args } = await smallCrawl();
  await refuses(
    ['crawl', seed, '--data', data],
    new RegExp(`--data ${data} contains the crawl of .*or choose another --data`),
  );
  await refuses([...args, '--partitions', '2'], /made with partitions 1, not 2: remove --partitions or set it to 1/);
  for (const [name, damage, says] of [
    [
      'manifest.json',
      (text: string) => text.replace('"format": 1', '"format": 2'),
      /has format 2, but this release reads/,
    ],
    ['manifest.json', (text: string) => text.slice(0, 40), /manifest.json can't be read .*restore it from a backup/],
    ['crawl.json', (text: string) => text.slice(0, 40), /crawl.json cannot be read .*delete that file and run/],
    ['crawl.json', () => '{"seeds": 7}', /crawl.json cannot be read .*delete that file and run/],
  ] as const) {
    const file = join(data, name);
    const whole = readFileSync(file, 'utf8');
    const damaged = damage(whole);
    assert.notEqual(damaged, whole);
    writeFileSync(file, damaged);
    await refuses(args, says);
    assert.equal(readFileSync(file, 'utf8'), damaged);
    writeFileSync(file, whole);
  }
  assert.equal((await runCommand(args)).code, 0);
  // As the message promises: crawl.json may be deleted, and the crawl goes on.
  rmSync(join(data, 'crawl.json'));
  assert.equal((await runCommand(args)).code, 0);
  assert.equal((await printedPages(data)).length, 3);
  assertFlawless(small.check({ delayMs: 0 }));
});

test('a folder with foreign files, and a file, are refused as data folders', async () => {
  const foreign = join(temporaryFolder(), 'photos');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'cat.jpg'), '');
  await refuses(['crawl', seed, '--data', foreign], /photos is not empty and contains no crawl \(it has cat.jpg\)/);
  assert.deepEqual(readdirSync(foreign), ['cat.jpg']);
  await refuses(['crawl', seed, '--data', join(foreign, 'cat.jpg')], /is not a folder: choose another --data/);
  await refuses(
    ['pages', '--data', join(foreign, 'none')],
    /none does not exist: name the data folder of a crawl, or start a crawl there: \S.* crawl URL --contact EMAIL --data \S+none$/m,
  );
  await refuses(
    ['stats', '--data', foreign],
    /photos holds no crawl: .*start a crawl in a new folder: \S.* crawl URL --contact EMAIL --data FOLDER$/m,
  );
  assert.equal(existsSync(join(foreign, 'none')), false);
});

test('a data folder in use by a running crawl is refused, and that crawl goes on', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 50, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--delay', '150ms', '--data', data];
  const running = startCommand(args);
  while (small.web.requests().length < 4) await sleep(20);
  await refuses(args, /in use by another process \(process \d+\): stop that process, or choose another --data/);
  const ended = await running.ended;
  assert.equal(ended.code, 0, ended.stderr);
  assertFlawless(small.check({ delayMs: 150 }));
});

test('a full disk is reported in one line, and with free space the same command completes', async (t) => {
  const small = await startSmallWeb({ hosts: 12, pagesPerHost: 60, domains: 2 });
  const disk = mountSmallDisk(6);
  if (disk === undefined) t.diagnostic('no tmpfs can be mounted here: the size of files is bounded in its stead');
  const data = join(disk?.folder ?? temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--delay', '0', '--data', data, '--json'];
  // Blocks of 512 bytes. The signal that comes with the bound is ignored, so that write(2) fails instead.
  const ended = await runCommand(args, disk ? {} : { shellPrefix: "trap '' XFSZ; ulimit -f 4000;" });
  // A slow machine has shown its progress by then.
  const { stderr } = ended;
  assertRefused(
    { ...ended, stderr: stderr.slice(stderr.indexOf('crawlstream: ')) },
    disk
      ? /^crawlstream: the disk holding .* is full: free some disk space, then run the same command/
      : /the store in .* failed/,
  );
  assert.equal(ended.code, 1);
  disk?.grow();
  const resumed = await runCommand(args);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(lastJson(resumed)['pages'], 720);
  assert.deepEqual(await printedPages(data), [...small.plan.expected(small.port).fetch].sort());
  assert.deepEqual(small.check({ delayMs: 0 }).missing.details, []);
});

test('an undecodable record becomes a dead letter with its source and bytes, and the crawl completes', async () => {
  const small = await startSmallWeb({ hosts: 4, pagesPerHost: 15, domains: 2 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--delay', '0', '--data', data, '--json'];
  assert.equal((await runCommand([...args, '--max-pages', '20'])).code, 0);

  const junk = { discovered: Buffer.from('\u0000no Avro at all'), results: Buffer.from([0, 0, 0, 0, 99, 1, 2, 3]) };
  const offsets = await onLog(data, (log) =>
    log.append(
      Object.entries(junk).map(([topic, value]) => ({ topic: `crawl.${topic}`, partition: 0, key: null, value })),
    ),
  );
  const ended = await runCommand([...args, '--max-pages', 'none']);
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(lastJson(ended)['undecodable'], 2);
  assert.equal(lastJson(ended)['pages'], 60);
  assertFlawless(small.check({ delayMs: 0 }));

  const deadLetters = await onLog(data, readDeadLetters);
  const found = deadLetters.map(({ reason, sourceTopic, sourcePartition, sourceOffset, original }) => ({
    reason,
    sourceTopic,
    sourcePartition,
    sourceOffset,
    original: Buffer.from(original).toString('hex'),
  }));
  const deadLetter = (sourceTopic: 'discovered' | 'results', sourceOffset: number | undefined) => ({
    reason: 'undecodable',
    sourceTopic,
    sourcePartition: 0,
    sourceOffset,
    original: junk[sourceTopic].toString('hex'),
  });
  assert.deepEqual(
    found.sort((a, b) => a.sourceTopic.localeCompare(b.sourceTopic)),
    [deadLetter('discovered', offsets[0]), deadLetter('results', offsets[1])],
  );
});

async function onLog<T>(data: string, act: (log: EmbeddedLog, decode: Decode) => Promise<T>): Promise<T> {
  const store = await openStateStore(join(data, 'log'));
  const log = await openEmbeddedLog(store, new SystemClock());
  try {
    const codec = await openCodec(createEmbeddedRegistry(store), 'crawl');
    return await act(log, async (value) => {
      await codec.prepare('dead-letters', value);
      return codec.decode('dead-letters', value);
    });
  } finally {
    await log.close();
    await store.close();
  }
}

type Decode = (value: Buffer) => Promise<DeadLetter>;

async function readDeadLetters(log: EmbeddedLog, decode: Decode): Promise<DeadLetter[]> {
  const reader = log.reader();
  reader.seek('crawl.dead-letters', 0, 0);
  const deadLetters: DeadLetter[] = [];
  for (const { value } of await reader.poll({ maxBytes: 1 << 20, waitMs: 0 })) deadLetters.push(await decode(value));
  return deadLetters;
}
