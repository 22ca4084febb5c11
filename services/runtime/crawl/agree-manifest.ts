/**
 * The manifest of a crawl on Kafka: the first `manifest` event of `control`, partition 0.
 *
 * Whoever comes first makes the topics and sends one; where two come first together, both read back the one that landed
 * first. Everybody else checks what they were asked for against it.
 */
import { randomBytes } from 'node:crypto';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Clock } from '../clock.ts';
import type { Manifest, ManifestFacts } from '../data-folder/manifest.ts';
import { checkManifest, manifestFormat, parseManifest } from '../data-folder/manifest.ts';
import type { Log } from '../log/log.ts';
import { controlEvent, readControl } from './control-log.ts';

export interface Agreement {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  /** What the user asked for by name. */
  readonly wanted: Partial<ManifestFacts> & Pick<ManifestFacts, 'crawl'>;
  /** What a new crawl is made with; null: this command makes none. */
  readonly defaults: ManifestFacts | null;
  readonly createdBy: string;
  /** Of a new crawl that goes on with another's fingerprints. Absent: 16 random bytes. */
  readonly fingerprintKey?: string | undefined;
}

/** Throws INVALID_ARGUMENT where there is no such crawl, TOPIC_MISMATCH or DATA_FOLDER_FOREIGN where it is another. */
export async function agreeManifest(agreement: Agreement): Promise<Manifest> {
  const { log, codec, clock, wanted, defaults, createdBy } = agreement;
  const { crawl } = wanted;
  const place = `crawl "${crawl}" on these brokers`;
  const there = await log.partitionsOf(`${crawl}.control`);
  if (there === 0 && defaults === null) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `there is no ${place}: check --crawl, or start one with crawlstream crawl or frontier`,
    );
  }
  if (defaults !== null) {
    const partitions = wanted.partitions ?? (there || defaults.partitions);
    await log.createTopics(topicsOfCrawl(crawl, partitions));
    if ((await readControl(log, codec, crawl)).manifest === null) {
      const fingerprintKey = agreement.fingerprintKey ?? randomBytes(16).toString('hex');
      const createdAt = new Date(clock.nowMs()).toISOString();
      const manifest: Manifest = {
        format: manifestFormat,
        ...defaults,
        crawl,
        partitions,
        fingerprintKey,
        createdAt,
        createdBy,
      };
      const event = controlEvent({
        kind: 'manifest',
        atMs: clock.nowMs(),
        by: createdBy,
        payload: JSON.stringify(manifest),
      });
      await log.append([{ topic: `${crawl}.control`, partition: 0, key: null, value: codec.encode('control', event) }]);
    }
  }
  const { manifest } = await readControl(log, codec, crawl);
  if (manifest === null) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${place} has no manifest: were its topics made by hand? Delete them, or choose another --crawl`,
    );
  }
  const agreed = parseManifest(manifest, place);
  checkManifest(agreed, wanted, place);
  return agreed;
}
