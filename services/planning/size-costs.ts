/**
 * Computes the price of a sizing: prices are inputs, quantities come from the model. The default prices are round
 * numbers typical of public clouds, not an offer: replace them with yours.
 */
import type { SizeInput, Sizing } from './size-model.ts';

/** Prices by name, for `--price`; GiB are 2^30 bytes, a month has 730 hours. All in one currency of your choice. */
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

/** Costs of an hour of the crawl, by purpose. Disks have their size at the end. */
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
/** Number of kept snapshots. Each is at most as large as the states. */
const snapshotsKept = 3;
/** Share of the transferred bytes between zones, if clients and copies are spread at random over three. */
const crossingShare = 2 / 3;

export function costsOf(input: SizeInput, sizing: Sizing, busyShare: number, of: Prices): Costs {
  const gib = (bytes: number) => bytes / 2 ** 30;
  const { brokers, frontiers, fetchers, receivedBytesPerSecond } = sizing;
  const hourly = (bytesPerSecond: number) => 3600 * gib(bytesPerSecond);
  const monthly = (bytes: number, price: number) => (gib(bytes) * price) / monthHours;
  const service = (one: Sizing['frontiers']) =>
    (one.cores / busyShare) * of['core-hour'] +
    gib(one.memoryBytes) * of['gib-hour'] +
    monthly(one.diskBytes, of['disk-gib-month']);
  const copied = (input.replication - 1) * brokers.inBytesPerSecond;
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
  return { ...parts, hour, millionPages: (hour / 3600 / input.rate) * 1e6 };
}
