/**
 * Loaded before a test (`--import`), after tsx: writes what of the project's files ran in this thread to the file that
 * `CRAWLSTREAM_TEST_RECORDING` names, when the process ends. `CRAWLSTREAM_TEST_COMPILED` is the folder of compiled sources.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { root } from '../../run/files.ts';
import type { CountedRange } from './executed.ts';

export interface Recorded {
  /** Processor time of the process, start included, in milliseconds. */
  readonly cpuMs: number;
  readonly modules: readonly { readonly file: string; readonly ranges: readonly CountedRange[] }[];
}

const [output, compiled] = [process.env['CRAWLSTREAM_TEST_RECORDING'], process.env['CRAWLSTREAM_TEST_COMPILED']];
if (output !== undefined && compiled !== undefined && isMainThread) record(output, compiled);

function record(output: string, compiled: string): void {
  const rootUrl = pathToFileURL(root).href;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  register('./hook.mjs', import.meta.url, { data: { rootUrl, folderUrl: pathToFileURL(compiled).href } });
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    session.post('Profiler.takePreciseCoverage', (error, counted) => {
      if (error !== null) throw error;
      const modules = counted.result
        .filter(({ url }) => url.startsWith(rootUrl) && !url.includes('/node_modules/'))
        .map(({ url, functions }) => ({
          file: decodeURIComponent(url.split('?')[0]!.slice(rootUrl.length)),
          ranges: functions.flatMap(({ ranges }) => ranges),
        }));
      writeFileSync(output, JSON.stringify({ cpuMs: (user + system) / 1000, modules } satisfies Recorded));
    });
  });
}
