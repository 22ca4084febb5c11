/**
 * Loads a dump into a crawl of any number of partitions, which holds nothing yet, or a part of this very dump.
 *
 * Each line goes to the partition of its host. At the end the partitions' totals must equal those of the dump; only
 * then may a frontier decide on them.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Change, placeNames } from '../../../topology/frontier/changes/changes.ts';
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { DumpHead, DumpLine, DumpTotals, EndLine } from '../../../topology/frontier/transfer/dump-line.ts';
import { parseDumpLine } from '../../../topology/frontier/transfer/parse-dump-line.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { storedPolicy } from '../../../topology/policy/validate.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { askedBy, readControl } from '../../runtime/crawl/control-log.ts';
import { policyRecords } from '../../runtime/crawl/requests.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { PartitionLoader } from './partition-loader.ts';

export interface LoadOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly manifest: Manifest;
  readonly loaders: readonly PartitionLoader[];
  readonly head: DumpHead;
  /** Lines from the second on. */
  readonly lines: AsyncIterable<readonly string[]>;
  /** Called now and then with the number of lines that were read. */
  readonly onProgress?: (lines: number) => void;
}

export async function loadCrawl(options: LoadOptions): Promise<DumpTotals> {
  const { head, loaders } = options;
  const policy = head.policy === null ? null : storedPolicy(head.policy);
  for (const loader of loaders) if (policy !== null && loader.state.policyVersion === 0) await loader.begin(policy);
  const { totals, lines } = await takeLines(options);
  for (const loader of loaders) await loader.flush();
  check(options, totals, lines);
  await publishPolicies(options, policy);
  for (const [partition, loader] of loaders.entries()) {
    if (!loader.isDone) await loader.finish(quotaChanges(options, policy, partition));
    await loader.save();
  }
  return totals;
}

async function takeLines(options: LoadOptions): Promise<EndLine> {
  let number = 1;
  let end: EndLine | undefined;
  for await (const texts of options.lines) {
    for (const text of texts) {
      number += 1;
      if (end !== undefined) throw damaged(`line ${number} comes after its end`);
      const line = parseDumpLine(text, number);
      if ('end' in line) end = line;
      else await takeLine(options, line, number, text.length);
    }
    options.onProgress?.(number);
  }
  if (end === undefined) throw damaged(`it is cut off after line ${number}`);
  if (end.lines !== number - 1)
    throw damaged(`it has ${number - 1} lines before its end, but its last line says ${end.lines}`);
  return end;
}

async function takeLine(options: LoadOptions, line: DumpLine, number: number, bytes: number): Promise<void> {
  const { loaders, codec, manifest } = options;
  for (const partition of partitionsOf(line, manifest)) {
    const loader = loaders[partition]!;
    if (loader.isDone || number < loader.nextLine) continue;
    if ('links' in line) {
      const { links } = line;
      const value = encoded(number, () => codec.encode('discovered', { groups: [links] }));
      loader.publish('discovered', partitionKeyOf(links.hostKey, manifest.keyMode), value, number);
    } else if ('letter' in line) {
      const original = Buffer.from(line.letter.original, 'base64');
      const value = encoded(number, () => codec.encode('dead-letters', { ...line.letter, original }));
      loader.publish('dead-letters', line.letter.hostKey, value, number);
    } else if (!('dump' in line || 'partition' in line || 'end' in line)) loader.take(line, number, bytes);
    if (loader.isFull) await loader.flush();
  }
}

/** The partition of a line. A line about the whole crawl goes to partition 0. */
function partitionsOf(line: DumpLine, { partitions, keyMode }: Manifest): Iterable<number> {
  const of = (hostKey: string) => partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  if ('url' in line) return [of(('host' in line ? line.host : undefined) ?? hostKeyOf(line.url))];
  if ('host' in line && line.host !== undefined) return [of(line.host)];
  if ('budget' in line) return new Set(line.hosts.map(of));
  if ('links' in line) return [of(line.links.hostKey)];
  if ('letter' in line && line.letter.hostKey !== '') return [of(line.letter.hostKey)];
  return 'partition' in line ? [] : [0];
}

/** Throws INVALID_RECORD if the partitions do not add up to the totals of the dump. */
function check({ loaders }: LoadOptions, totals: DumpTotals, lines: number): void {
  const sum = sumCounters(loaders.map(({ state }) => state.counters));
  const differ = (name: string, is: number, says: number) => {
    if (is === says) return;
    throw damaged(`its ${lines} lines have ${is} ${name} in total, but its last line says ${says}`);
  };
  for (const name of ['hosts', 'admitted', 'imported', 'scheduled'] as const) differ(name, sum[name], totals[name]);
  for (const name of placeNames) differ(name, sum[name], totals.places[name]);
}

/** Publishes the requested policy, then the current one, so that `crawl` and `policy` find them. */
async function publishPolicies({ log, codec, clock, manifest, head }: LoadOptions, inForce: PolicyConfig | null) {
  const there = (await readControl(log, codec, manifest.crawl)).policy?.version ?? 0;
  const asked = head.asked === null ? null : storedPolicy(head.asked);
  const policies = [
    { policy: asked, by: askedBy },
    { policy: inForce?.version === asked?.version ? null : inForce, by: 'load' },
  ];
  for (const { policy, by } of policies) {
    if (policy !== null && policy.version > there)
      await log.append(policyRecords(codec, manifest, policy, by, clock.nowMs()));
  }
}

/**
 * Quota after a load: every partition counts as granted what it has spent. The rest is in the book, for partitions
 * that ask.
 */
function quotaChanges({ loaders }: LoadOptions, policy: PolicyConfig | null, partition: number): Change[] {
  if (policy === null || policy.pageQuota === null || loaders.length === 1) return [];
  const spent = loaders.map(({ state }) => state.counters.quotaSpent);
  const granted = spent[partition]!;
  const changes: Change[] = [{ kind: 'quota', granted, returned: 0, wanted: 0 }];
  if (partition > 0) return changes;
  for (const [of, its] of spent.entries())
    changes.push({ kind: 'quotaBook', partition: of, granted: its, returned: 0, wanted: 0, version: 0 });
  return changes;
}

function encoded(number: number, encode: () => Buffer): Buffer {
  try {
    return encode();
  } catch (error) {
    throw new CrawlstreamError(
      'INVALID_RECORD',
      `line ${number} of the dump: ${(error as Error).message}; repeat the dump, or correct that line`,
      error,
    );
  }
}

function damaged(why: string): CrawlstreamError {
  return new CrawlstreamError(
    'INVALID_RECORD',
    `the dump is incomplete: ${why}; repeat the dump, and load it into a new crawl`,
  );
}
