/** Checks the options of `consumePages` and `consumeTopic`. */
import { CrawlstreamError } from '../../topology/errors.ts';
import { checkOptions, type Field, isCount, isFunction } from '../runtime/check-options.ts';
import type { ConsumeOptions } from './consume-pages.ts';

type Keys<T> = T extends unknown ? keyof T : never;

const isMs = (value: unknown) => Number.isFinite(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isDate = (value: unknown) => value instanceof Date && !Number.isNaN(value.getTime());
const beginnings: readonly unknown[] = ['committed', 'start', 'end'];

const fields: Readonly<Record<Keys<ConsumeOptions<'pages'>>, Field>> = {
  data: { wants: 'the data folder of a crawl', fits: isText },
  brokers: { wants: "the addresses of brokers, as in 'localhost:9092'", fits: isText },
  registry: { wants: "the schema registry's URL", fits: isText },
  crawl: { wants: "the crawl's name", fits: isText },
  group: { wants: 'a name for the consumer group', fits: isText, needed: true },
  handle: { wants: 'a function that takes a batch of records', fits: isFunction, needed: true },
  forget: { wants: 'a function that takes the URLs to forget', fits: isFunction },
  from: {
    wants: "'committed', 'start', 'end' or a valid Date",
    fits: (value) => beginnings.includes(value) || isDate(value),
  },
  untilEnd: { wants: 'true or false', fits: isBoolean },
  batchRecords: { wants: 'a whole number of records, at least 1', fits: isCount },
  batchMs: { wants: 'a number of ms, 0 or more', fits: isMs },
  retriesMs: {
    wants: 'a list of waits in ms, as in [1000, 5000]',
    fits: (value) => Array.isArray(value) && value.every(isMs),
  },
  whenFailed: { wants: "'deadLetter' or 'stop'", fits: (value) => value === 'deadLetter' || value === 'stop' },
  signal: { wants: 'the signal of an AbortController', fits: (value) => value instanceof AbortSignal },
};

/** Throws INVALID_ARGUMENT, naming the first option at fault. */
export function checkConsumeOptions(options: unknown): void {
  checkOptions('consume', options, fields);
  const given = options as { readonly data?: unknown; readonly brokers?: unknown };
  const places = [given.data, given.brokers].filter((place) => place !== undefined).length;
  if (places !== 1) {
    const why = places === 0 ? 'the place of the crawl is missing' : 'data and brokers exclude each other';
    throw new CrawlstreamError('INVALID_ARGUMENT', `consume: ${why}: give data (a folder) or brokers (Kafka)`);
  }
}
