/**
 * `crawlstream hosts`: lists the hosts of a crawl in a chosen order, or shows one host with its queue.
 *
 * On Kafka, any frontier that listens answers for all partitions. Without one, and in a data folder, the state of each
 * partition is read beside its owner, one after another.
 */
import type { Command } from 'commander';
import { hostSorts } from '../../../topology/frontier/ask/list-hosts.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { hostsDefault } from '../../frontier/query/host-lists.ts';
import { listsOfCrawl } from '../../hosting/connect/policy-lists.ts';
import { crawlObstacle } from '../../hosting/inspect/crawl-obstacle.ts';
import { whyHostWaits } from '../../hosting/inspect/host-why.ts';
import { type HostsFlags, hostOf, listOf } from '../../hosting/inspect/hosts.ts';
import { hostArgument } from '../../hosting/options/url-argument.ts';
import { withStates } from '../../hosting/state/state-source.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { print } from '../terminal/print.ts';
import { hostsText, hostText } from './hosts-text.ts';

export function addHostsCommand(program: Command): void {
  addCrawlOptions(program.command('hosts [host]'))
    .description('list hosts (default: the 50 with the most queued), or show state and queue of one')
    .option('--search <text>', 'list only hosts with this text in their names')
    .option(
      '--sort <order>',
      'queued, fetched, pages, errors, delay: highest first; ready: soonest; name (default: queued)',
      oneOf('--sort', hostSorts),
    )
    .option(
      '--limit <n>',
      'most hosts, or URLs of a host’s queue, to list',
      wholeNumber('--limit', 0, frontierLimits.queryPageMax),
      hostsDefault,
    )
    .option('--from <place>', 'continue the queue of the named host: the value of "next" in the previous output')
    .option('--json', 'print one JSON object')
    .action((host: string | undefined, flags: HostsFlags) =>
      withStates(flags, async (source) => {
        const crawl = { ...source, topics: source.manifest };
        const control = await readControl(crawl.log, crawl.codec, crawl.topics.crawl);
        const config = control.policy === null ? null : parsePolicy(control.policy.json);
        const obstacle = config === null ? null : await crawlObstacle(crawl, config, flags.data, Date.now());
        if (host === undefined) {
          const list = await listOf(source, flags);
          print({ json: list, text: hostsText(list, Date.now(), obstacle) }, flags.json);
        } else {
          const answer = await hostOf(source, hostArgument(host), flags);
          const policy = config && compilePolicy(config, await listsOfCrawl(config, flags));
          const nowMs = Date.now();
          const why = policy === null ? '' : whyHostWaits(policy, answer.host, answer, nowMs, obstacle);
          print({ json: answer, text: hostText(answer, nowMs, why, obstacle) }, flags.json);
        }
      }),
    );
}
