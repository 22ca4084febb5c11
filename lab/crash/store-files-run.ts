/**
 * The files of RocksDB and LevelDB after a power cut. A process writes rows, a preloaded library notes what the process
 * synced, and copies of the folder lose the rest. The contract of a store: all synced writes are there, and of the
 * others no later write without the earlier ones.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStateStore, type StoreName } from '../../services/runtime/store/open-store.ts';
import type { Exploration } from './explore.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Undefined: this machine has no C compiler, or cannot preload a library. */
export function compileShim(folder: string, source = 'synced.c'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const to = join(folder, `${source}.so`);
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', to, here(source), '-ldl'], { stdio: 'ignore' });
    return to;
  } catch {
    return undefined;
  }
}

/** `folder`: for files that are written meanwhile. */
export async function exploreStoreFiles(
  store: StoreName,
  shim: string,
  folder: string,
  seed: number,
  rolls = 4,
): Promise<Exploration> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const data = join(folder, 'data');
  const copies = join(folder, 'copies');
  const lines = await write(store, shim, [data, copies, `${seed}`, `${rolls}`], join(folder, 'synced'));
  const violations: string[] = [];
  let states = 0;
  for (const line of lines) {
    const [copy, newest, synced] = line.split(' ').map(Number) as [number, number, number];
    for (const cut of cuts) {
      const path = join(folder, 'cut');
      rmSync(path, { recursive: true, force: true });
      cpSync(join(copies, `${copy}`), path, { recursive: true });
      cutLogs(path, data, readFileSync(join(copies, `${copy}.durable`), 'utf8'), cut);
      states += 1;
      const wrong = await check(store, path, newest, synced);
      if (wrong !== undefined)
        violations.push(`${store}, seed ${seed}, copy ${copy}, lost: ${JSON.stringify(cut)}: ${wrong}`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return { states, violations };
}

async function write(store: StoreName, shim: string, given: string[], log: string): Promise<string[]> {
  const env = { ...process.env, CRAWLSTREAM_STORE: store, LD_PRELOAD: shim, SYNCED_LOG: log };
  const child = spawn(process.execPath, ['--import', 'tsx', here('store-files-writer.ts'), ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
  if (signal !== 'SIGKILL') throw new Error(`the process that writes into ${store} ended before its time`);
  return out.trim().split('\n');
}

interface Cut {
  /** The newest write-ahead log is unchanged. */
  readonly isOlderAlone: boolean;
  /** A log is lost if its folder was not synced since the log was created. */
  readonly withNames: boolean;
}

const cuts: readonly Cut[] = [true, false].flatMap((isOlderAlone) =>
  [true, false].map((withNames) => ({ isOlderAlone, withNames })),
);

/** Removes unsynced bytes from the write-ahead logs. */
function cutLogs(folder: string, data: string, durable: string, { isOlderAlone, withNames }: Cut): void {
  const sizes = new Map<string, number>();
  const isNamed = new Set<string>();
  for (const line of durable.split('\n').slice(0, -1)) {
    const [what, size, path] = /^(\S+) (\d+) (.*)$/.exec(line)!.slice(1) as [string, string, string];
    if (what === 'name') isNamed.add(path);
    else sizes.set(path, Number(size));
  }
  const logs = readdirSync(folder)
    .filter((name) => /^\d+\.log$/.test(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  for (const name of isOlderAlone ? logs.slice(0, -1) : logs) {
    const path = join(folder, name);
    const kept = sizes.get(join(data, name)) ?? 0;
    if (withNames && !isNamed.has(join(data, name))) rmSync(path);
    else if (statSync(path).size > kept) truncateSync(path, kept);
  }
}

async function check(name: StoreName, folder: string, newest: number, synced: number): Promise<string | undefined> {
  if (!existsSync(join(folder, 'CURRENT'))) return 'the store is gone';
  const before = process.env['CRAWLSTREAM_STORE'];
  process.env['CRAWLSTREAM_STORE'] = name;
  try {
    const store = await openStateStore(folder);
    const there = await store.getMany(Array.from({ length: newest + 1 }, (_, number) => Buffer.from(`w${number}`)));
    await store.close();
    const lost = there.indexOf(undefined);
    if (lost === -1) return undefined;
    if (lost <= synced) return `write ${lost} of ${synced} that were synced is gone`;
    const later = there.findIndex((value, number) => number > lost && value !== undefined);
    return later === -1 ? undefined : `write ${later} is there, and write ${lost} before it is not`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    if (before === undefined) delete process.env['CRAWLSTREAM_STORE'];
    else process.env['CRAWLSTREAM_STORE'] = before;
  }
}
