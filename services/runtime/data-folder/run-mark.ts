/**
 * Shows readers whether a process runs the crawl of a data folder. The store's lock excludes a second process, but
 * does not show a reader that another process holds it.
 *
 *   running   its modification time is the last sign of life of the process that runs the crawl; absent: it ended normally
 *
 * A killed process leaves the file behind. A reader on its machine sees at once that the process has ended; for others
 * the file grows old. No decision depends on it.
 */
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { DataFolder } from './data-folder.ts';
import { hasEnded, nameOfThisProcess } from './named-process.ts';

export const markName = 'running';
const signEveryMs = 2_000;
/** Without a sign of life for this long, no process runs the crawl, because no live process pauses as long. ms */
export const silentMsMax = 30_000;

export interface FolderActivity {
  readonly isRunning: boolean;
  /** Time since the last sign of life of the process that runs the crawl; null: none does. ms */
  readonly silentMs: number | null;
  /** Time by the clock of the file system; null: nothing was ever written. */
  readonly lastWrittenMs: number | null;
}

/** Gives signs of life while `act` runs. The process holds the folder's log. `everyMs`: well below `silentMsMax`. */
export async function markedAsRunning<T>(
  folder: DataFolder,
  clock: Clock,
  act: () => Promise<T>,
  everyMs = signEveryMs,
): Promise<T> {
  const file = folder.part(markName);
  const ended = new AbortController();
  const signs = (async () => {
    // The file of a killed process names that process.
    let isNamed = false;
    while (!ended.signal.aborted) {
      // A sign cannot be written on a full disk. That is no reason to end a crawl, since the next sign may succeed.
      isNamed = await sign(file, clock.nowMs(), isNamed).then(
        () => true,
        () => false,
      );
      await clock.sleepUntil(clock.nowMs() + everyMs, ended.signal);
    }
  })();
  try {
    return await act();
  } finally {
    ended.abort();
    await signs;
    await rm(file, { force: true }).catch(() => {});
  }
}

/** One call of the file system for most signs: a fleet gives them for hundreds of crawls. */
async function sign(file: string, nowMs: number, isNamed: boolean): Promise<void> {
  const atS = nowMs / 1000;
  if (!isNamed) await writeFile(file, await nameOfThisProcess());
  await utimes(file, atS, atS);
}

/** `log`: the folder of the log's store. */
export async function activityOf(
  folder: Pick<DataFolder, 'part'>,
  log: string,
  nowMs: number,
): Promise<FolderActivity> {
  const mark = folder.part(markName);
  const [signMs, lastWrittenMs] = await Promise.all([changedMs(mark), newestOf(log)]);
  const silentMs = signMs === null ? null : Math.max(0, nowMs - signMs);
  const isRunning = silentMs !== null && silentMs <= silentMsMax && !(await hasEnded(await textOf(mark)));
  return { isRunning, silentMs: isRunning ? silentMs : null, lastWrittenMs };
}

/** Empty: it is not there, or an earlier release wrote it. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** Files with rows in a store; others are written by any process that opens it. */
const rowFiles = /^\d+\.(log|sst|ldb)$/;

async function newestOf(folder: string): Promise<number | null> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => rowFiles.test(name));
  const times = await Promise.all(names.map((name) => changedMs(join(folder, name))));
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** null: it is not there, or gone meanwhile. */
async function changedMs(file: string): Promise<number | null> {
  const { mtimeMs } = (await stat(file).catch(() => undefined)) ?? {};
  return mtimeMs === undefined ? null : Math.floor(mtimeMs);
}
