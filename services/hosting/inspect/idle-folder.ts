/** Reports whether the crawl of a data folder is idle, and the commands that change that. */
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

/**
 * null: a process runs the crawl, or it is on Kafka, where owners and fetchers are counted. `data`: as it was typed.
 */
export async function idleOf(
  { folder, brokersLog }: Pick<ReadableCrawl, 'folder' | 'brokersLog'>,
  data: string | undefined,
  nowMs: number,
): Promise<IdleCrawl | null> {
  if (folder === null || brokersLog !== null) return null;
  const { isRunning, lastWrittenMs } = await activityOf(folder, logFolder(folder), nowMs);
  if (isRunning) return null;
  const place = placeText({ data: data ?? folder.path });
  const runs = folder.manifest.sink === 'pull' ? 'urlfrontier' : 'crawl';
  return { lastWrittenMs, resume: `${ownName()} ${runs} ${place}`, unpause: `${ownName()} resume ${place}` };
}
