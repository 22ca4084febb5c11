/** The lease API. */
import { gatherUrls, publishGroups } from '../../services/extras/lending/add-urls.ts';
import { leaseCall, renewCall } from '../../services/extras/lending/api-schemas.ts';
import { lendingLimits } from '../../services/extras/lending/lending-limits.ts';
import { readAdd, readResults } from '../../services/extras/lending/read-items.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { type BoundaryTable, cutAt, from, tuning, undriven, upTo } from './boundary.ts';

const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;
const url = 'http://a.test/';

function resultWith(fields: object) {
  const [read] = readResults({ results: [{ lease: 'x', status: 200, ...fields }] });
  if (read === undefined || 'why' in read) throw new Error(read?.why);
  return read.result;
}

/** Messages that a group of one payload and another URL make. */
async function messagesOf(chars: number): Promise<number> {
  let records = 0;
  const codec = await openCodec(createMemoryRegistry(), 't');
  const append = async (all: readonly unknown[]) => {
    records += all.length;
    return [];
  };
  const log = { append };
  const { groups } = gatherUrls(readAdd({ urls: [{ url }, { url }] }), null, 1);
  const link = { url: 'x'.repeat(chars - 2 * 128 - 2 * 8 - url.length), lastModifiedMs: 0, priority: -1, spelling: '' };
  const one = { ...groups[0]!, links: [groups[0]!.links[0]!] };
  const topics = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  await publishGroups({ log, codec, clock: new SystemClock(), topics }, [one, { ...one, links: [link] }]);
  return records;
}

export const lendingBoundaries: BoundaryTable<typeof lendingLimits> = {
  leasesPerCallMax: upTo((count) => takes(leaseCall, { count })),
  waitMsMax: upTo((waitMs) => takes(leaseCall, { waitMs })),
  idleWaitMs: tuning('how soon a client learns that the crawl has nothing left'),
  gatherMs: tuning('how many URLs share an answer: each is given once'),
  leaseMsMin: from((leaseMs) => takes(leaseCall, { leaseMs })),
  leaseMs: tuning('a default, which may be set otherwise'),
  sweepMs: tuning('how often somebody looks: what is found is the same'),
  hostsAheadFactor: tuning('how many hosts are ready when a client asks'),
  hostsAheadMin: tuning('how many hosts are ready when a client asks'),
  patienceMs: tuning('how long a host waits for a client: it goes back at no cost'),
  resultsPerCallMax: upTo((n) => takes(renewCall, { leases: Array(n).fill('x') })),
  urlsPerCallMax: cutAt(lendingLimits.urlsPerCallMax, (n) => readAdd({ urls: Array(n).fill({ url }) }).urls.length),
  payloadBytesMax: upTo((n) => readAdd({ urls: [{ url, payload: 'x'.repeat(n) }] }).refused.length === 0),
  bodyBytesMax: undriven('test/services/extras/lending/lease-api.integration.test.ts sends 17 MiB, which is refused'),
  textCharsMax: cutAt(lendingLimits.textCharsMax, (n) => resultWith({ text: 'x'.repeat(n) }).text.length),
  titleCharsMax: cutAt(lendingLimits.titleCharsMax, (n) => resultWith({ title: 'x'.repeat(n) }).title.length),
  detailCharsMax: cutAt(lendingLimits.detailCharsMax, (n) => resultWith({ detail: 'x'.repeat(n) }).detail.length),
  headerNameCharsMax: upTo((n) => Object.keys(resultWith({ headers: { ['x'.repeat(n)]: 'y' } }).headers).length === 1),
  headerCharsMax: upTo((n) => 'etag' in resultWith({ headers: { etag: 'x'.repeat(n) } }).headers),
  asksMax: undriven('ten thousand calls that wait: sockets of as many clients'),
  endedMax: undriven('beyond it the oldest is forgotten: a repetition is then told as unknown'),
  messageBytesSoft: upTo(messagesOf, 1, 2),
};
