/**
 * Loaded before a test (`--import`), after start.mjs: writes what of the project's files ran in this thread to the file that
 * `CRAWLSTREAM_TEST_RECORDING` names, when the process ends.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { root } from '../../run/files.ts';
import type { CountedRange } from './executed.ts';

export interface Recorded {
  /** Processor time of the process until its tests were loaded, start included, in milliseconds. */
  readonly loadMs: number;
  /** What the tests themselves took of it from then on. */
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
      writeFileSync(output, JSON.stringify({ loadMs, cpuMs, modules } satisfies Recorded));
    });
  });
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
