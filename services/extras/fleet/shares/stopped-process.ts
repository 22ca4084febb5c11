/** Holds the crawl that stopped the process of its fleet, and those like it, so that the next start starts none of them. */
import type { LoopVerdict } from '../../../runtime/loop/loop-watch.ts';
import type { CrawlFile, CrawlKeep } from '../crawl-file.ts';
import { Fleet } from '../fleet.ts';
import type { Stops } from './stops.ts';

/** Returns the name of a crawl for the event-loop watch. It differs between crawls of one name. */
export function loopSubjectOf({ name, createdAtMs }: Pick<CrawlFile, 'name' | 'createdAtMs'>): string {
  return `${name} ${createdAtMs}`;
}

/**
 * Holds the crawl that blocked the last process of the fleet, and all crawls of its owner that would be held if they
 * were created now. `files`: all crawls; none may run yet. Resolves with the updated files, once they are durable.
 */
export async function holdStopper(
  files: readonly CrawlFile[],
  verdict: Pick<LoopVerdict, 'how' | 'subject' | 'atMs'>,
  keep: Pick<CrawlKeep, 'write'>,
  stops: Pick<Stops, 'note' | 'holdOf'>,
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
  await stops.note(found, how, atMs);
  const held = new Map<CrawlFile, CrawlFile>();
  // The stopper is held last: if the process is killed before, the next start does all of this again.
  for (const file of [...files.filter((file) => file !== found), found]) {
    const hold = file === found ? why : holdAsWell(file, found, stops);
    if (hold === null) continue;
    say(`${file.name}: ${hold}`);
    held.set(file, await Fleet.hold(keep, file, hold, atMs));
  }
  return files.map((file) => held.get(file) ?? file);
}

/** Returns the reason why a crawl is held because another one stopped the process. null: it may run. */
function holdAsWell(file: CrawlFile, stopper: CrawlFile, stops: Pick<Stops, 'holdOf'>): string | null {
  if (file.owner !== stopper.owner || file.wish === 'ended' || file.hold !== null) return null;
  return stops.holdOf(file);
}
