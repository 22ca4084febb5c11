/**
 * The manifest of a crawl on Kafka: the first `manifest` event of `control`, partition 0.
 *
 * The first process that may create a crawl (a frontier, `topics create`, a load) creates the topics and sends a
 * manifest. If two do so at once, both read back the one that was appended first. All others check their options
 * against it. If the crawl's topics already have records, no manifest is created: an unreadable one may exist, and a
 * second one would change the key of the fingerprints in a running crawl.
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
  /** The user's options. */
  readonly wanted: Partial<ManifestFacts> & Pick<ManifestFacts, 'crawl'>;
  /** Settings of a new crawl; null: this command creates none. */
  readonly defaults: ManifestFacts | null;
  readonly createdBy: string;
  /** The key of a new crawl that takes over another's fingerprints. Absent: 16 random bytes. */
  readonly fingerprintKey?: string | undefined;
  /** The manifest in this process's folder; it counts if `control` was lost. Absent: none. */
  readonly kept?: (() => Promise<Manifest | undefined>) | undefined;
  readonly onNotice?: ((text: string) => void) | undefined;
  /** The crawl belongs to a fleet, and the fleet's name precedes the crawl's. Absent: it does not. */
  readonly isOfFleet?: boolean;
}

/**
 * Returns the crawl's manifest, and creates it if it is missing. Throws INVALID_ARGUMENT if there is no such crawl,
 * TOPIC_MISMATCH or DATA_FOLDER_FOREIGN if it is another crawl, and SCHEMA_UNKNOWN if its manifest cannot be read
 * now.
 */
export async function agreeManifest(agreement: Agreement): Promise<Manifest> {
  const { log, codec, wanted, defaults } = agreement;
  const { crawl } = wanted;
  const place = `crawl "${crawl}" on these brokers`;
  const there = await log.partitionsOf(`${crawl}.control`);
  if (there === 0 && defaults === null) {
    throw new CrawlstreamError(
      'CRAWL_MISSING',
      `${place} does not exist: check --crawl, or start it with crawlstream crawl, frontier or topics create`,
    );
  }
  let manifest = there === 0 ? null : (await readControl(log, codec, crawl)).manifest;
  if (defaults !== null) {
    // The manifest's number of partitions counts, even if somebody has changed a topic since.
    const known = manifest === null ? null : parseManifest(manifest, place).partitions;
    const ofTopics = there || (await log.partitionsOf(`${crawl}.frontier-changelog`));
    const partitions = known ?? wanted.partitions ?? (ofTopics || defaults.partitions);
    await log.createTopics(topicsOfCrawl(crawl, partitions));
    if (manifest === null) ({ manifest } = await readControl(log, codec, crawl));
    if (manifest === null) {
      const held = await whatIsHeld(log, crawl);
      if (held === null) await log.append([manifestRecord(agreement, defaults, partitions)]);
      else if (!held.startsWith(`${crawl}.control/`)) await sendKept(agreement);
      // Another process's manifest may have been appended first.
      ({ manifest } = await readControl(log, codec, crawl));
      if (manifest === null) throw unreadable(place, crawl, held ?? `${crawl}.control/0`);
    }
  }
  if (manifest === null) {
    const held = await whatIsHeld(log, crawl);
    // The record on the topics may be a manifest that was appended since the first read.
    if (held !== null) ({ manifest } = await readControl(log, codec, crawl));
    if (held !== null && manifest === null) throw unreadable(place, crawl, held);
  }
  if (manifest === null) {
    throw new CrawlstreamError(
      'CRAWL_MISSING',
      `${place} has no manifest: start a frontier or run crawlstream topics create. If its topics were created by hand, delete them, or choose another --crawl`,
    );
  }
  const agreed = parseManifest(manifest, place);
  checkManifest(agreed, wanted, place);
  return agreed;
}

/** `control` is empty, and the crawl is not: the topic was deleted. */
async function sendKept({ log, codec, clock, createdBy, kept, onNotice, wanted: { crawl } }: Agreement): Promise<void> {
  const manifest = await kept?.();
  if (manifest === undefined || manifest.crawl !== crawl) return;
  const event = { kind: 'manifest', atMs: clock.nowMs(), by: createdBy, payload: JSON.stringify(manifest) } as const;
  await log.append([
    { topic: `${crawl}.control`, partition: 0, key: null, value: codec.encode('control', controlEvent(event)) },
  ]);
  onNotice?.(
    `${crawl}.control was lost: its manifest is sent again from the data folder, and each frontier sends its policy and orders again; payments, signing keys and clients' crawl ids of the lost topic are gone`,
  );
}

function manifestRecord(
  { codec, clock, wanted, createdBy, ...given }: Agreement,
  facts: ManifestFacts,
  partitions: number,
) {
  const { crawl } = wanted;
  if (crawl.includes('.') && given.isOfFleet !== true) {
    const message = `a new crawl cannot be named ${crawl}: a dot marks crawls of a fleet; use - instead`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  if (crawl.includes('_')) {
    const message = `a new crawl cannot be named ${crawl}: in metrics of brokers, _ and dot are the same, so its topics would be confused with others; use - instead`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
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

/**
 * Returns a partition with records, which show that the crawl exists even if they cannot be read; null: there is none.
 */
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
  const control = `${crawl}.control`;
  const remedy = held.startsWith(`${control}/`)
    ? `Give the registry that ${control} was written with (--registry), or restore it; if control was lost, restore the topic, or choose another --crawl`
    : `If ${control} was deleted, start a frontier on the data folder of a process of this crawl (--data): its manifest.json makes ${control} again. Without such a folder, restore the topic, or choose another --crawl`;
  const message = `${place} has no readable manifest, but ${held} has records, so no new manifest is created. ${remedy}`;
  return new CrawlstreamError('SCHEMA_UNKNOWN', message);
}
