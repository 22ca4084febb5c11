/**
 * `crawlstream stats` (and `pages`, beside it): the status of a crawl, in a data folder or on Kafka, during it and
 * after.
 */

import { type Command, Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type CrawlCounts, countsOf } from '../../../topology/frontier/ask/crawl-counts.ts';
import type { CrawlEnd } from '../../../topology/frontier/ask/crawl-end.ts';
import { crawlEnd } from '../../../topology/frontier/ask/crawl-end.ts';
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { withFacts } from '../../application/extension/crawl-facts.ts';
import { installedFacts } from '../../application/installed-parts.ts';
import type { ReadableCrawl } from '../../hosting/connect/open-crawl.ts';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { placeText } from '../../hosting/connect/place-text.ts';
import { idleOf } from '../../hosting/inspect/idle-folder.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { freshnessStats, freshnessText } from '../../hosting/state/freshness-stats.ts';
import { counted } from '../../runtime/counted.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { DuplicateCounts, duplicatePagesText } from '../../runtime/crawl/duplicate-counts.ts';
import { fetchersOf } from '../../runtime/crawl/fetcher-count.ts';
import { frontierMembers } from '../../runtime/crawl/frontier-members.ts';
import { lookAt } from '../../runtime/crawl/look.ts';
import { surplusOf, surplusText } from '../../runtime/crawl/surplus-partitions.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { ownName } from '../../runtime/own-name.ts';
import { addKafkaOptions } from '../flags/kafka-flags.ts';
import { countsText } from './counters-text.ts';
import { fetchersText, membersText } from './members-text.ts';
import { addPagesCommand } from './pages-command.ts';
import { printByTag } from './stats-by-tag.ts';

interface ReadFlags extends KafkaFlags {
  readonly json?: boolean;
  readonly by?: 'tag';
}

export function addReadCommands(program: Command): void {
  addPagesCommand(program);
  addKafkaOptions(program.command('stats').description('print the counters of a crawl'), 'data folder of the crawl')
    .addOption(new Option('--by <what>', 'tag: count URLs by outcome for each seed tag').choices(['tag']))
    .option('--json', 'print one JSON object')
    .action((flags: ReadFlags) =>
      withCrawl(flags, (crawl) => (flags.by === 'tag' ? printByTag(crawl, flags.json) : printStats(crawl, flags))),
    );
}

async function printStats(readable: ReadableCrawl, flags: ReadFlags): Promise<void> {
  const { log, codec, topics, brokersLog } = readable;
  const { crawl, partitions } = topics;
  const { policy } = await readControl(log, codec, crawl);
  const config = policy === null ? null : parsePolicy(policy.json);
  const pageQuota = config?.pageQuota ?? null;
  const paused = config?.paused === true;
  const unasked = (config?.overlays ?? []).flatMap(({ name, set: { robotsNotAsked: reason } }) =>
    reason == null ? [] : { overlay: name, reason },
  );
  // The end of a crawl takes two looks; in a data folder both see the same snapshot.
  const before = await lookAt(log, crawl, partitions, pageQuota);
  const look = await lookAt(log, crawl, partitions, pageQuota);
  const end = crawlEnd(before, look);
  const counters = sumCounters(look.partitions.map((one) => one.counters));
  const counts = countsOf(counters);
  const about = (await installedFacts()).map((one) => one.ofCrawl({ log, codec, crawl }));
  const more = (await Promise.all(about)).filter((fact) => fact !== null);
  const duplicates = await new DuplicateCounts(readable).look().catch(() => null);
  const freshness = await freshnessStats(readable, partitions, counters, Date.now());
  const members =
    brokersLog === null ? undefined : await frontierMembers(brokersLog, crawl, Date.now()).catch(rebalancing);
  const fetchers = brokersLog === null || topics.sink === 'pull' ? undefined : await fetchersOf(brokersLog, crawl);
  if (flags.json)
    toStdout(
      `${JSON.stringify(withFacts({ ...counts, end, ...(paused && { paused }), ...(unasked.length > 0 && { robotsNotAsked: unasked }), ...(duplicates && { duplicatePages: duplicates }), ...(freshness && { freshness }), ...(members !== undefined && { members }), ...(fetchers !== undefined && { fetchers }) }, more))}\n`,
    );
  else {
    const fresh = freshness === null ? '' : `${freshnessText(freshness)}\n`;
    // Clients of urlfrontier may put URLs at any time: it is never at its end.
    const isServed = topics.sink === 'pull';
    const standing = paused ? 'the crawl is paused' : isServed ? 'external clients fetch its URLs' : endText(end);
    toStdout(`${countsText(counts)}\n${fresh}  ${standing}\n`);
    for (const { overlay, reason } of unasked)
      toStdout(`  robots.txt is ignored where overlay ${overlay} matches: ${reason}\n`);
    const copies = duplicatePagesText(duplicates);
    if (copies !== null) toStdout(`  ${copies}\n`);
    for (const [name, value] of more.flatMap(({ rows }) => rows)) if (value !== null) toStdout(`  ${name} ${value}\n`);
    const idle = end === 'done' && !isServed ? null : await idleOf(readable, flags.data, Date.now());
    if (idle !== null) toStdout(`  no process runs it; to continue: ${idle.resume}\n`);
    const place = placeText({ ...flags, crawl });
    if (end === null && counts.queued > 0) toStdout(`  what URLs wait for: ${ownName()} hosts ${place}\n`);
    const why = reasonsText(counts);
    if (why !== null) toStdout(`  ${why}: ${ownName()} pages --failed ${place}\n`);
    const surplus =
      brokersLog === null ? null : surplusText(await surplusOf({ log: brokersLog, crawl, partitions }), partitions);
    if (surplus !== null) toStdout(`  ${surplus}\n`);
    if (members !== undefined) toStdout(`\n${membersText(members, partitions)}\n${fetchersText(fetchers)}`);
  }
}

/** null: each URL has a page, or was not requested yet. */
function reasonsText({ failed, deadLettered, denied, retrying }: CrawlCounts): string | null {
  const ended = failed + deadLettered + denied;
  if (ended > 0) return `${counted(ended, 'URL', ended.toLocaleString('en-US'))} without a page, with reasons`;
  return retrying > 0 ? 'what the retries are for' : null;
}

/** A member that disappeared without leaving delays the others until its session expires. */
function rebalancing(error: unknown): null {
  if (error instanceof CrawlstreamError && error.retriable) return null;
  throw error;
}

function endText(end: CrawlEnd): string {
  if (end === 'done') return 'the crawl is done';
  return end === 'quotaSpent' ? 'the page quota is used up' : 'the crawl has not ended';
}
