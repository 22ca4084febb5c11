/** Holds the crawl that stopped the process of its fleet, so that the next start does not start it again. */
import type { LoopVerdict } from '../../../runtime/loop/loop-watch.ts';
import type { CrawlFile, CrawlKeep } from '../crawl-file.ts';
import { Fleet } from '../fleet.ts';
import type { Stops } from './stops.ts';

/** Returns the name of a crawl for the event-loop watch. It differs between crawls of one name. */
export function loopSubjectOf({ name, createdAtMs }: Pick<CrawlFile, 'name' | 'createdAtMs'>): string {
  return `${name} ${createdAtMs}`;
}

/**
 * Holds the crawl that blocked the last process of the fleet. `files`: all crawls; none may run yet. Resolves with the
 * updated files, once they are durable.
 */
export async function holdStopper(
  files: readonly CrawlFile[],
  verdict: Pick<LoopVerdict, 'how' | 'subject' | 'atMs'>,
  keep: Pick<CrawlKeep, 'write'>,
  stops: Pick<Stops, 'note'>,
  say: (text: string) => void,
): Promise<readonly CrawlFile[]> {
  const { how, subject, atMs } = verdict;
  if (how === null) return files;
  const at = new Date(atMs).toISOString();
  const found = files.find((file) => loopSubjectOf(file) === subject);
  if (found === undefined) {
    say(
      `the last process of this fleet died at ${at} while its event loop was blocked; the crawl that blocked it is unknown`,
    );
    return files;
  }
  const { name } = found;
  if (how === 'died') {
    say(
      `the last process of this fleet died at ${at} while it worked for ${name}: ${name} is held if that happens again`,
    );
    return files;
  }
  if (found.wish === 'ended' || found.hold !== null) return files;
  const did =
    how === 'ended'
      ? `work for this crawl kept the process of the fleet from answering, so the process was ended at ${at}`
      : `the process of the fleet died twice while it worked for this crawl and did not answer, the last time at ${at}`;
  const why = `${did}. The crawl is held, so that the others continue: the operator resumes it (POST /v1/crawls/${name}/resume), its owner can delete it`;
  say(`${name}: ${why}`);
  await stops.note(found, atMs);
  const held = await Fleet.hold(keep, found, why, atMs);
  return files.map((file) => (file === found ? held : file));
}
