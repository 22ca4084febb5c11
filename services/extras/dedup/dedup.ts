/** The dedup as a consumer of `pages` and `results`: to `duplicates` and `control`, state and positions in one store. */
import { hash } from 'node:crypto';
import type { Control, Duplicate } from '../../../schemas/types.ts';
import { languageOf } from '../../../topology/content/language.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { BatchContext } from '../../runtime/consumer/consumer.ts';
import { positionRow, storePositions } from '../../runtime/consumer/group-folder.ts';
import type { Positions } from '../../runtime/consumer/positions.ts';
import type { Received } from '../../runtime/consumer/received.ts';
import { type Purged, Purges, urlRangesOf } from '../../runtime/crawl/purges.ts';
import type { AppendRecord, Log } from '../../runtime/log/log.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { type ContentNodes, openContentNodes } from './content-nodes.ts';
import { Deduper } from './deduper.ts';
import { countRates, type PageSample } from './duplicate-rates.ts';
import type { NearMethod } from './likeness.ts';
import { ratesOf } from './rows.ts';
import { verdictEvents } from './verdict-events.ts';

export type DedupTopic = 'pages' | 'results' | 'control';

export interface DedupOptions {
  readonly log: Pick<Log, 'append'>;
  /** Purges so far; new ones are added to it. Absent: there are none. */
  readonly purges?: Purges;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly store: StateStore;
  readonly crawl: string;
  readonly partitions: number;
  readonly keyMode: KeyMode;
  /** Absent: the store's method, or MinHash for a new store. */
  readonly method?: NearMethod | undefined;
  /** True if the current policy uses verdicts on single pages. Absent: it does not. */
  readonly demotes?: () => Promise<boolean>;
  /** The key of the signatures: it is the crawl's, and must never change for a store. */
  readonly seed: number;
}

export interface Dedup {
  handle(
    batch: readonly Received<DedupTopic>[],
    context: Pick<BatchContext, 'positions'> & Partial<Pick<BatchContext, 'forgotten'>>,
  ): Promise<void>;
  readonly positions: Positions;
}

export async function openDedup(options: DedupOptions): Promise<Dedup> {
  const { log, clock, store, purges = new Purges() } = options;
  const nodes = await openContentNodes(store, options.method, options.seed);
  const deduper = await Deduper.open({
    store,
    nodes,
    nowMs: () => clock.nowMs(),
    async publish(all) {
      // Pages of a purge are removed one by one. Until then, the next page of the purge may represent others.
      const published = all.filter(({ duplicate: { url, fetchedAtMs } }) => !purges.refuses(url, fetchedAtMs));
      const records = published.map((one) => duplicateRecord(options, one));
      if (await options.demotes?.()) {
        const verdicts = published.map(({ duplicate }) => duplicate);
        records.push(...verdictEvents(verdicts, clock.nowMs()).map((event) => controlRecord(options, event)));
      }
      if (records.length > 0) await log.append(records);
    },
  });
  return new PageDedup(options, purges, nodes, deduper);
}

function duplicateRecord(
  { codec, crawl }: DedupOptions,
  { partition, duplicate }: { partition: number; duplicate: Duplicate },
): AppendRecord {
  const value = codec.encode('duplicates', duplicate);
  return { topic: `${crawl}.duplicates`, partition, key: Buffer.from(duplicate.hostKey), value };
}

function controlRecord({ codec, crawl, keyMode, partitions }: DedupOptions, event: Control): AppendRecord {
  const partition = partitionOf(partitionKeyOf(event.hostKey, keyMode), partitions);
  return { topic: `${crawl}.control`, partition, key: null, value: codec.encode('control', event) };
}

/** Its public acts are fields, since callers hand out single ones. */
class PageDedup implements Dedup {
  readonly #options: DedupOptions;
  readonly #purges: Purges;
  readonly #nodes: ContentNodes;
  readonly #deduper: Deduper;
  readonly positions: Dedup['positions'];

  constructor(options: DedupOptions, purges: Purges, nodes: ContentNodes, deduper: Deduper) {
    this.#options = options;
    this.#purges = purges;
    this.#nodes = nodes;
    this.#deduper = deduper;
    this.positions = storePositions(options.store);
  }

  async #purge({ hostKey, url }: Purged) {
    const ranges = url === null ? urlRangesOf(hostKey) : [{ from: url, below: `${url}\u0001` }];
    for (const range of ranges) await this.#deduper.purge(range);
    if (url !== null) return;
    const rates: StoreOp[] = [];
    for await (const [key] of this.#options.store.scan(ratesOf(hostKey))) rates.push({ key, value: null });
    this.#nodes.forgetHost(hostKey, rates);
    await this.#deduper.commit(rates);
  }

  async #take(received: Received<DedupTopic>): Promise<PageSample | undefined> {
    const { partition, offset } = received;
    if (received.topic === 'control') {
      const purged = this.#purges.take(received.value);
      if (purged !== null) await this.#purge(purged);
      return undefined;
    }
    if (received.topic === 'results') {
      for (const { url, atMs } of goneOf(received)) {
        if (this.#purges.refuses(url, atMs)) continue;
        await this.#deduper.remove(url, atMs, { partition, hostKey: received.value.hostKey });
      }
      return undefined;
    }
    const page = received.value;
    const { url, hostKey, fetchedAtMs } = page;
    if (this.#purges.refuses(url, fetchedAtMs)) return undefined;
    if (page.noindex) {
      await this.#deduper.remove(url, fetchedAtMs, { partition, hostKey });
      return undefined;
    }
    const content = contentOf(page.contentHash, page.text);
    const verdict = await this.#deduper.add({
      page,
      content,
      language: languageOf(page.text, page.declaredLanguage),
      partition,
      offset,
    });
    return verdict.isNew ? { url, hostKey, representative: verdict.representative } : undefined;
  }

  readonly handle: Dedup['handle'] = async (batch, { positions, forgotten = [] }) => {
    await this.#deduper.prepare(batch.flatMap(urlsOf));
    const samples: PageSample[] = [];
    for (const received of batch) {
      const sample = await this.#take(received);
      if (sample !== undefined) samples.push(sample);
    }
    for (const { hostKey, url } of forgotten) await this.#purge({ hostKey, url });
    const { ops, events } = await countRates(this.#options.store, samples, this.#options.clock.nowMs());
    if (events.length > 0) await this.#options.log.append(events.map((event) => controlRecord(this.#options, event)));
    await this.#deduper.finish([...ops, ...positions.map(positionRow)]);
  };
}

function urlsOf(received: Received<DedupTopic>): string[] {
  if (received.topic === 'control') return [];
  return received.topic === 'pages' ? [received.value.url] : goneOf(received).map(({ url }) => url);
}

/** 404 and 410, by the time of the request. */
function goneOf({ value }: Received<'results'>): { readonly url: string; readonly atMs: number }[] {
  const { outcomes, requests, completedAtMs } = value;
  return outcomes
    .filter(({ kind }) => kind === 'gone')
    .map(({ index, url }) => {
      const request = requests.find(({ outcomeIndex }) => outcomeIndex === index);
      return { url, atMs: request?.endMs ?? completedAtMs };
    });
}

/** Foreign producers may hash otherwise, or not at all. */
function contentOf(contentHash: string, text: string): string {
  return /^[0-9a-f]{16}/.test(contentHash) ? contentHash.slice(0, 16) : hash('sha256', text, 'hex').slice(0, 16);
}
