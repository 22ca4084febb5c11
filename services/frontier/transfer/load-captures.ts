/**
 * Makes the URLs of an archive's index known to a crawl, as if it had fetched them, so that the crawl continues where
 * another ended. With a schedule, they are revisited according to the time of their last capture.
 *
 * Known URLs are not changed, so an index may be loaded twice, and an interrupted load is simply run again.
 * Consecutive captures of one URL count together; of others, only the first counts.
 */
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import { captureLine, type KnownCapture } from '../../../topology/frontier/transfer/capture-line.ts';
import type { RecrawlConfig } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl } from '../../../topology/policy/recrawl/schedule.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { LoadOptions } from './load-crawl.ts';

export interface LoadCapturesOptions extends Pick<LoadOptions, 'manifest' | 'loaders' | 'onProgress'> {
  /** Captures, some thousand at a time. */
  readonly captures: AsyncIterable<readonly KnownCapture[]>;
  /** Returns the schedule, given the one of the crawl's policy. Undefined: none. */
  readonly recrawlOf: (before: RecrawlConfig | undefined) => RecrawlConfig | undefined;
}

export interface CaptureTotals {
  readonly captures: number;
  /** Known now, and not before. */
  readonly known: number;
  /** Of those, the ones with revisits. */
  readonly scheduled: number;
  /** URLs with a retriable response: they stay unknown. */
  readonly failed: number;
  /** robots.txt files, and URLs that are not http or https. */
  readonly other: number;
}

/** Most captures of one URL to remember: several times more than a schedule uses. */
const capturesOfUrl = 64;

export async function loadCaptures(options: LoadCapturesOptions): Promise<CaptureTotals> {
  const { loaders, manifest } = options;
  const policyJson = loaders.find(({ state }) => state.policyJson !== '')?.state.policyJson;
  const policy = policyJson === undefined ? undefined : parsePolicy(policyJson);
  const normalize = compileNormalizer(policy?.normalize ?? {});
  const schedule = options.recrawlOf(policy?.recrawl);
  const recrawl = schedule === undefined ? null : compileRecrawl(schedule);
  const before = sumCounters(loaders.map(({ state }) => state.counters));
  let [captures, failed, other] = [0, 0, 0];
  let url = '';
  let same: KnownCapture[] = [];
  const take = async () => {
    if (same.length === 0) return;
    const line = captureLine(url, same, recrawl);
    same = [];
    if (line === null) {
      failed += 1;
      return;
    }
    const partition = partitionOf(partitionKeyOf(hostKeyOf(url), manifest.keyMode), manifest.partitions);
    const loader = loaders[partition]!;
    loader.take(line, captures, url.length);
    if (loader.isFull) await loader.flush();
  };
  for await (const some of options.captures) {
    for (const capture of some) {
      captures += 1;
      const normal = capture.url.endsWith('/robots.txt') ? null : normalize(capture.url);
      if (normal === null) {
        other += 1;
        continue;
      }
      if (normal !== url) await take();
      url = normal;
      if (same.length === capturesOfUrl) same.shift();
      insertByTime(same, capture);
    }
    options.onProgress?.(captures);
  }
  await take();
  for (const loader of loaders) {
    await loader.flush();
    await loader.save();
  }
  const now = sumCounters(loaders.map(({ state }) => state.counters));
  const known = now.admitted + now.imported - before.admitted - before.imported;
  return { captures, known, scheduled: now.scheduled - before.scheduled, failed, other };
}

/** They mostly come in order. */
function insertByTime(captures: KnownCapture[], one: KnownCapture): void {
  let at = captures.length;
  while (at > 0 && captures[at - 1]!.atMs > one.atMs) at -= 1;
  captures.splice(at, 0, one);
}
