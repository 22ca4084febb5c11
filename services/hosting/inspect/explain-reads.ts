/** The part of an explanation that is read from a crawl's topics. */
import type { UrlTimeline } from '../../../topology/frontier/ask/url-timeline.ts';
import { isOfWebmaster, purgePayload } from '../../../topology/frontier/decide/control-payloads.ts';
import type { Admission, Policy } from '../../../topology/policy/policy.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { recordedPlugins } from '../../application/plugin/record-plugins.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import { pageThatLeftOut } from '../../runtime/crawl/dropped-links.ts';
import { hostFailures } from '../../runtime/crawl/host-failures.ts';
import { newestOutcome } from '../../runtime/crawl/newest-outcome.ts';
import { nofollowPages } from '../../runtime/crawl/nofollow-pages.ts';
import { traceUrl, type UrlTrace } from '../../runtime/crawl/trace-url.ts';
import { linksTo } from '../../runtime/crawl/url-links.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { robotsDenial } from './robots-denial.ts';
import { statedUses } from './stated-uses.ts';
import { urlUsage } from './url-usage.ts';

/** Most pages that are listed because their nofollow excludes a URL. */
const nofollowPagesMax = 5;

/** Most links that are read for a URL that was never admitted. The first that no rule refuses decides. */
const linksMax = 100;

/** The parts of a crawl that it reads. */
export interface ExplainedCrawl extends Pick<ReadableCrawl, 'codec' | 'topics'> {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
}

/**
 * The part of an explanation that shows whether the crawl knows a URL. Other forms of the URL are read only for that.
 */
export interface Glimpse {
  readonly given: string;
  /** Normal; null: it cannot be crawled. */
  readonly url: string | null;
  readonly known: { readonly trace: UrlTrace; readonly purged: Awaited<ReturnType<typeof purgeOf>> } | null;
}

export async function glance({ log, codec, topics }: ExplainedCrawl, policy: Policy, given: string): Promise<Glimpse> {
  const url = policy.normalize(given);
  if (url === null) return { given, url, known: null };
  const trace = await traceUrl(log, codec, topics, url, policy.normalize);
  const purged = await purgeOf(log, codec, topics.crawl, trace.partition, url);
  return { given, url, known: { trace, purged } };
}

/** The purge that removed it, from `control`; null: there is none, or it was lifted. */
async function purgeOf(
  log: ExplainedCrawl['log'],
  codec: RecordCodec,
  crawl: string,
  partition: number,
  url: string,
): Promise<{ readonly atMs: number; readonly by: string; readonly whole: 'host' | 'url' } | null> {
  const hostKey = hostKeyOf(url);
  let ofHost: Awaited<ReturnType<typeof purgeOf>> = null;
  let ofUrl: Awaited<ReturnType<typeof purgeOf>> = null;
  const { start, end } = await log.offsets(`${crawl}.control`, partition);
  for await (const { event } of controlEvents(log, codec, crawl, partition, start, end)) {
    if (event.hostKey !== hostKey) continue;
    if (event.kind === 'releaseHost' && !isOfWebmaster(event.payload)) ofHost = null;
    const purge = event.kind === 'purge' ? purgePayload(event.payload) : null;
    if (purge === null) continue;
    const { atMs, by } = event;
    if (purge.url === '') ofHost = { atMs, by, whole: 'host' };
    else if (seenKey(purge.url) === seenKey(url)) ofUrl = { atMs, by, whole: 'url' };
  }
  return ofUrl ?? ofHost;
}

async function usageOf(kept: Parameters<typeof urlUsage>[0], url: string, { outcomes }: UrlTimeline) {
  const last = outcomes.at(-1);
  if (last === undefined) return null;
  const { said, barred } = await urlUsage(kept, url);
  return said.length === 0 && barred === '' ? null : { uses: statedUses(said, last.atMs), barred };
}

async function linksWithRules(
  log: ExplainedCrawl['log'],
  codec: RecordCodec,
  topics: Manifest,
  url: string,
  policy: Policy,
) {
  const links = await linksTo(log, codec, topics, url, policy.normalize, linksMax);
  return links.map((link) => ({ ...link, refusal: refusalIn(policy.admit(link.url, link.depth, link.hop, link)) }));
}

function refusalIn(admission: Admission): { readonly rule: string; readonly detail: string } | null {
  return admission.ok ? null : { rule: admission.rule, detail: admission.detail };
}

function targetOf(policy: Policy, redirectUrl: string, timeline: UrlTimeline) {
  if (redirectUrl === '') return null;
  const first = timeline.admitted.at(-1);
  const admission = policy.admit(redirectUrl, first?.depth ?? 0, (first?.hop ?? 0) + 1);
  return { url: policy.normalize(redirectUrl) ?? redirectUrl, refused: refusalIn(admission) };
}

/** Everything that the topics have of a URL beside its timeline, read one after the other. */
export async function readAbout(crawl: ExplainedCrawl, policy: Policy, url: string, { timeline, partition }: UrlTrace) {
  const { log, codec, topics } = crawl;
  const { place, facts, outcomes } = timeline;
  const at = { log, codec, crawl: topics.crawl, partition };
  const newest = await newestOutcome(log, codec, topics, url, policy.normalize);
  const isNew = timeline.admitted.length === 0;
  const isLost = facts.failures > 0 || facts.deadUntilMs > 0 || (place?.in === 'end' && place.status === 'dead');
  return {
    /** The newest report of a fetcher; null: none is stored. */
    newest,
    /** The target of this redirect, and the rule that refuses it. */
    target: newest === null ? null : targetOf(policy, newest.redirectUrl, timeline),
    /** Links to a URL that was never admitted, each with the rule that refuses it. */
    links: isNew ? await linksWithRules(log, codec, topics, url, policy) : [],
    /** The plugin that left out a URL that was never admitted, and the page. */
    leftOut: isNew ? await pageThatLeftOut(crawl, url) : null,
    /** The robots.txt rule that denied the last fetch; null: it was not denied. */
    robots: outcomes.at(-1)?.outcome === 'robotsDenied' ? await robotsDenial(at, url) : null,
    /** The usage preferences of its page, and the result under the policy at the time of its fetch. */
    usage: await usageOf(at, url, timeline),
    /** For a URL that was never found: pages with a nofollow link to it. */
    nofollow: isNew ? await nofollowPages(log, codec, topics, url, nofollowPagesMax) : [],
    /** The last failure to reach its host. */
    hostFailure: isLost ? ((await hostFailures(log, codec, topics, hostKeyOf(url))).get(hostKeyOf(url)) ?? null) : null,
    /** Plugins that take part in the crawl, in the order in which they were first recorded. */
    plugins: [...(await recordedPlugins(log, codec, topics.crawl)).values()],
  };
}
