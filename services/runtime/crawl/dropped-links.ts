/**
 * Links that a crawl found and did not follow, each with the rule. The policy's rules are applied again to each link on
 * `discovered`. URLs in traps come from the changelog; links that plugins left out come from `results`, a few for each
 * page.
 */
import type { Policy } from '../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { readRecord } from '../avro/read-record.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import { leftOutIn } from './left-out.ts';
import type { CrawlTopics } from './requests.ts';
import { trappedUrls } from './trapped-urls.ts';

export interface DroppedLink {
  readonly url: string;
  /** `exclude`, `scope`, `depth`, …; `trap`: it waits in a trap; `plugin`: a plugin left it out. */
  readonly rule: string;
  readonly detail: string;
  /** The page that held it. Empty: a seed, or not known. */
  readonly sourceUrl: string;
  /** ms since the Unix epoch; 0: not known. */
  readonly atMs: number;
}

export interface DroppedLinksSource {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: CrawlTopics;
  readonly policy: Policy;
}

/** Each time that a link was found. `hostKey`: only links to this host; empty: all. */
export async function* droppedLinks(source: DroppedLinksSource, hostKey: string): AsyncGenerator<DroppedLink> {
  const { partitions, keyMode } = source.topics;
  const only = hostKey === '' ? null : partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  for (let partition = 0; partition < partitions; partition++) {
    if (only === null || only === partition) {
      yield* judgedLinks(source, partition, hostKey, false);
      yield* linksInTraps(source, partition, hostKey);
    }
    // A page's links may lead to any partition.
    yield* linksLeftOut(source, partition, hostKey);
  }
}

/** Links that the policy takes: `rule` is `followed`. */
export async function* followedLinks(source: DroppedLinksSource, hostKey: string): AsyncGenerator<DroppedLink> {
  const { partitions, keyMode } = source.topics;
  const only = hostKey === '' ? null : partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  for (let partition = 0; partition < partitions; partition++)
    if (only === null || only === partition) yield* judgedLinks(source, partition, hostKey, true);
}

/** `taken`: true returns the links that the policy admits, false those that it refuses. */
async function* judgedLinks(
  { log, codec, topics, policy }: DroppedLinksSource,
  partition: number,
  only: string,
  taken: boolean,
): AsyncGenerator<DroppedLink> {
  const topic = `${topics.crawl}.discovered`;
  const { start, end } = await log.offsets(topic, partition);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const message = await readRecord(codec, 'discovered', value);
    for (const { hostKey, links, discoveredAtMs: atMs, ...facts } of message?.groups ?? []) {
      if (only !== '' && hostKey !== only) continue;
      for (const { url, lastModifiedMs } of links) {
        const verdict = policy.admit(url, facts.depth, facts.hop, { ...facts, lastModifiedMs });
        if (verdict.ok !== taken) continue;
        const { rule, detail } = verdict.ok ? { rule: 'followed', detail: '' } : verdict;
        yield { url, rule, detail, sourceUrl: facts.sourceUrl, atMs };
      }
    }
  }
}

/** Skips the links of traps that an operator has released. */
async function* linksInTraps({ log, topics }: DroppedLinksSource, partition: number, only: string) {
  for (const { url, pattern, atMs } of await trappedUrls(log, topics.crawl, partition, only))
    yield { url, rule: 'trap', detail: pattern, sourceUrl: '', atMs };
}

async function* linksLeftOut({ log, codec, topics }: DroppedLinksSource, partition: number, only: string) {
  const topic = `${topics.crawl}.results`;
  const { start, end } = await log.offsets(topic, partition);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const result = await readRecord(codec, 'results', value);
    for (const { url: sourceUrl, detail: text } of result?.outcomes ?? []) {
      if (!text.includes(' left out ')) continue;
      for (const { plugin, urls } of leftOutIn(text))
        for (const url of urls)
          if (only === '' || hostKeyOf(url) === only)
            yield { url, rule: 'plugin', detail: plugin, sourceUrl, atMs: result!.completedAtMs };
    }
  }
}

/** The page on which a plugin left the URL out; null: none that is known. `url` is normal. */
export async function pageThatLeftOut(
  { log, codec, topics }: Omit<DroppedLinksSource, 'policy'>,
  url: string,
): Promise<{ readonly plugin: string; readonly page: string } | null> {
  const topic = `${topics.crawl}.results`;
  const spelt = Buffer.from(url);
  for (let partition = 0; partition < topics.partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      if (!value.includes(spelt)) continue;
      const result = await readRecord(codec, 'results', value);
      for (const { url: page, detail } of result?.outcomes ?? []) {
        const by = leftOutIn(detail).find(({ urls }) => urls.includes(url));
        if (by !== undefined) return { plugin: by.plugin, page };
      }
    }
  }
  return null;
}
