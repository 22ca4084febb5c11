/**
 * The software that the tests run against, at pinned versions, fetched once by Maven into a cache folder.
 *
 * Several test files may need it at once: one fetches it into a temporary folder, and renames that folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const kafkaVersion = '4.3.1';
const log4jVersion = '2.25.4';
export const registryVersion = '2.6.13.Final';

/** `$XDG_CACHE_HOME/crawlstream-test`, or `.cache/` in the project. */
export const cacheFolder = process.env['XDG_CACHE_HOME']
  ? join(process.env['XDG_CACHE_HOME'], 'crawlstream-test')
  : resolve(import.meta.dirname, '../../.cache');

/** The folder with the broker's jars. */
export function kafkaJars(): Promise<string> {
  return fetchJars(`kafka-${kafkaVersion}`, [
    { group: 'org.apache.kafka', name: 'kafka_2.13', version: kafkaVersion },
    { group: 'org.apache.logging.log4j', name: 'log4j-slf4j-impl', version: log4jVersion },
  ]);
}

export interface Artifact {
  readonly group: string;
  readonly name: string;
  readonly version: string;
}

/** The folder with the jars of some artifacts, and of their dependencies. */
export function fetchJars(name: string, artifacts: readonly Artifact[]): Promise<string> {
  return fetchOnce(name, async (folder) => {
    const pom = join(folder, 'pom.xml');
    await writeFile(pom, pomOf(artifacts));
    await maven(folder, [
      '-f',
      pom,
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${folder}`,
    ]);
  });
}

/** The registry's one runnable jar. */
export async function registryJar(): Promise<string> {
  const folder = await fetchOnce(`apicurio-${registryVersion}`, async (into) => {
    await maven(into, [
      'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack',
      `-Dartifact=io.apicurio:apicurio-registry-app:${registryVersion}:tar.gz:all`,
      `-DoutputDirectory=${into}`,
    ]);
    await runnableJar(into);
  });
  return runnableJar(folder);
}

async function runnableJar(folder: string): Promise<string> {
  const jar = (await readdir(folder)).find((name) => name.endsWith('-runner.jar'));
  if (!jar) throw new Error(`no runnable jar in ${folder}: remove the folder, and it is fetched again`);
  return join(folder, jar);
}

let missing: Promise<string | undefined> | undefined;

/**
 * The reason why tests that need a broker or a registry cannot run here; undefined if they can. If `CI` is set, missing
 * software is a failure instead: nothing may be skipped there.
 */
export async function skipReason(): Promise<string | undefined> {
  if (process.env['KAFKA_BROKERS'] && process.env['SCHEMA_REGISTRY_URL']) return undefined;
  missing ??= findMissing();
  const reason = await missing;
  if (reason && process.env['CI']) throw new Error(`${reason}: in CI nothing may be skipped`);
  return reason;
}

async function findMissing(): Promise<string | undefined> {
  const isThere = (command: string, args: string[]) =>
    run(command, args).then(
      () => true,
      () => false,
    );
  if (!(await isThere('java', ['-version']))) {
    return 'no Java 17 here, and KAFKA_BROKERS with SCHEMA_REGISTRY_URL are not set';
  }
  const fetched =
    existsSync(join(cacheFolder, `kafka-${kafkaVersion}`)) &&
    existsSync(join(cacheFolder, `apicurio-${registryVersion}`));
  if (fetched) return undefined;
  if (!(await isThere('mvn', ['-version']))) return 'no Maven here to fetch the broker with';
  try {
    await Promise.all([kafkaJars(), registryJar()]);
    return undefined;
  } catch (error) {
    return `the broker or the registry could not be fetched: ${(error as Error).message.split('\n')[0]}`;
  }
}

/** A folder of the cache, filled by `fill` if it is not there yet; one process fills, the others wait for it. */
export async function fetchOnce(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(cacheFolder, name);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder, { recursive: true });
  const lock = await lockFolder(`${folder}.lock`);
  const stays = setInterval(() => utimes(`${folder}.lock`, new Date(), new Date()).catch(() => {}), lockMs / 10);
  try {
    if (existsSync(folder)) return folder;
    const partial = await mkdtemp(join(cacheFolder, `${name}-partial-`));
    try {
      await fill(partial);
      await rename(partial, folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
    return folder;
  } finally {
    clearInterval(stays);
    await lock.release();
  }
}

/** A lock older than this was left behind by a process that was killed. ms */
const lockMs = 200_000;

async function lockFolder(path: string): Promise<{ release(): Promise<void> }> {
  for (;;) {
    try {
      await mkdir(path);
      return { release: () => rm(path, { recursive: true, force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > lockMs) await rm(path, { recursive: true, force: true });
      else await sleep(200);
    }
  }
}

/** In `folder`: the plugin marks there what it has unpacked, and would not unpack it again into another folder. */
async function maven(folder: string, args: readonly string[]): Promise<void> {
  await run('mvn', ['-q', '-B', '-Dstyle.color=never', ...args], { cwd: folder, timeout: 180_000 });
}

function pomOf(artifacts: readonly Artifact[]): string {
  const dependencies = artifacts.map(
    ({ group, name, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
 <groupId>crawlstream.test</groupId><artifactId>components</artifactId><version>1</version><packaging>pom</packaging>
 <dependencies>${dependencies.join('\n  ')}</dependencies>
</project>
`;
}
