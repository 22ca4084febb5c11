/** A dedup over a store, fed by hand. */
import { hash } from 'node:crypto';
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import { received } from '../../../../lab/pages/records.ts';
import type { Control, Duplicate, Page } from '../../../../schemas/types.ts';
import { openDedup } from '../../../../services/extras/dedup/dedup.ts';
import type { NearMethod } from '../../../../services/extras/dedup/likeness.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';

const codec = await openCodec(createMemoryRegistry(), 'c');
export type Input = Received<'pages' | 'results' | 'control'>;

/** A dedup over a store, and what it tells; `failAt`: the append that fails, as a kill would. */
export async function open(store: StateStore, method: NearMethod = 'simhash', failAt = Number.POSITIVE_INFINITY) {
  const reported: Duplicate[] = [];
  const events: Control[] = [];
  let nowMs = 1_000_000;
  let appends = 0;
  const append = async (records: readonly AppendRecord[]) => {
    appends += 1;
    if (appends === failAt) throw new Error('killed');
    for (const { topic, value } of records) {
      if (topic === 'c.duplicates') reported.push(codec.decode('duplicates', value));
      else events.push(codec.decode('control', value));
    }
    return [];
  };
  const clock = { nowMs: () => nowMs++, sleepUntil: async () => {} };
  const options = { codec, clock, store, crawl: 'c', partitions: 2, keyMode: 'host', method, seed: 5 } as const;
  const dedup = await openDedup({ ...options, log: { append } });
  const read = async (inputs: readonly Input[], batch = 5, from = 0) => {
    for (let at = from; at < inputs.length; at += batch) {
      const some = inputs.slice(at, at + batch);
      await dedup.handle(some, { positions: [{ topic: 'c.pages', partition: 0, offset: at + some.length }] });
    }
  };
  return { reported, events, read, dedup };
}

export function page(url: string, text: string, more: Partial<Page> = {}): Input {
  return received('pages', pageRecord({ url, text, contentHash: hash('sha256', text, 'hex'), ...more })) as Input;
}

/** URL → representative, as the newest record of each says; those that are no duplicates are left out. */
export function verdicts(reported: readonly Duplicate[]): Map<string, string> {
  const newest = new Map(reported.map(({ url, representative }) => [url, representative]));
  return new Map([...newest].filter(([url, representative]) => url !== representative).sort());
}
