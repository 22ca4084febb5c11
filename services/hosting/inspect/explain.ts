/** Explains step by step what a crawl decides about a URL. It calls the same functions as the frontier, and reads the rest from the crawl's log, while the crawl runs or later. */
import { join } from 'node:path';
import type { UrlAnswer } from '../../../topology/frontier/ask/queries.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { explainNormalize } from '../../../topology/url/normalize.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { explainSeenKey, seenKey } from '../../../topology/url/seen-key.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { type Fact, withFacts } from '../../application/extension/crawl-facts.ts';
import { installedFacts } from '../../application/installed-parts.ts';
import { readRequest } from '../connect/crawl-folder.ts';
import { placeText } from '../connect/place-text.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { type CrawlObstacle, crawlObstacle, type ObstructedCrawl } from './crawl-obstacle.ts';
import { answerOf } from './explain-answer.ts';
import { factsOf, filterOf, nothingKnown } from './explain-facts.ts';
import { type ExplainedCrawl, type Glimpse, glance, readAbout } from './explain-reads.ts';
import { explainScore } from './explain-score.ts';
import { explainLines } from './explain-text.ts';
import { policyOfCrawl } from './policy-of-crawl.ts';
import { readsUntilGone } from './stop-if-gone.ts';
import { byEitherScheme } from './typed-scheme.ts';

/** The options that name a crawl, in this process and to other commands. */
type CrawlPlace = Pick<KafkaFlags, 'brokers' | 'data'> & { readonly registry?: string | undefined };

/** `folder` and `brokersLog` absent: whether a process runs the crawl is not asked. */
type RunCrawl = ExplainedCrawl & Pick<ObstructedCrawl, 'folder' | 'brokersLog'>;

/** For the dashboard: names and values as they are printed. `signal`: aborted when the caller leaves. */
export function explainer(crawl: RunCrawl, flags: CrawlPlace) {
  return async (given: string, signal?: AbortSignal) => {
    const read = { ...crawl, log: readsUntilGone(crawl.log, signal) };
    return { lines: shownLines(await explainTyped(read, flags, given)) };
  };
}

/** Explains several URLs by one reading of the policy: one list of lines for each, as printed. */
export async function explainEach(
  crawl: RunCrawl,
  flags: CrawlPlace,
  urls: readonly string[],
): Promise<(readonly (readonly [name: string, value: string])[])[]> {
  const decided = await policyOfCrawl(crawl, flags);
  const all = [];
  for (const url of urls) all.push(shownLines(await explainBy(decided, crawl, flags, url)));
  return all;
}

function shownLines(explained: Explained): (readonly [name: string, value: string])[] {
  return explainLines(explained, Date.now()).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
}

/** `askState` reads the counts for a URL's score from the state. Absent: the score is left out. */
export async function explainTyped(
  crawl: RunCrawl,
  flags: CrawlPlace,
  typed: string,
  askState?: (url: string) => Promise<UrlAnswer | undefined>,
): Promise<Explained> {
  return explainBy(await policyOfCrawl(crawl, flags), crawl, flags, typed, askState);
}

async function explainBy(
  { policy, lists }: Awaited<ReturnType<typeof policyOfCrawl>>,
  crawl: RunCrawl,
  flags: CrawlPlace,
  typed: string,
  askState?: (url: string) => Promise<UrlAnswer | undefined>,
): Promise<Explained> {
  const given = await ofFirstSeed(typed, flags.data);
  const ask = (url: string) => glance(crawl, policy, url);
  const glimpse = await byEitherScheme(given, ask, isKnown);
  const nowMs = Date.now();
  const facts = await explain(crawl, policy, glimpse, await crawlObstacle(crawl, policy.config, flags.data, nowMs));
  const found = isKnown(glimpse) ? null : await knownForm(given, ask);
  const score = askState === undefined ? null : await scoreOf(policy, lists, glimpse, askState);
  const asked = { ...crawl, crawl: crawl.topics.crawl };
  const about = await installedFacts();
  const more = await Promise.all(about.map((one) => one.ofUrl(asked, glimpse.url)));
  const all = { ...facts, score, knownAs: found?.url ?? null, more };
  const { brokers, data, registry } = flags;
  const place = placeText({ data, brokers, registry, crawl: crawl.topics.crawl });
  return { answer: answerOf(all, place, nowMs), ...all };
}

type Facts = Awaited<ReturnType<typeof explain>>;

/** `knownAs`: another form of the URL, under which the crawl knows it; null: none. */
export type Explained = Facts & {
  readonly answer: string;
  readonly knownAs: string | null;
  /** Its score, factor by factor; null: the policy has none, or the state was not read. */
  readonly score: ReturnType<typeof explainScore>;
  /** Of extras. */
  readonly more: readonly Fact[];
};

/** As one object of JSON. */
export function explainedJson({ more, ...explained }: Explained): object {
  return withFacts(explained, more);
}

async function scoreOf(
  policy: Policy,
  lists: ListSource,
  { url, known }: Glimpse,
  askState: (url: string) => Promise<UrlAnswer | undefined>,
): Promise<Explained['score']> {
  if (url === null || known === null || !policy.scores || policy.byCash) return null;
  const { timeline, found } = known.trace;
  const counts = (await askState(url))?.counts;
  return explainScore(policy, lists, { url, timeline, source: found.at(-1)?.source ?? null, counts });
}

function isKnown({ known }: Glimpse): boolean {
  return known !== null && (known.trace.timeline.admitted.length > 0 || known.purged !== null);
}

/** Tries the other scheme, and the host with or without www: people type URLs from memory. */
async function knownForm(given: string, ask: (url: string) => Promise<Glimpse>): Promise<Glimpse | null> {
  const url = withScheme(given);
  const other = url.replace(/^https?:/, (one) => (one === 'http:' ? 'https:' : 'http:'));
  const forms = [url, other].flatMap((one) => [one, otherHost(one)]);
  for (const form of new Set(forms.filter((one) => one !== url))) {
    const glimpse = await ask(form);
    if (isKnown(glimpse)) return glimpse;
  }
  return null;
}

function otherHost(url: string): string {
  return /^https?:\/\/www\./i.test(url) ? url.replace(/\/\/www\./i, '//') : url.replace('//', '//www.');
}

/** A path alone belongs to the first seed's host. */
async function ofFirstSeed(typed: string, data: string | undefined): Promise<string> {
  if (!typed.startsWith('/') || typed.startsWith('//') || data === undefined) return typed;
  const { seeds } = await readRequest({ part: (name) => join(data, name) });
  return seeds[0] === undefined ? typed : new URL(typed, seeds[0]).href;
}

async function explain(
  crawl: ExplainedCrawl,
  policy: Policy,
  { given, url, known }: Glimpse,
  obstacle: CrawlObstacle | null,
) {
  const steps = url === null ? [] : [...explainNormalize(given, policy.config.normalize), ...explainSeenKey(url)];
  const normalize = { given, url, key: url === null ? null : seenKey(url), steps };
  const overlays = url === null ? [] : policy.deciding(url);
  if (url === null || known === null)
    return { normalize, overlays, filter: filterOf(policy, policy.admit(given, 0, 0)), ...nothingKnown };
  const { trace, purged } = known;
  const first = trace.timeline.admitted.at(-1);
  const filter = filterOf(policy, policy.admit(given, first?.depth ?? 0, first?.hop ?? 0));
  return {
    normalize,
    /** Overlays of the policy that match it, in order, and the fields each decides. */
    overlays,
    filter,
    /** Purged by an operator: nothing is kept of it, and no link to it is admitted. */
    purged,
    ...(await readAbout(crawl, policy, url, trace)),
    ...factsOf(policy, crawl.topics, url, trace, filter, obstacle),
  };
}
