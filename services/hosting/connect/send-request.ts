/**
 * Sends records to a crawl: to the brokers, or into a data folder, which a running crawl may have locked.
 *
 * For a data folder, records always go through its inbox (services/runtime/crawl/command-inbox.ts): the running crawl
 * reads them; if none runs, this command does.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { CommandInbox } from '../../runtime/crawl/command-inbox.ts';
import type { CrawlTopics, RequestRecord } from '../../runtime/crawl/requests.ts';
import { encodeRequest } from '../../runtime/crawl/requests.ts';
import { takeRequests } from '../../runtime/crawl/take-requests.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { needData, withFolderLog } from './folder-log.ts';
import { withKafka } from './kafka-connection.ts';

export interface Sent {
  readonly records: readonly RequestRecord[];
  readonly offsets: readonly number[];
}

/** A running crawl looks five times a second; one that is busy starting or stopping takes longer. */
const patienceMs = 15_000;
const lookEveryMs = 50;

/** Resolves once the records are durable. `make` gets the crawl's topics. */
export async function sendRequest(
  flags: KafkaFlags,
  clock: Clock,
  make: (topics: CrawlTopics) => readonly RequestRecord[],
): Promise<Sent> {
  if (flags.brokers !== undefined) {
    return withKafka(flags, clock, false, async ({ log, codec, manifest }) => {
      const records = make(manifest);
      return { records, offsets: await log.append(encodeRequest(codec, manifest.crawl, records)) };
    });
  }
  const folder = await readDataFolder(await needData(flags));
  const records = make(folder.manifest);
  return { records, offsets: await leave(folder, records, clock) };
}

async function leave(folder: DataFolder, records: readonly RequestRecord[], clock: Clock): Promise<readonly number[]> {
  const inbox = new CommandInbox(folder);
  const id = await inbox.post(records, clock.nowMs());
  const untilMs = clock.nowMs() + patienceMs;
  while (clock.nowMs() < untilMs) {
    const answer = await inbox.answerTo(id);
    if (answer?.taken === true) return answer.offsets;
    if (answer?.taken === false)
      throw new CrawlstreamError('INVALID_RECORD', `the crawl rejected the request: ${answer.why}`);
    if (!(await takeHere(folder, inbox, clock))) await clock.sleepUntil(clock.nowMs() + lookEveryMs);
  }
  throw new CrawlstreamError(
    'DATA_FOLDER_LOCKED',
    `the process that holds ${folder.path} did not answer within ${patienceMs / 1000} s: the request is saved, and applied when the crawl next starts`,
  );
}

/** False: another process has locked the folder. */
async function takeHere(folder: DataFolder, inbox: CommandInbox, clock: Clock): Promise<boolean> {
  const { crawl } = folder.manifest;
  try {
    await withFolderLog(folder, clock, ({ log, codec }) => takeRequests({ inbox, log, codec, crawl, clock }));
    return true;
  } catch (error) {
    if (error instanceof CrawlstreamError && error.code === 'DATA_FOLDER_LOCKED') return false;
    throw error;
  }
}
