/** The frontier's time by stage: a CPU profile of the measured stretch, in this process. */
import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { type Stages, stageShares } from '../fetcher/fetch-stages.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';

const stages: Stages = [
  ['generator', /\/test\/bench\/(?:link-source|lease-player|played-log)\./],
  ['policy: normalise, filter, score', /\/topology\/(?:policy|url)\/(?!fingerprint|seen-key)/],
  ['seen test', /\/url\/(?:fingerprint|seen-key)\.|\/frontier\/(?:seen\/|storage\/multiset-sum\.)/],
  ['changelog: encode', /\/frontier\/changes\/(?:codec|changelog)\./],
  ['checkpoint: rows', /\/topology\/frontier\/(?:checkpoint\/|state\/(?:rows-ahead|unsaved)\.|queues\/queue-row\.)/],
  ['host clock', /\/frontier\/hosts\/clock\./],
  ['queues', /\/frontier\/queues\//],
  ['hosts', /\/frontier\/(?:hosts\/(?!lease)|storage\/columns\.)/],
  // Writing bytes counts for the caller.
  ['state and decisions', /\/topology\/(?!frontier\/storage\/bytes)/],
  ['owner', /\/services\/frontier\/|\/test\/bench\//],
  ['log and store', /\/services\/runtime\/|\/rocksdb\//],
];

/** Starts to profile. The returned function ends it, and writes the profile into `folder`. */
export async function profileStages(folder: string): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'frontier.cpuprofile'), JSON.stringify(profile));
  };
}

/**
 * Prints the cost of each stage: shares of a profiled run, put on the unprofiled cost. `keep`: a folder for the
 * profile.
 */
export async function showStages(
  keep: string | undefined,
  microsPerUrl: number,
  runProfiled: (folder: string) => Promise<unknown>,
): Promise<Record<string, number>> {
  return inTemporaryFolder(async (temporary) => {
    const folder = keep ?? temporary;
    await runProfiled(folder);
    const stages = Object.entries(await frontierShares(folder)).map(
      ([stage, share]) => [stage, Number((share * microsPerUrl).toFixed(3))] as const,
    );
    console.table(stages.map(([stage, spent]) => ({ stage, 'µs CPU/URL': spent })));
    return Object.fromEntries(stages);
  });
}

/** Shares of the main thread's busy time, largest first, without the time of the bench itself. */
async function frontierShares(folder: string): Promise<Record<string, number>> {
  const { generator = 0, ...shares } = await stageShares(folder, stages);
  return Object.fromEntries(Object.entries(shares).map(([stage, share]) => [stage, share / (1 - generator)]));
}
