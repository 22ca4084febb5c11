/**
 * Loaded before a test (`--import`), after start.mjs: writes what of the project's files ran in this thread, and what was
 * read of them, to the file that `CRAWLSTREAM_TEST_RECORDING` names, when the process ends.
 */
import { subscribe } from 'node:diagnostics_channel';
import fs, { statSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { root } from '../../run/files.ts';
import type { CountedRange } from './executed.ts';

export interface Recorded {
  /** Processor time of the process until its tests were loaded, start included, in milliseconds. */
  readonly loadMs: number;
  /** What the tests themselves took of it from then on. */
  readonly cpuMs: number;
  /** Files and folders of the project, from its root. A folder ends in `/`, or in `/**` with the folders below. */
  readonly read: readonly string[];
  readonly modules: readonly { readonly file: string; readonly ranges: readonly CountedRange[] }[];
}

const output = process.env['CRAWLSTREAM_TEST_RECORDING'];
if (output !== undefined && isMainThread) record(output);

function record(output: string): void {
  const rootUrl = pathToFileURL(root).href;
  const ownUrl = new URL('.', import.meta.url).href;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  const read = watchReads();
  let loadMs = 0;
  subscribe('crawlstream:tests-loaded', () => (loadMs = processorMs()));
  process.on('exit', () => {
    const cpuMs = processorMs() - loadMs;
    session.post('Profiler.takePreciseCoverage', (error, counted) => {
      if (error !== null) throw error;
      const modules = counted.result
        .filter(({ url }) => url.startsWith(rootUrl) && !url.includes('/node_modules/') && !url.startsWith(ownUrl))
        .map(({ url, functions }) => ({
          file: decodeURIComponent(url.split('?')[0]!.slice(rootUrl.length)),
          ranges: functions.flatMap(({ ranges }) => ranges),
        }));
      writeFileSync(output, JSON.stringify({ loadMs, cpuMs, read: read(), modules } satisfies Recorded));
    });
  });
}

/** Returns what has been read of the project by then. */
function watchReads(): () => string[] {
  const paths = new Map<string, string>();
  const watch = (module: Record<string, unknown>, name: string) => {
    const original = module[name] as (path: unknown, ...rest: unknown[]) => unknown;
    module[name] = (path: unknown, ...rest: unknown[]) => {
      const isRecursive = (rest[0] as { readonly recursive?: boolean } | undefined)?.recursive === true;
      if (path instanceof URL || typeof path === 'string')
        paths.set(path instanceof URL ? fileURLToPath(path) : resolve(path), isRecursive ? '/**' : '/');
      return original(path, ...rest);
    };
  };
  for (const name of ['readFileSync', 'readdirSync', 'createReadStream']) watch(fs as never, name);
  for (const name of ['readFile', 'readdir']) watch(fs.promises as never, name);
  syncBuiltinESMExports();
  return () =>
    [...paths].flatMap(([path, ending]) => {
      const from = relative(root, path);
      if (/^\.\.(?:\/|$)|(?:^|\/)node_modules\/|^\.cache\/mutation\/(?:compiled|recordings)\//.test(from)) return [];
      const there = statSync(path, { throwIfNoEntry: false });
      return there === undefined ? [] : [there.isDirectory() ? `${from}${ending}` : from];
    });
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
