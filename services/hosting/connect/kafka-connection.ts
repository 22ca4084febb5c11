/** A crawl on Kafka, as every command uses it: its log, its codec and its manifest. */

import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { commandName } from '../../runtime/command-name.ts';
import { agreeManifest } from '../../runtime/crawl/agree-manifest.ts';
import { openKafkaAccess } from '../../runtime/crawl/kafka-access.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { say } from '../../runtime/logging/say.ts';
import { productVersion } from '../../runtime/version.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { needBrokers } from '../options/crawl-place.ts';
import { cutShort } from './cut-short.ts';
import { type NewCrawl, newCrawl } from './new-crawl.ts';
import { keptManifest } from './own-folder.ts';
import { refuseOfFleet } from './refuse-of-fleet.ts';

export interface KafkaConnection {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly manifest: Manifest;
}

const sayOfBrokers = (text: string) => say(text, 'warn', { component: 'brokers' });

/** Partitions of a new crawl: enough for as many frontier processes, which is more than most crawls need. */
export const partitionsDefault = 8;

/**
 * Calls `act` with a connection to the crawl. `creates`: true creates a missing crawl; 'joins' does not, but takes part
 * in its work. `stopping`: if it aborts first, `act` is not called. `stays`: true for a role, which waits for
 * unreachable brokers and reports them. Throws CRAWL_MISSING if the crawl is missing and not created.
 */
export async function withKafka<T>(
  flags: KafkaFlags,
  clock: Clock,
  creates: boolean | 'joins' | NewCrawl,
  act: (connection: KafkaConnection) => Promise<T>,
  stopping?: AbortSignal,
  stays = stopping !== undefined,
): Promise<T> {
  const { crawl, registry, compression, partitions } = flags;
  if (creates === true || typeof creates === 'object') refuseOfFleet(crawl);
  const { log, codec } = await openKafkaAccess({
    ...{ brokers: needBrokers(flags), registry, crawl, compression, stays },
    ...{ by: productVersion, role: commandName(), onNotice: sayOfBrokers },
  });
  try {
    // An existing crawl keeps its key mode.
    const asked = typeof creates === 'object' ? creates : {};
    const { partitions: _, keyMode, sink, ...facts } = newCrawl(crawl, 1, asked.sink);
    const wanted = {
      ...facts,
      // For commands that only look at a crawl, it does not matter who takes its leases.
      ...(creates !== false && { sink }),
      ...(partitions !== undefined && { partitions }),
      ...(asked.keyMode !== undefined && { keyMode: asked.keyMode }),
    };
    const ofNew = {
      ...newCrawl(crawl, asked.partitions ?? partitionsDefault, asked.sink),
      keyMode: asked.keyMode ?? keyMode,
    };
    const defaults = creates === false || creates === 'joins' ? null : ofNew;
    const { fingerprintKey } = asked;
    const createdBy = productVersion;
    const kept = () => keptManifest(flags, crawl);
    const of = { createdBy, fingerprintKey, kept, onNotice: sayOfBrokers };
    const agreeing = { log, codec, clock, wanted, defaults, ...of };
    const manifest = await cutShort(stopping, log, () => agreeManifest(agreeing));
    return await act({ log, codec, manifest });
  } finally {
    await log.close();
  }
}
