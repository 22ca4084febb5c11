/**
 * The manifest of a crawl on Kafka: the first `manifest` event of `control`, partition 0.
 *
 * Whoever comes first makes the topics and sends one; where two come first together, both read back the one that landed
 * first. Everybody else checks what they were asked for against it. Where the crawl's topics hold anything already, no
 * manifest is ever made: that one can't be read now does not mean that there is none, and a second one would key the
 * fingerprints anew under a crawl that lives.
 */
import { randomBytes } from 'node:crypto';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import { isSchemaNote } from '../avro/schema-note.ts';
import type { Clock } from '../clock.ts';
import type { Manifest, ManifestFacts } from '../data-folder/manifest.ts';
import { checkManifest, manifestFormat, parseManifest } from '../data-folder/manifest.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
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

/**
 * Throws INVALID_ARGUMENT where there is no such crawl, TOPIC_MISMATCH or DATA_FOLDER_FOREIGN where it is another, and
 * SCHEMA_UNKNOWN where its manifest can't be read now.
 */
export async function agreeManifest(agreement: Agreement): Promise<Manifest> {
  const { log, codec, wanted, defaults } = agreement;
  const { crawl } = wanted;
  const place = `crawl "${crawl}" on these brokers`;
  const there = await log.partitionsOf(`${crawl}.control`);
  if (there === 0 && defaults === null) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `there is no ${place}: check --crawl, or start one with crawlstream crawl or frontier`,
    );
  }
  const partitions = wanted.partitions ?? (there || (defaults?.partitions ?? 0));
  if (defaults !== null) await log.createTopics(topicsOfCrawl(crawl, partitions));
  let { manifest } = await readControl(log, codec, crawl);
  if (manifest === null) {
    const held = await whatIsHeld(log, crawl);
    if (held !== null) throw unreadable(place, crawl, held);
    if (defaults === null) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `${place} has no manifest: were its topics made by hand? Start one with crawlstream crawl or frontier`,
      );
    }
    await log.append([manifestRecord(agreement, defaults, partitions)]);
    ({ manifest } = await readControl(log, codec, crawl));
    if (manifest === null) throw unreadable(place, crawl, `${crawl}.control/0`);
  }
  const agreed = parseManifest(manifest, place);
  checkManifest(agreed, wanted, place);
  return agreed;
}

function manifestRecord(
  { codec, clock, wanted, createdBy, ...given }: Agreement,
  facts: ManifestFacts,
  partitions: number,
) {
  const { crawl } = wanted;
  const manifest: Manifest = {
    format: manifestFormat,
    ...facts,
    crawl,
    partitions,
    fingerprintKey: given.fingerprintKey ?? randomBytes(16).toString('hex'),
    createdAt: new Date(clock.nowMs()).toISOString(),
    createdBy,
  };
  const payload = JSON.stringify(manifest);
  const event = controlEvent({ kind: 'manifest', atMs: clock.nowMs(), by: createdBy, payload });
  return { topic: `${crawl}.control`, partition: 0, key: null, value: codec.encode('control', event) };
}

/** A partition that shows that the crawl is there, whatever can be read of it; null: there is none. */
async function whatIsHeld(log: Log, crawl: string): Promise<string | null> {
  const control = `${crawl}.control`;
  for (const topic of [control, `${crawl}.frontier-changelog`]) {
    const partitions = await log.partitionsOf(topic);
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await log.offsets(topic, partition);
      const isNotes = topic === control && partition === 0 && start === 0 && (await holdsNotesAlone(log, topic, end));
      if (end > 0 && !isNotes) return `${topic}/${partition}`;
    }
  }
  return null;
}

/** Notes come before the manifest. */
async function holdsNotesAlone(log: Log, topic: string, end: number): Promise<boolean> {
  for await (const { value } of recordsOf(log, topic, 0, 0, end)) if (!isSchemaNote(value)) return false;
  return true;
}

function unreadable(place: string, crawl: string, held: string): CrawlstreamError {
  const message = `${place} has no manifest that can be read, though ${held} holds records: no second one is made. Name the registry that ${crawl}.control was written with (--registry), or restore it; if control was lost, restore the topic, or choose another --crawl`;
  return new CrawlstreamError('SCHEMA_UNKNOWN', message);
}
