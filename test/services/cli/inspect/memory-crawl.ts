/** A crawl in memory: its topics, records to put on them, and how often each topic's records are read. */

import { blankLink, blankLinkGroup, blankOutcome, blankPage, blankResult } from '../../../../schemas/blank.ts';
import type { Duplicate, LinkGroup, Outcome, Page } from '../../../../schemas/types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { type Clock, SystemClock } from '../../../../services/runtime/clock.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import { policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import type { Manifest } from '../../../../services/runtime/data-folder/manifest.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { encodeCommit } from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { writeChange } from '../../../../topology/frontier/changes/codec.ts';
import { type Counters, zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import { ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

const names = ['control', 'discovered', 'results', 'pages', 'duplicates', 'frontier-changelog'];

export async function memoryCrawl(partitions = 1, clock: Clock = new SystemClock()) {
  const topics: Manifest = {
    ...{ format: 1, crawl: 'c', partitions, keyMode: 'host', pslHash: '', seenKeyVersion: 1, fingerprintVersion: 1 },
    ...{ fingerprintKey: '0'.repeat(32), createdAt: '', createdBy: '' },
  };
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(names.map((name) => ({ name: `c.${name}`, partitions, retention: 'state' as const })));
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const readings: string[] = [];
  const counting = {
    committed: log.committed.bind(log),
    offsetAt: log.offsetAt.bind(log),
    offsets: log.offsets.bind(log),
    reader: () => {
      const reader = log.reader();
      const seek = reader.seek.bind(reader);
      reader.seek = (topic, partition, offset) => {
        readings.push(topic);
        seek(topic, partition, offset);
      };
      return reader;
    },
  };
  const own = (hostKey: string) => partitionOf(partitionKeyOf(hostKey, 'host'), partitions);
  let seq = 0;
  return {
    crawl: { log: counting, codec, topics, folder: null, refresh: async () => {}, brokersLog: null },
    /** The topic of each reading, in order. */
    readings,
    trim: (topic: string, before: number) => log.trim(`c.${topic}`, 0, before),
    close: () => log.close(),
    policy: (policy: Partial<PolicyConfig> = {}) =>
      log.append(policyRecords(codec, topics, { ...defaultPolicy(), version: 1, ...policy }, 'test', 1)),
    discovered: (hostKey: string, urls: readonly string[], group: Partial<LinkGroup> = {}) =>
      log.append([
        {
          ...{ topic: 'c.discovered', partition: own(hostKey), key: null },
          value: codec.encode('discovered', {
            groups: [{ ...blankLinkGroup, hostKey, ...group, links: urls.map((url) => ({ ...blankLink, url })) }],
          }),
        },
      ]),
    result: (outcome: Partial<Outcome> & { readonly url: string }, completedAtMs = 1) => {
      const hostKey = hostKeyOf(outcome.url);
      const value = codec.encode('results', {
        ...blankResult,
        ...{ hostKey, completedAtMs, outcomes: [{ ...blankOutcome, ...outcome }] },
      });
      return log.append([{ topic: 'c.results', partition: own(hostKey), key: null, value }]);
    },
    page: (page: Partial<Page> & { readonly url: string }) => {
      const hostKey = hostKeyOf(page.url);
      const value = codec.encode('pages', { ...blankPage, hostKey, ...page });
      return log.append([{ topic: 'c.pages', partition: own(hostKey), key: Buffer.from(page.url), value }]);
    },
    /** A tombstone. */
    takenBack: (url: string) =>
      log.append([{ topic: 'c.pages', partition: own(hostKeyOf(url)), key: Buffer.from(url), value: Buffer.alloc(0) }]),
    verdict: (
      url: string,
      representative: string,
      { method = 'exact', atMs = 1 }: { readonly method?: Duplicate['method']; readonly atMs?: number } = {},
    ) => {
      const hostKey = hostKeyOf(url);
      const value = codec.encode('duplicates', {
        ...{ url, hostKey, representative, method, members: 0, language: 'en', pageOffset: 0, fetchedAtMs: atMs, atMs },
      });
      return log.append([{ topic: 'c.duplicates', partition: own(hostKey), key: Buffer.from(hostKey), value }]);
    },
    purge: (hostKey: string, atMs: number) => {
      const event = controlEvent({ kind: 'purge', atMs, by: 'test', hostKey });
      const value = codec.encode('control', event);
      return log.append([{ topic: 'c.control', partition: own(hostKey), key: null, value }]);
    },
    commit: (hostKey: string, changes: readonly Change[], nowMs = 5_000, counted: Partial<Counters> = {}) => {
      const writer = new ByteWriter(64);
      for (const change of changes) writeChange(writer, change);
      seq += 1;
      const header = { epoch: 0, seq, nowMs, policyVersion: 1, demand: 0, inputs: [] } as const;
      const value = encodeCommit(
        { kind: 'commit', ...header, counters: { ...zeroCounters(), ...counted } },
        writer.take(),
      );
      return log.append([{ topic: 'c.frontier-changelog', partition: own(hostKey), key: null, value }]);
    },
  };
}

type ReadLog = Awaited<ReturnType<typeof memoryCrawl>>['crawl']['log'];

/** A crawl that loses its caller with the first read of its log, and the number of reads. */
export function leavesAtFirstRead<Crawl extends { readonly log: ReadLog }>(
  crawl: Crawl,
): { readonly reads: () => number; readonly leaving: Crawl; readonly signal: AbortSignal } {
  const gone = new AbortController();
  let reads = 0;
  const reader = () => {
    const own = crawl.log.reader();
    const poll = own.poll.bind(own);
    own.poll = async (options) => {
      reads += 1;
      gone.abort();
      return poll(options);
    };
    return own;
  };
  return { reads: () => reads, leaving: { ...crawl, log: { ...crawl.log, reader } }, signal: gone.signal };
}
