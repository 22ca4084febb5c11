/** A dedup's verdicts on labelled pages: how many reported duplicates are right, and how many copies were found. */
import { hash } from 'node:crypto';
import type { Duplicate } from '../../schemas/types.ts';
import { openDedup } from '../../services/extras/dedup/dedup.ts';
import type { NearMethod } from '../../services/extras/dedup/likeness.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import type { LabelledPage } from './labelled-pages.ts';
import { pageRecord } from './page-record.ts';
import { received } from './records.ts';

export interface Judged {
  readonly reported: number;
  readonly precision: number;
  readonly recall: number;
  /** URL and representative of pages that are not of one family. */
  readonly wrong: readonly (readonly [string, string])[];
}

export async function judgedDedup(method: NearMethod, pages: readonly LabelledPage[]): Promise<Judged> {
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const newest = new Map<string, Duplicate>();
  const dedup = await openDedup({
    log: {
      append: async (records) => {
        for (const { topic, value } of records) {
          if (topic !== 'c.duplicates') continue;
          const reported = codec.decode('duplicates', value);
          newest.set(reported.url, reported);
        }
        return [];
      },
    },
    ...{ codec, clock: new SystemClock(), store: createMemoryStore(), crawl: 'c', partitions: 1, keyMode: 'host' },
    ...{ method, seed: 7 },
  });
  for (let at = 0; at < pages.length; at += 128) {
    const batch = pages.slice(at, at + 128).map(({ url, title, text, mainText = '' }, n) => {
      const contentHash = hash('sha256', `${title}\n${text}`, 'hex');
      return received('pages', pageRecord({ url, title, text, mainText, fetchedAtMs: at + n, contentHash }));
    });
    await dedup.handle(batch as never, { positions: [] });
  }
  const families = new Map(pages.map(({ url, family }) => [url, family]));
  const reported = [...newest.values()].filter(({ url, representative }) => url !== representative);
  const wrong = reported.filter(({ url, representative }) => families.get(url) !== families.get(representative));
  const copies = pages.filter(({ isCopy }) => isCopy);
  const found = new Set(reported.filter((one) => !wrong.includes(one)).flatMap((one) => [one.url, one.representative]));
  return {
    reported: reported.length,
    precision: reported.length === 0 ? 1 : 1 - wrong.length / reported.length,
    recall: copies.length === 0 ? 1 : copies.filter(({ url }) => found.has(url)).length / copies.length,
    wrong: wrong.map(({ url, representative }) => [url, representative]),
  };
}
