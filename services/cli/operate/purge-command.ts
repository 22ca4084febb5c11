/**
 * `crawlstream purge`: removes a host or one URL; a tombstone prevents its readmission.
 *
 * The command sends an event on `control`: the frontier drops its entries, fetchers stop, and dedup and index delete
 * theirs. Topics and WARC files stay as they are: the command lists the copies in them, and the command that removes
 * these (mostly `forget`).
 */

import type { Command } from 'commander';
import { type TopicName, topicNames, topics as topicSpecs } from '../../../topology/topics.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import type { Remaining } from '../../application/processor/holding.ts';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { refuseServed } from '../../hosting/connect/refuse-served.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import type { OperatorFlags, TargetFlags } from '../../hosting/options/operator.ts';
import { hostArgument, normalUrl } from '../../hosting/options/url-argument.ts';
import { withStates } from '../../hosting/state/state-source.ts';
import { holders } from '../../operation/forget/forget-held.ts';
import { matchHost, matchText, matchUrl } from '../../operation/match-target.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { namesOfCrawl } from '../../runtime/crawl/names-of-crawl.ts';
import { purgeEvent } from '../../runtime/crawl/operator-events.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { rows } from '../../runtime/rows-text.ts';
import { addTargetOptions, operatorsGroup } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

/** `url` null: the whole host. */
interface Target {
  readonly hostKey: string;
  readonly url: string | null;
}

interface Remains {
  /** A topic, or a file of the archive. */
  readonly in: string;
  /** Number of archived responses; absent: they were not counted. */
  readonly records?: number;
  readonly until: string;
}

export function addPurgeCommand(program: Command): void {
  addTargetOptions(program.command('purge <target>').helpGroup(operatorsGroup))
    .description('remove a host or one URL from the crawl, and keep it out')
    .addHelpText(
      'after',
      `
What waits, is being fetched or was fetched leaves the frontier, the dedup and the index, and no link to it is admitted
again. Records that topics and WARC files hold stay until crawlstream forget takes them out; the answer lists them.
crawlstream unblock HOST takes a purged host up again; a URL stays out.`,
    )
    .action(purge);
}

async function purge(given: string, flags: TargetFlags): Promise<void> {
  const target = await knownAs(flags, targetOf(given));
  const { hostKey, url } = target;
  const matched = await withStates(flags, async (source) => {
    refuseServed(source.manifest, 'purge', 'delete the queue through the URLFrontier API instead');
    if (flags.force === true) return null;
    return url === null ? matchHost(source, hostKey) : matchUrl(source, url);
  });
  const clock = new SystemClock();
  const said = { by: flags.by, atMs: clock.nowMs() };
  const { records, offsets } = await sendRequest(flags, clock, (topics) => purgeEvent(topics, said, hostKey, url));
  const sent = records.map(({ partition, record }, index) => ({
    topic: 'control' as const,
    partition,
    offset: offsets[index]!,
    event: record,
  }));
  const remains = [...remainsInTopics(flags), ...(await remainsWithConsumers(flags, target))];
  const where = sent.map(({ partition, offset }) => `${partition}:${offset}`).join(' ');
  const what = url === null ? `host ${hostKey} with all its URLs` : `URL ${url}`;
  const text = [
    `${what} is purged: recorded on topic control at ${where} (partition:offset)`,
    ...(matched === null ? [] : [matchText(matched)]),
    'earlier records remain until they are removed:',
    rows(grouped(remains)),
  ];
  print({ json: { purged: target, matched, sent, remains }, text: text.join('\n') }, flags.json);
}

/** A line for all that are removed in the same way. */
function grouped(remains: readonly Remains[]): [string, string][] {
  const lines = new Map<string, string[]>();
  for (const one of remains) lines.set(one.until, [...(lines.get(one.until) ?? []), one.in]);
  return [...lines].map(([until, places]) => [`  until ${until}`, places.join(', ')]);
}

/** With a path or a scheme it is a URL. */
function targetOf(given: string): Target {
  if (!given.includes('/')) return { hostKey: hostArgument(given), url: null };
  const url = normalUrl(given);
  return { hostKey: hostKeyOf(url), url };
}

/** A URL as the crawl names it. */
async function knownAs(flags: TargetFlags, target: Target): Promise<Target> {
  const { url } = target;
  if (url === null) return target;
  const nameOf = await withCrawl(flags, ({ log, codec, topics }) => namesOfCrawl(log, codec, topics.crawl));
  const known = nameOf(url);
  return { hostKey: hostKeyOf(known), url: known };
}

const dayMs = 86_400_000;
/** Erased in a data folder (forget-topics.ts). */
const forgettable: ReadonlySet<TopicName> = new Set(['responses', 'render', 'duplicates']);

/** Uses the topics' default settings; on Kafka an operator may have changed them. */
function remainsInTopics({ brokers }: OperatorFlags): Remains[] {
  const remains = (name: TopicName): string => {
    if (name === 'pages') return 'crawlstream forget runs';
    if (brokers === undefined && forgettable.has(name)) return 'crawlstream forget runs';
    const { retention, settings = {} } = topicSpecs[name];
    if (brokers === undefined) return 'they are older than --keep';
    if (settings['cleanup.policy'] === 'compact') return 'a tombstone is sent for each key';
    if (retention === 'state') return 'crawlstream state snapshot --trim, after snapshots newer than the purge';
    return `${Number(settings['retention.ms']) / dayMs} days have passed (retention), or kafka-delete-records runs`;
  };
  return topicNames.map((name) => ({ in: name, until: remains(name) }));
}

/** Copies in a data folder that consumers keep until `forget` runs. */
async function remainsWithConsumers({ data, brokers }: OperatorFlags, target: Target): Promise<readonly Remaining[]> {
  if (data === undefined || brokers !== undefined) return [];
  const { part } = await readDataFolder(data);
  const found = await Promise.all(holders.map(({ holds }) => holds.remains?.(part, (url) => isOf(target, url)) ?? []));
  return found.flat();
}

function isOf({ hostKey, url }: Target, other: string): boolean {
  return url === null ? hostKeyOf(other) === hostKey : seenKey(other) === seenKey(url);
}
