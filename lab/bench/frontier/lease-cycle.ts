/**
 * `npm run bench -- lease-cycle [--urls N] [--hosts N] [--lease N] [--runs N] [--no-stages] [--profile FOLDER]
 * [--json]`
 *
 * Leases on one core: ready hosts are granted, tasks built, results decided and leases completed through the
 * partition's owner, each commit durable. `--urls` URLs are leased and completed (a thousand hosts at once, `--lease`
 * URLs each), at 10 k, 100 k and 1 M hosts with work, or at `--hosts`. Delays are 0, so every host that is not on lease
 * is ready. One more run at the last size, under the CPU profiler, shows where the time goes.
 */
import { benchOptions } from '../bench-options.ts';
import { neverHere, onOneCore } from '../process/one-core.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { openBenchPartition } from './bench-partition.ts';
import { profileStages, showStages } from './frontier-stages.ts';
import { type LeaseFigures, LeasePlayer } from './lease-player.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { urls, hosts, lease, runs, given, json, profile, stages } = benchOptions(args, {
    urls: 500_000,
    hosts: 1_000_000,
  });
  const sizes = given.has('hosts') ? [hosts] : [10_000, 100_000, 1_000_000];
  const all: LeaseFigures[] = [];
  for (const size of sizes) {
    const of: LeaseFigures[] = [];
    while (of.length < runs) {
      const one = await onOneCore('lease-cycle', [...args, '--hosts', `${size}`], () =>
        inTemporaryFolder((folder) => measure(folder, size, urls, lease, profile)),
      );
      if (one === undefined) return;
      of.push(one);
    }
    of.sort((a, b) => a.urlsPerSecond - b.urlsPerSecond);
    all.push(of[of.length >> 1]!);
  }
  console.table(all);
  const last = all.at(-1)!;
  if (stages) {
    const measureProfiled = (folder: string) =>
      onOneCore('lease-cycle', [...args, '--hosts', `${last.hosts}`, '--profile', folder], neverHere);
    await showStages(profile, last.cpuMicrosPerUrl, measureProfiled);
  }
  if (json) process.stdout.write(`${JSON.stringify({ name: 'lease-cycle', urls, ...last, runs, all })}\n`);
}

async function measure(
  folder: string,
  hosts: number,
  urls: number,
  lease: number,
  profile: string | undefined,
): Promise<LeaseFigures> {
  let endProfile: Promise<() => Promise<void>> | undefined;
  const player = new LeasePlayer(hosts, urls, lease, async () => {
    if (profile !== undefined) endProfile = profileStages(profile);
  });
  const policy = { delayMs: 0, delayFactor: 0, urlsPerLeaseMax: lease };
  const partition = await openBenchPartition({ folder, player, policy, leasesMax: () => player.leasesMax });
  player.partition = partition;
  await partition.run();
  await (await endProfile)?.();
  await partition.close();
  return player.figures!;
}
