/** Applies `--recrawl`, `--recrawl-every` and `--recrawl-hubs` to the schedule of a policy. */
import type { Option } from 'commander';
import { hubUrlsMax } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

export function recrawlHubsOption(): Option {
  return setting(
    '--recrawl-hubs <n>',
    'revisit a page sooner if n new URLs are expected on it (default: as it changes)',
    'most pages gain no links, and their changes alone set the schedule',
    wholeNumber('--recrawl-hubs', 1, hubUrlsMax),
  );
}
