/** Reports whether a process runs the crawl of a data folder, and the commands that change that. */
import { activityOf } from '../../runtime/data-folder/run-mark.ts';
import { ownName } from '../../runtime/own-name.ts';
import { logFolder } from '../connect/crawl-folder.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { placeText } from '../connect/place-text.ts';

export interface IdleCrawl {
  /** Time of the newest record; null: nothing was ever written. */
  readonly lastWrittenMs: number | null;
  /** Commands that continue the crawl, and that end a pause. */
  readonly resume: string;
  readonly unpause: string;
}

export interface CrawlActivity {
  /** null: a process runs the crawl, or it is on Kafka, where owners and fetchers are counted. */
  readonly idle: IdleCrawl | null;
  /** Time since the last sign of life of the process that runs the crawl; null: unknown, or none runs it. ms */
  readonly silentMs: number | null;
}

/** `data`: as it was typed. */
export async function activityOfCrawl(
  { folder, brokersLog }: Pick<ReadableCrawl, 'folder' | 'brokersLog'>,
  data: string | undefined,
  nowMs: number,
): Promise<CrawlActivity> {
  if (folder === null || brokersLog !== null) return { idle: null, silentMs: null };
  const { isRunning, silentMs, lastWrittenMs } = await activityOf(folder, logFolder(folder), nowMs);
  if (isRunning) return { idle: null, silentMs };
  const place = placeText({ data: data ?? folder.path });
  const runs = folder.manifest.sink === 'pull' ? 'urlfrontier' : 'crawl';
  const idle = { lastWrittenMs, resume: `${ownName()} ${runs} ${place}`, unpause: `${ownName()} resume ${place}` };
  return { idle, silentMs: null };
}

/** As `activityOfCrawl`. */
export async function idleOf(
  crawl: Pick<ReadableCrawl, 'folder' | 'brokersLog'>,
  data: string | undefined,
  nowMs: number,
): Promise<IdleCrawl | null> {
  return (await activityOfCrawl(crawl, data, nowMs)).idle;
}
