/**
 * Loaded before a test (`--import`), after start.mjs: writes what of the project's files ran in this thread to the file that
 * `CRAWLSTREAM_TEST_RECORDING` names, when the process ends.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { root } from '../../run/files.ts';
import type { CountedRange } from './executed.ts';

export interface Recorded {
  /** Processor time of the process, start included, in milliseconds. */
  readonly cpuMs: number;
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
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    session.post('Profiler.takePreciseCoverage', (error, counted) => {
      if (error !== null) throw error;
      const modules = counted.result
        .filter(({ url }) => url.startsWith(rootUrl) && !url.includes('/node_modules/') && !url.startsWith(ownUrl))
        .map(({ url, functions }) => ({
          file: decodeURIComponent(url.split('?')[0]!.slice(rootUrl.length)),
          ranges: functions.flatMap(({ ranges }) => ranges),
        }));
      writeFileSync(output, JSON.stringify({ cpuMs: (user + system) / 1000, modules } satisfies Recorded));
    });
  });
}
