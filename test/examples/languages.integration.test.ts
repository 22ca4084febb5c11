/** The consumers in Python, Go and Java, and Kafka Connect, installed and started by the commands of examples/README.md, on a real broker. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kafka, logLevel } from 'kafkajs';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
import { startRegistry, type TestRegistry } from '../kafka/registry.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const skip = (await skipReason()) ?? false;
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const crawl = 'languages';
/** Go and Maven fetch what they need first, and compile it. */
const patienceMs = 240_000;
const linesMax = 80;

/** The commands of a folder's row in examples/README.md. */
function commandsOf(folder: string): readonly string[] {
  const row = readFileSync(join(examples, 'README.md'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| [${folder}/]`));
  return [...(row ?? assert.fail(folder)).split('|')[3]!.matchAll(/`([^`]+)`/g)].map(([, command]) => command!);
}

interface Started {
  readonly lines: () => string[];
  readonly isRunning: () => boolean;
  /** As Ctrl-C does. */
  stop(): Promise<void>;
}

describe('the consumers in Python, Go and Java, and Kafka Connect', { skip, timeout: 900_000 }, () => {
  let broker: TestBroker;
  let registry: TestRegistry;
  let at: readonly string[];
  const folder = temporaryFolder();
  const running = new Set<ChildProcess>();

  before(async () => {
    execFileSync('python3', ['-m', 'venv', join(folder, 'environment')]);
    [broker, registry] = await Promise.all([startBroker(), startRegistry()]);
    at = ['--brokers', broker.brokers, '--registry', registry.url, '--crawl', crawl];
    for (const name of ['python', 'go', 'java', 'connect'])
      cpSync(join(examples, name), join(folder, name), { recursive: true });
  });
  after(async () => {
    for (const child of running) signalAll(child, 'SIGKILL');
    await Promise.all([broker?.stop(), registry?.stop()]);
  });

  /** With all that it starts itself, as a terminal would. */
  function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
    try {
      process.kill(-pid!, signal);
    } catch {
      // It has ended.
    }
  }

  function start(name: string, command: string): Started & { readonly ended: Promise<number | null> } {
    const path = `${join(folder, 'environment/bin')}:${process.env['PATH']}`;
    const env = {
      ...process.env,
      PATH: path,
      BROKERS: broker.brokers,
      REGISTRY: registry.url,
      CRAWL: crawl,
      APICURIO: registry.ownUrl,
    };
    const child = spawn('sh', ['-c', command], {
      ...{ cwd: join(folder, name), env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    running.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream!.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).finally(() =>
      running.delete(child),
    );
    const stop = async () => {
      signalAll(child, 'SIGINT');
      await ended;
    };
    const lines = () => text.split('\n').filter((line) => line !== '');
    return { lines, isRunning: () => running.has(child), stop, ended };
  }

  /** The last command goes on; those before it install. */
  async function startExample(name: string): Promise<Started> {
    const commands = commandsOf(name);
    for (const command of commands.slice(0, -1)) {
      const { ended, lines } = start(name, command);
      assert.equal(await ended, 0, lines().join('\n'));
    }
    return start(name, commands.at(-1)!);
  }

  async function until(started: Started, what: string, holds: () => boolean): Promise<void> {
    for (const untilMs = Date.now() + patienceMs; !holds(); await sleep(100))
      if (Date.now() > untilMs || !started.isRunning())
        assert.fail(`waited in vain: ${what}: ${started.lines().slice(-40).join('\n')}`);
  }

  async function pagesNow(): Promise<string[]> {
    const { code, stdout, stderr } = await runCommand(['pages', ...at]);
    assert.equal(code, 0, stderr);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { url: string }).url).sort();
  }

  const urlsOf = ({ lines }: Started) => lines().flatMap((line) => /^\d+ \d+ (http\S+)/.exec(line)?.[1] ?? []);
  const takenBackOf = ({ lines }: Started) => lines().flatMap((line) => /^taken back: (\S+)$/.exec(line)?.[1] ?? []);
  /** The newest count of each host. */
  const countsOf = ({ lines }: Started) =>
    new Map(
      lines()
        .flatMap((line) => [/^(\S+\.test:\d+) (\d+)$/.exec(line)])
        .flatMap((one) => (one ? [[one[1]!, Number(one[2])] as const] : [])),
    );
  const hostsOf = (urls: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const url of urls) counts.set(new URL(url).host, (counts.get(new URL(url).host) ?? 0) + 1);
    return counts;
  };
  const sameCounts = (one: ReadonlyMap<string, number>, two: ReadonlyMap<string, number>) =>
    one.size === two.size && [...one].every(([host, count]) => two.get(host) === count);

  /** The URLs in the lines that Connect has appended, sorted. */
  function urlsOfConnect(): string[] {
    const file = join(folder, 'connect', 'pages.txt');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    return lines.map((line) => /^Struct\{url=(\S+),status=200,title=\S/.exec(line)?.[1] ?? line).sort();
  }

  /** By the positions of its consumer group. */
  async function hasConnectReadAll(): Promise<boolean> {
    const admin = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      const topic = `${crawl}.pages`;
      const ends = await admin.fetchTopicOffsets(topic);
      const [read] = await admin.fetchOffsets({ groupId: 'connect-pages-to-file', topics: [topic] });
      const positions = new Map(read?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      return ends.every(({ partition, high }) => Number(high) === 0 || positions.get(partition) === Number(high));
    } finally {
      await admin.disconnect();
    }
  }

  it('each example has fewer than 80 lines', () => {
    for (const file of ['python/titles.py', 'go/titles.go', 'java/src/main/java/PagesByHost.java'])
      assert.ok(readFileSync(join(examples, file), 'utf8').split('\n').length - 1 < linesMax, file);
  });

  it('the examples read each page of a crawl once, resume where they stopped, and follow pages that are taken back', async () => {
    const web = await startSmallWeb({ hosts: 6, pagesPerHost: 6, seed: 33 });
    const flags = ['--partitions', '3', '--delay', '20ms', '--data', join(folder, 'data')];
    const crawled = await runCommand([...web.crawlArguments, ...at, ...flags]);
    assert.equal(crawled.code, 0, crawled.stderr);
    const pages = await pagesNow();
    assert.equal(pages.length, web.plan.expected(web.port).fetch.size);

    for (const name of ['python', 'go']) {
      const started = await startExample(name);
      await until(started, `${name} reads every page`, () => urlsOf(started).length >= pages.length);
      await started.stop();
      assert.deepEqual(urlsOf(started).sort(), pages, name);
    }
    const connecting = await startExample('connect');
    await until(connecting, 'Connect appends every page', () => urlsOfConnect().length >= pages.length);
    await connecting.stop();
    assert.deepEqual(urlsOfConnect(), pages);
    const counting = await startExample('java');
    await until(counting, 'Java counts every page', () => sameCounts(countsOf(counting), hostsOf(pages)));
    await counting.stop();

    const { host } = new URL(pages[0]!);
    const gone = pages.filter((url) => new URL(url).host === host);
    for (const command of [['purge', host, '--force'], ['forget']]) {
      const { code, stderr } = await runCommand([...command, ...at]);
      assert.equal(code, 0, stderr);
    }
    for (const name of ['python', 'go']) {
      const started = await startExample(name);
      await until(started, `${name} sees what is taken back`, () => takenBackOf(started).length >= gone.length);
      await started.stop();
      assert.deepEqual(takenBackOf(started).sort(), gone, name);
      assert.deepEqual(urlsOf(started), [], name);
    }
    const connected = await startExample('connect');
    while (!(await hasConnectReadAll())) {
      assert.ok(connected.isRunning(), connected.lines().slice(-40).join('\n'));
      await sleep(500);
    }
    await connected.stop();
    assert.deepEqual(urlsOfConnect(), pages);
    // On another machine, the state comes from its changelog.
    rmSync(join(folder, 'java', 'state'), { recursive: true });
    const again = await startExample('java');
    await until(again, 'Java counts no page that is taken back', () => countsOf(again).get(host) === 0);
    await again.stop();
  });
});
