/**
 * Options of the seen test, shared by `crawl` and `frontier`. They configure the process, so that each start may choose
 * again.
 */
import type { Command } from 'commander';
import { seenLimits } from '../../../topology/frontier/seen/seen-limits.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { oneOf, share, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

export function addSeenOptions(command: Command): Command {
  const { seenMemoryMb, seenMemoryMbMin, seenMemoryMbMax } = crawlLimits;
  return command
    .addOption(
      setting(
        '--seen <kind>',
        'set of known URLs: exact, or bloom (1–2 bytes a URL, misses a few pages)',
        'no page is missed',
      )
        .argParser(oneOf('--seen', ['exact', 'bloom']))
        .default('exact'),
    )
    .addOption(
      setting(
        '--seen-memory <mb>',
        'MB for --seen exact over all partitions of the crawl; a process uses its share',
        'about 20 million URLs in memory at full speed; allocated as needed',
        wholeNumber('--seen-memory', seenMemoryMbMin, seenMemoryMbMax),
      ).default(seenMemoryMb),
    )
    .addOption(
      setting(
        '--seen-urls <n>',
        'URLs of the whole crawl that --seen bloom is sized for; each partition gets its share',
        'a medium crawl has 10 million URLs',
        wholeNumber('--seen-urls', 1),
      ).default(seenLimits.bloomUrls),
    )
    .addOption(
      setting(
        '--seen-errors <share>',
        'share of new pages that --seen bloom may miss at --seen-urls',
        '1–2 bytes per URL miss about one page in a hundred',
        share('--seen-errors'),
      ).default(seenLimits.bloomErrors),
    );
}
