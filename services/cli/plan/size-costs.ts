/**
 * What a sizing costs: prices are inputs, and what they multiply is the model's. The defaults are round numbers of the
 * kind that public clouds ask, nobody's offer: put your own in their place.
 */
import type { SizeWish, Sizing } from './size-model.ts';

/** By name, as `--price` gives them; GiB are 2^30 bytes, a month has 730 hours. In one currency, whichever it is. */
export const prices = {
  'core-hour': { default: 0.04, of: 'a core of a process, idle share included' },
  'gib-hour': { default: 0.005, of: 'a GiB of memory of a process' },
  'broker-core-hour': { default: 0.06, of: 'a core of a broker, its memory included' },
  'broker-gib-month': { default: 0.1, of: 'a GiB of the brokers’ disks' },
  'disk-gib-month': { default: 0.1, of: 'a GiB of a frontier’s volume' },
  'snapshot-gib-month': { default: 0.025, of: 'a GiB of the snapshots’ store' },
  'zone-gib': { default: 0.02, of: 'a GiB from one zone to another: copies between brokers, and clients of theirs' },
  'ingress-gib': { default: 0, of: 'a GiB from the web' },
} as const satisfies Readonly<Record<string, { readonly default: number; readonly of: string }>>;

export type PriceName = keyof typeof prices;
export type Prices = Readonly<Record<PriceName, number>>;

export const defaultPrices = Object.fromEntries(
  Object.entries(prices).map(([name, price]) => [name, price.default]),
) as Prices;

/** An hour while the crawl runs, by what it is for; disks as they are at the end. */
export interface Costs {
  readonly frontiers: number;
  readonly fetchers: number;
  readonly brokers: number;
  readonly brokersDisk: number;
  readonly betweenZones: number;
  readonly snapshots: number;
  readonly web: number;
  /** All of these. */
  readonly hour: number;
  readonly millionPages: number;
}

const monthHours = 730;
/** Snapshots kept, each as large as the states at most. */
const snapshotsKept = 3;
/** Of what clients and copies move, with zones picked at random out of three. */
const crossingShare = 2 / 3;

export function costsOf(wish: SizeWish, sizing: Sizing, busyShare: number, of: Prices): Costs {
  const gib = (bytes: number) => bytes / 2 ** 30;
  const { brokers, frontiers, fetchers, receivedBytesPerSecond } = sizing;
  const hourly = (bytesPerSecond: number) => 3600 * gib(bytesPerSecond);
  const monthly = (bytes: number, price: number) => (gib(bytes) * price) / monthHours;
  const service = (one: Sizing['frontiers']) =>
    (one.cores / busyShare) * of['core-hour'] +
    gib(one.memoryBytes) * of['gib-hour'] +
    monthly(one.diskBytes, of['disk-gib-month']);
  const copied = (wish.replication - 1) * brokers.inBytesPerSecond;
  const crossing = crossingShare * (brokers.inBytesPerSecond + brokers.outBytesPerSecond) + copied;
  const parts = {
    frontiers: service(frontiers),
    fetchers: service(fetchers),
    brokers: (brokers.cores / busyShare) * of['broker-core-hour'],
    brokersDisk: monthly(brokers.diskBytes, of['broker-gib-month']),
    betweenZones: hourly(crossing) * of['zone-gib'],
    snapshots: monthly(snapshotsKept * frontiers.diskBytes, of['snapshot-gib-month']),
    web: hourly(receivedBytesPerSecond) * of['ingress-gib'],
  };
  const hour = Object.values(parts).reduce((sum, one) => sum + one, 0);
  return { ...parts, hour, millionPages: (hour / 3600 / wish.rate) * 1e6 };
}
