/** docker-compose.yml, from nothing to pages of a web that is one container more; then each role is told to stop. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCompose } from '../deploy/compose.ts';
import { compose, engine, output, root, timed } from './engine.ts';

const project = 'crawlstream-verify';
const pagesWanted = 20;
const patienceMs = 300_000;
const graceSeconds = 75;
/** Consumers, each of a profile of its name. */
const roles = ['dedup', 'index', 'graph', 'archive'];

/** Forty pages on each of four hosts. */
const site = `require('http').createServer((ask, answer) => {
  if (ask.url === '/robots.txt') return answer.writeHead(404).end();
  const page = Number(/\\d+/.exec(ask.url)?.[0] ?? 0);
  answer.setHeader('content-type', 'text/html');
  answer.end('<title>page ' + page + '</title>' + [1, 2, 3].map((n) => '<a href=/p/' + (page * 3 + n) % 40 + '>next</a>').join(''));
}).listen(8080)`;
const seeds = ['a.one.test', 'b.two.test', 'c.three.test', 'd.four.test'].map((host) => `http://${host}:8080/`);

/** The web, and fetchers that may reach it. */
const beside = JSON.stringify({
  services: {
    web: {
      image: 'crawlstream',
      entrypoint: ['node', '-e', site.replaceAll('$', '$$$$')],
      networks: { default: { aliases: seeds.map((seed) => new URL(seed).hostname) } },
    },
    'fetcher-1': { environment: { CRAWLSTREAM_ALLOW_PRIVATE: 'true' } },
    'fetcher-2': { environment: { CRAWLSTREAM_ALLOW_PRIVATE: 'true' } },
  },
});

export async function composeCrawl(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-compose-'));
  const file = join(folder, 'web.yml');
  writeFileSync(file, beside);
  const [command, ...words] = compose();
  const ask = (...args: readonly string[]) =>
    output(command!, [...words, '-p', project, '-f', join(root, 'docker-compose.yml'), '-f', file, ...args], {
      CONTACT: 'me@example.org',
    });
  // Of a run that was killed: containers that are there already are taken as they are.
  const clear = () => ask(...roles.flatMap((role) => ['--profile', role]), 'down', '-v', '-t', '10');
  await clear();
  try {
    const up = await timed(async () => {
      await ask('up', '-d');
      for (const role of ['frontier-1', 'fetcher-1', 'dashboard']) await untilHealthy(role);
    });
    const pages = await timed(async () => {
      await ask(
        '--profile',
        'tools',
        'run',
        '--no-deps',
        '--rm',
        'crawlstream',
        'inject',
        ...seeds,
        '--max-pages',
        '100',
      );
      return untilPages(() => ask('--profile', 'tools', 'run', '--no-deps', '--rm', 'crawlstream', 'pages', '--json'));
    });
    const consumed = await timed(() => consumers(ask));
    const stops = await stopTimes();
    return (
      `healthy after ${up.seconds} s, ${pages.value} pages after ${pages.seconds} s more, ` +
      `${consumed.value} ${consumed.seconds} s later; SIGTERM: ${stops}`
    );
  } finally {
    await clear();
    rmSync(folder, { recursive: true });
  }
}

/** The profiles of consumers, begun beside a crawl that runs: each comes to what it is for. */
async function consumers(ask: (...args: readonly string[]) => Promise<string>): Promise<string> {
  await ask(...roles.flatMap((role) => ['--profile', role]), 'up', '-d', '--no-recreate', ...roles);
  for (const role of roles) await untilHealthy(role);
  const inside = async (role: string, ...command: readonly string[]) =>
    output(engine(), ['exec', await containerOf(role), ...command]);
  const found = await until('search finds pages', async () => {
    const lines = (await inside('index', 'crawlstream', 'search', 'page', '--data', '/data', '--json')).trim();
    return lines.includes('/p/') ? lines.length : 0;
  });
  assert.ok(found > 0);
  // The file that is open belongs to the archive as much as those that are closed.
  const bytes = await until('the archive has responses', async () => {
    const script =
      'let n = 0; for (const f of require("fs").readdirSync("/data", { recursive: true })) if (/warc/.test(f)) n += require("fs").statSync("/data/" + f).size; console.log(n)';
    return Number(await inside('archive', 'node', '-e', script));
  });
  return `${roles.join(', ')} at work (${bytes} bytes of WARC)`;
}

async function until(what: string, value: () => Promise<number>): Promise<number> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const is = await value().catch((error: Error) => error);
    if (typeof is === 'number' && is > 0) return is;
    assert.ok(performance.now() < untilMs, `${what}: ${is}`);
    await sleep(2000);
  }
}

/** By the health check of the compose file, run here: engines differ in what they make of it. */
async function untilHealthy(role: string): Promise<void> {
  const [command, ...args] = (await readCompose({ CONTACT: 'me@example.org' }))[role]!.healthcheck!.test!.slice(1);
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const name = await containerOf(role);
    const check = await output(engine(), ['exec', name, command!, ...args]).catch((error: Error) => error);
    if (!(check instanceof Error)) return;
    assert.ok(performance.now() < untilMs, `${role} is healthy: ${check.message}`);
    await sleep(1000);
  }
}

async function containerOf(role: string): Promise<string> {
  const names = await output(engine(), ['ps', '-a', '--format', '{{.Names}}', '--filter', `name=${project}`]);
  const name = names.split('\n').find((one) => one.includes(role));
  assert.ok(name, `${role} is there: ${names}`);
  return name;
}

async function untilPages(read: () => Promise<string>): Promise<number> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const lines = (await read()).split('\n').filter((line) => line.startsWith('{'));
    const hosts = new Set(lines.map((line) => new URL((JSON.parse(line) as { readonly url: string }).url).hostname));
    if (lines.length >= pagesWanted) {
      assert.equal(hosts.size, seeds.length, 'pages of every host');
      return lines.length;
    }
    assert.ok(performance.now() < untilMs, `${lines.length} of ${pagesWanted} pages after ${patienceMs / 1000} s`);
    await sleep(2000);
  }
}

/** How long each role takes to end when it is told to, and its exit code. */
async function stopTimes(): Promise<string> {
  const said: string[] = [];
  for (const role of ['fetcher-1', 'frontier-1', 'dashboard']) {
    const name = await containerOf(role);
    const { seconds } = await timed(() => output(engine(), ['stop', '-t', String(graceSeconds), name]));
    const code = (await output(engine(), ['inspect', '--format', '{{.State.ExitCode}}', name])).trim();
    assert.equal(code, '0', `${role} ends by itself, in ${seconds} s`);
    said.push(`${role} ${seconds} s`);
  }
  return said.join(', ');
}
