/**
 * `crawlstream hosts`: lists the hosts of a crawl in a chosen order, or shows one host with its queue.
 *
 * On Kafka, any frontier that listens answers for all partitions. Without one, and in a data folder, the state of each
 * partition is read beside its owner, one after another.
 */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type HostList, HostScan, type HostSort, hostSorts } from '../../../topology/frontier/ask/list-hosts.ts';
import { answerHost, type HostAnswer } from '../../../topology/frontier/ask/queries.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { type HostsAnswer, hostsDefault, hostsWanted, mergeLists } from '../../frontier/query/host-lists.ts';
import { cursorOf, cursorText } from '../../frontier/query/queue-cursor.ts';
import { runJob } from '../../frontier/restore/job-runner.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { hostArgument } from '../flags/url-argument.ts';
import { withCurrentState } from '../state/current-state.ts';
import { partitionsOf, type StateFlags, type StateSource, withStates } from '../state/state-source.ts';
import { print } from '../terminal/print.ts';
import { askFrontiers } from './ask-frontiers.ts';
import { hostsText, hostText } from './hosts-text.ts';

interface HostsFlags extends StateFlags {
  readonly search?: string;
  readonly sort?: HostSort;
  readonly limit: number;
  readonly from?: string;
}

/** A host's answer: as `GET /hosts/HOST` returns it. */
export interface PlacedAnswer extends Omit<HostAnswer, 'next'> {
  readonly next: string | null;
}

export function addHostsCommand(program: Command): void {
  addCrawlOptions(program.command('hosts [host]'))
    .description('list hosts (default: the 50 with the most queued), or show state and queue of one')
    .option('--search <text>', 'hosts with this in their names')
    .option(
      '--sort <order>',
      'queued, fetched, errors, delay: highest first; ready: soonest first; name (default: queued)',
      oneOf('--sort', hostSorts),
    )
    .option(
      '--limit <n>',
      'most hosts, or URLs of a host’s queue, to list',
      wholeNumber('--limit', 0, frontierLimits.queryPageMax),
      hostsDefault,
    )
    .option('--from <place>', 'in a host’s queue, start at "next" of the page before')
    .option('--json', 'print one JSON object')
    .action((host: string | undefined, flags: HostsFlags) =>
      withStates(flags, async (source) => {
        if (host === undefined) {
          const list = await listOf(source, flags);
          print({ json: list, text: hostsText(list, Date.now()) }, flags.json);
        } else {
          const answer = await hostOf(source, hostArgument(host), flags);
          print({ json: answer, text: hostText(answer, Date.now()) }, flags.json);
        }
      }),
    );
}

export async function listOf(source: StateSource, flags: HostsFlags): Promise<HostsAnswer> {
  if (flags.from !== undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--from works only with a host: crawlstream hosts example.org --from PLACE, where PLACE is "next" of the page before',
    );
  }
  const { search = '', sort = 'queued', limit } = flags;
  const query = new URLSearchParams({ search, sort, limit: String(limit) });
  const asked = await askFrontiers(source, `/hosts?${query}`);
  if (asked !== undefined) return asked as HostsAnswer;
  const wanted = hostsWanted({ search, sort, limit: String(limit) });
  const lists = new Map<number, HostList>();
  for (const partition of partitionsOf(source, {})) {
    const list = await withCurrentState(source, partition, (state, store) => scan(new HostScan(wanted), state, store));
    lists.set(partition, list);
  }
  return mergeLists(source.manifest.partitions, lists, wanted);
}

async function scan(hosts: HostScan, state: FrontierState, store: StateStore): Promise<HostList> {
  for (;;) {
    const list = await runJob(store, hosts.slice(state));
    if (list !== undefined) return list;
  }
}

export async function hostOf(
  source: StateSource,
  host: string,
  { limit, from, ...flags }: HostsFlags,
): Promise<PlacedAnswer> {
  if (flags.search !== undefined || flags.sort !== undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--search and --sort work only for the list of hosts: remove the host',
    );
  }
  const cursor = cursorOf(from);
  const query = new URLSearchParams({ limit: String(limit), ...(from !== undefined && { from }) });
  const asked = await askFrontiers(source, `/hosts/${encodeURIComponent(host)}?${query}`);
  if (asked !== undefined) return asked as PlacedAnswer;
  const { partitions, keyMode } = source.manifest;
  const partition = partitionOf(partitionKeyOf(host, keyMode), partitions);
  const answer = await withCurrentState(source, partition, async (state, store) =>
    runJob(store, answerHost(state, host, limit, cursor)),
  );
  if (answer == null)
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `the crawl does not know host ${host}: list its hosts with crawlstream hosts`,
    );
  return { ...answer, next: cursorText(answer.next) };
}
