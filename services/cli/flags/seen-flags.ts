/** Options of the seen test, shared by `crawl` and `frontier`: of the process, so that each start may choose anew. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { seenLimits } from '../../../topology/frontier/seen/seen-limits.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { oneOf, share, wholeNumber } from './arguments.ts';

export interface SeenFlags {
  readonly seen: SeenConfig['kind'];
  readonly seenMemory: number;
  readonly seenUrls: number;
  readonly seenErrors: number;
}

export function addSeenOptions(command: Command): Command {
  const { seenMemoryMb, seenMemoryMbMin, seenMemoryMbMax } = crawlLimits;
  return command
    .addOption(
      new Option('--seen <kind>', 'how known URLs are remembered: exact misses no page, bloom a few in 1–2 bytes a URL')
        .argParser(oneOf('--seen', ['exact', 'bloom']))
        .default('exact'),
    )
    .option(
      '--seen-memory <mb>',
      'exact: memory for it in all; what goes beyond is looked up on disk',
      wholeNumber('--seen-memory', seenMemoryMbMin, seenMemoryMbMax),
      seenMemoryMb,
    )
    .option('--seen-urls <n>', 'bloom: URLs it is made for', wholeNumber('--seen-urls', 1), seenLimits.bloomUrls)
    .option(
      '--seen-errors <share>',
      'bloom: share of new pages it may miss once it knows so many',
      share('--seen-errors'),
      seenLimits.bloomErrors,
    );
}

/** Of one partition, as if this process had them all. */
export function seenConfigOf(flags: SeenFlags, partitions: number): SeenConfig {
  return {
    kind: flags.seen,
    memoryBytes: Math.ceil((flags.seenMemory * 2 ** 20) / partitions),
    bloomUrls: Math.ceil(flags.seenUrls / partitions),
    bloomErrors: flags.seenErrors,
  };
}
