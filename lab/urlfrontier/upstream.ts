/**
 * URLFrontier itself, built from a checkout of crawler-commons/url-frontier: Maven Central has only its stubs
 * (urlfrontier-API, up to 2.5), neither its client nor its server. Needs Java 17 and Maven; some three minutes the
 * first time.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CrawlstreamError } from '../../topology/errors.ts';
import { fetchJars } from '../kafka/components.ts';

const run = promisify(execFile);
const suiteFolder = 'tests/src/test/java/crawlercommons/urlfrontier/service';
const buildMs = 1_200_000;
const suiteMs = 300_000;

export interface Upstream {
  readonly version: string;
  /** With all dependencies included. */
  readonly clientJar: string;
  readonly serviceJar: string;
}

/** Builds missing jars, in the checkout's own `target` folders. */
export async function buildUpstream(checkout: string): Promise<Upstream> {
  const folder = resolve(checkout);
  const pom = await readFile(join(folder, 'pom.xml'), 'utf8').catch(() => '');
  const version = /<artifactId>urlfrontier<\/artifactId>[\s\S]*?<version>([^<]+)</.exec(pom)?.[1];
  if (version === undefined || !existsSync(join(folder, suiteFolder)))
    throw new CrawlstreamError('INVALID_ARGUMENT', `${checkout}: give a checkout of crawler-commons/url-frontier`);
  const jar = (part: string) => join(folder, part, 'target', `urlfrontier-${part}-${version}.jar`);
  const upstream = { version, clientJar: jar('client'), serviceJar: jar('service') };
  if (!existsSync(upstream.clientJar) || !existsSync(upstream.serviceJar)) {
    const goals = ['-q', '-B', '-DskipFormatCode=true', '-DskipTests', '-pl', 'API,client,service', 'package'];
    await run('mvn', goals, { cwd: folder, timeout: buildMs, maxBuffer: 64 * 1024 * 1024 });
  }
  return upstream;
}

/** JUnit's report of the suite in the checkout's `tests` against the server at this port of this machine. */
export async function runSuite(checkout: string, { clientJar }: Upstream, port: number): Promise<string> {
  const junit = await fetchJars('junit-4.13.2', [
    { group: 'junit', name: 'junit', version: '4.13.2' },
    { group: 'org.slf4j', name: 'slf4j-nop', version: '2.0.3' },
  ]);
  const classes = await mkdtemp(join(tmpdir(), 'urlfrontier-suite-'));
  try {
    const path = [classes, clientJar, join(junit, '*')].join(delimiter);
    const sources = readdirSync(join(checkout, suiteFolder)).filter((name) => name.endsWith('.java'));
    await run('javac', ['-d', classes, '-cp', path, ...sources.map((name) => join(checkout, suiteFolder, name))]);
    const names = sources.map((name) => `crawlercommons.urlfrontier.service.${name.slice(0, -5)}`);
    const where = ['-Durlfrontier.host=127.0.0.1', `-Durlfrontier.port=${port}`];
    const args = [...where, '-cp', path, 'org.junit.runner.JUnitCore', ...names];
    const said = await run('java', args, { timeout: suiteMs, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => {
        if (!/^Tests run: /m.test(error.stdout ?? '')) throw error;
        return { stdout: error.stdout! };
      },
    );
    return said.stdout;
  } finally {
    await rm(classes, { recursive: true, force: true });
  }
}

export interface UpstreamServer {
  readonly port: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** The original's server on RocksDB below `folder`. */
export async function startUpstream({ serviceJar }: Upstream, folder: string): Promise<UpstreamServer> {
  await mkdir(join(folder, 'rocksdb'), { recursive: true });
  const config = join(folder, 'config.ini');
  const store = 'implementation = crawlercommons.urlfrontier.service.rocksdb.RocksDBService';
  await writeFile(config, `${store}\nrocksdb.path = ${join(folder, 'rocksdb')}\n`);
  const port = await freePort();
  const args = ['-Xmx1g', '-jar', serviceJar, '-p', `${port}`, '-c', config];
  const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-20_000)));
  while (!/Started URLFrontierServer/.test(said)) {
    if (child.exitCode !== null) throw new Error(`URLFrontier's server ended: ${said}`);
    await sleep(50);
  }
  return {
    port,
    child,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    },
  };
}

/** A port below 32768, where the range for outgoing connections begins. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => done(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}
