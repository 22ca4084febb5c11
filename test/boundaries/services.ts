/** Commands, the log, the codec, HTTP, consumers and what else runs around the core. */

import type { workerLimits } from '../../services/application/workers/worker-limits.ts';
import type { inspectLimits } from '../../services/cli/inspect/inspect-limits.ts';
import type { archiveLimits } from '../../services/extras/archive/archive-limits.ts';
import type { replayLimits } from '../../services/extras/archive/replay/replay-limits.ts';
import type { auditLimits } from '../../services/extras/audit/audit-limits.ts';
import type { CrawlView } from '../../services/extras/dashboard/crawl-view.ts';
import { dashboardLimits } from '../../services/extras/dashboard/limits.ts';
import type { CrawlStatus } from '../../services/extras/dashboard/status.ts';
import { Viewers } from '../../services/extras/dashboard/viewers.ts';
import { countRates } from '../../services/extras/dedup/duplicate-rates.ts';
import type { graphLimits } from '../../services/extras/graph/graph-limits.ts';
import type { indexLimits } from '../../services/extras/index/index-limits.ts';
import type { renderLimits } from '../../services/extras/render/render-limits.ts';
import type { archivedBodyLimits } from '../../services/fetcher/http/archived-body-limits.ts';
import type { changelogLimits } from '../../services/frontier/changelog-limits.ts';
import type { snapshotLimits } from '../../services/frontier/snapshots/snapshot-limits.ts';
import { withHttp } from '../../services/hosting/options/http-side.ts';
import type { doctorLimits } from '../../services/planning/doctor/doctor-limits.ts';
import type { avroLimits } from '../../services/runtime/avro/avro-limits.ts';
import { typeOf } from '../../services/runtime/avro/avro-types.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import type { consumerLimits } from '../../services/runtime/consumer/consumer-limits.ts';
import type { diskLimits } from '../../services/runtime/disk/disk-limits.ts';
import type { httpLimits } from '../../services/runtime/http/http-limits.ts';
import { startHttpServer } from '../../services/runtime/http/http-server.ts';
import { Probes } from '../../services/runtime/http/probes.ts';
import { openEmbeddedLog } from '../../services/runtime/log/embedded-log.ts';
import type { foldedLimits } from '../../services/runtime/log/folded/folded-limits.ts';
import { kafkaLimits } from '../../services/runtime/log/kafka/kafka-limits.ts';
import { readBatches } from '../../services/runtime/log/kafka/record-batch.ts';
import type { AppendRecord } from '../../services/runtime/log/log.ts';
import type { logLimits } from '../../services/runtime/log/log-limits.ts';
import { headerLength } from '../../services/runtime/log/rows.ts';
import { lineLimits } from '../../services/runtime/logging/line-limits.ts';
import { RepeatedLines } from '../../services/runtime/logging/repeated-lines.ts';
import type { objectLimits } from '../../services/runtime/objects/object-limits.ts';
import type { otlpLimits } from '../../services/runtime/otlp/otlp-limits.ts';
import { openOtlpLogs } from '../../services/runtime/otlp/otlp-logs.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import type { storeLimits } from '../../services/runtime/store/store-limits.ts';
import type { contentLimits } from '../../topology/content/content-limits.ts';
import { simhash } from '../../topology/content/simhash.ts';
import { minhash } from '../../topology/extras/dedup/minhash.ts';
import type { crawlLimits } from '../../topology/policy/crawl-limits.ts';
import type { traceLimits } from '../../topology/trace/limits.ts';
import { createFakeClock } from '../services/fetcher/fake-clock.ts';
import { type BoundaryTable, cutAt, driven, from, tuning, undriven, upTo } from './boundary.ts';
import { isTaken } from './commands.ts';
import { isSweptAfter, listsFailures, listsHosts, sendsSeeds } from './dashboard.ts';

const often = 'how often somebody looks: what is found is the same';
const pause = 'a pause before a second try';
const patience = 'how long somebody is waited for: what comes of it is tested with shorter ones';
const batch = 'how much is done at once: what comes out is the same';
const sample = 'how much of it a page shows';
const preset = 'a default, which may be set otherwise';

/** A line that is said so often: is each written? */
function isEachWritten(n: number): boolean {
  let written = 0;
  const lines = new RepeatedLines({ nowMs: () => 0, write: () => (written += 1), later: () => {} });
  for (let at = 0; at < n; at++) lines.take({ text: 'again', level: 'warn', component: 'process', fields: {} });
  return written === n;
}

/** Of so many kinds of lines, is the first still counted? */
function isKindCounted(kinds: number): boolean {
  const texts: string[] = [];
  const lines = new RepeatedLines({ nowMs: () => 0, write: ({ text }) => texts.push(text), later: () => {} });
  const say = (text: string) => lines.take({ text, level: 'warn', component: 'process', fields: {} });
  for (let at = 0; at <= lineLimits.repeatsWritten; at++) say('first');
  for (let at = 1; at < kinds; at++) say('x'.repeat(at));
  return !texts.some((text) => text.startsWith('repeated 1 more'));
}

export const doctorBoundaries: BoundaryTable<typeof doctorLimits> = {
  freeBytesMin: undriven('a disk that is nearly full: the check reads the file system'),
  freeBytesWarn: undriven('a disk that is nearly full: the check reads the file system'),
  openFilesMin: undriven('a limit of the shell: doctor.integration.test.ts lowers it'),
  clockBehindMs: undriven('a file of the future: doctor.integration.test.ts makes one'),
  patienceMs: tuning('how long a check waits'),
};

export const inspectBoundaries: BoundaryTable<typeof inspectLimits> = {
  links: tuning('a default, which a command line may give otherwise'),
  linksMax: upTo((n) => isTaken('links', '--limit', String(n))),
};

export const lineBoundaries: BoundaryTable<typeof lineLimits> = {
  repeatsWritten: upTo(isEachWritten),
  windowMs: undriven('test/services/runtime/logging/repeated-lines.test.ts lets it pass'),
  kindsMax: upTo(isKindCounted),
};

export const workerBoundaries: BoundaryTable<typeof workerLimits> = {
  workersMax: upTo((n) => isTaken('crawl', '--workers', `${n}`)),
  silentLooksMax: undriven('a minute without a sign: a worker would have to hang in a test'),
  lookEveryMs: tuning(often),
  workLookMs: tuning(often),
  pauseMaxMs: tuning(pause),
  pauseMs: tuning(pause),
  soonMs: tuning('which pause comes next'),
  startsFailedMax: undriven('workers that cannot be started: no descriptors, no memory'),
  consumersDeathsMax: undriven(
    'test/services/cli/crawl/consumer-worker.integration.test.ts has a handler that ends its process',
  ),
  predecessorMs: undriven('a minute for which consumers that were left hang'),
  predecessorLookMs: tuning(often),
  deathsPerUrlMax: undriven('test/services/application/workers/dead-leases.test.ts kills at one URL three times'),
  hostsCountedMax: undriven('beyond it the count begins anew'),
  heapMbMax: tuning('what V8 may take; a worker that needs more is replaced'),
  heapMbMin: tuning('what V8 may take, however small the container is'),
  endMs: tuning(patience),
  tasksPerRead: tuning(batch),
  saidCharsMax: tuning(sample),
};

export const crawlBoundaries: BoundaryTable<typeof crawlLimits> = {
  leasesMax: tuning(preset),
  addressDelayMs: undriven('the default between starts on an address'),
  groupIntervalMs: tuning('how long appends gather for one sync'),
  retriesMax: upTo((n) => isTaken('crawl', '--retries', Array.from({ length: n }, () => '1s').join(','))),
  retrySecondsMax: upTo((n) => isTaken('crawl', '--retries', `1s,${n}s`)),
  delayMsMax: upTo((n) => isTaken('crawl', '--delay', `${n}ms`)),
  partitionsMax: upTo((n) => isTaken('crawl', '--partitions', `${n}`)),
  standbysMax: upTo((n) => isTaken('frontier', '--standbys', `${n}`)),
  concurrencyMax: upTo((n) => isTaken('crawl', '--concurrency', `${n}`)),
  seenMemoryMb: tuning(preset),
  seenMemoryMbMin: from((n) => isTaken('crawl', '--seen-memory', `${n}`)),
  seenMemoryMbMax: upTo((n) => isTaken('crawl', '--seen-memory', `${n}`)),
  seedsPerRequest: undriven('50,000 seeds of one request'),
  linksPerPage: tuning(preset),
  linksPerPageMax: upTo((n) => isTaken('crawl', '--links-per-page', `${n}`)),
};

/** Is a body of so many bytes taken? */
async function bodyStatus(bytes: number): Promise<number> {
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    onBug: () => {},
    routes: [(app) => app.post('/x', async () => 'ok')],
  });
  try {
    const body = JSON.stringify('x'.repeat(bytes - 2));
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`http://${server.address}/x`, { method: 'POST', body, headers });
    await answer.arrayBuffer();
    return answer.status;
  } finally {
    await server.close();
  }
}

/** Is it a token that a service begins with? */
async function isToken(chars: number): Promise<boolean> {
  const before = process.env['CRAWLSTREAM_HTTP_TOKEN'];
  process.env['CRAWLSTREAM_HTTP_TOKEN'] = 'x'.repeat(chars);
  try {
    await withHttp({ http: { host: '127.0.0.1', port: 0 } }, { role: 'frontier', say: () => {} }, async () => {});
    return true;
  } catch {
    return false;
  } finally {
    if (before === undefined) delete process.env['CRAWLSTREAM_HTTP_TOKEN'];
    else process.env['CRAWLSTREAM_HTTP_TOKEN'] = before;
  }
}

export const httpBoundaries: BoundaryTable<typeof httpLimits> = {
  bodyBytesMax: upTo(bodyStatus, 200, 413),
  refusedBytesMax: undriven('64 MiB over a socket: lease-api.integration.test.ts sends 17 and reads the answer'),
  acceptsATurn: undriven('test/services/runtime/http/several-accepts.integration.test.ts counts turns'),
  requestMs: undriven('a real socket’s deadline'),
  unreadBytesMax: undriven('test/services/runtime/http/unread-answers.integration.test.ts reaches it'),
  watchedBytes: tuning('which answers have a timer: shorter ones lie in the system’s buffers'),
  unreadMs: undriven('half a minute of a client that reads nothing'),
  checkMs: tuning('how long a slow request lives beyond its deadline'),
  keepAliveMs: tuning('how long an idle connection lives'),
  closeMs: tuning(patience),
  tokenCharsMin: from(isToken),
  passOnMs: tuning(patience),
  listMs: tuning(patience),
  listsAtOnce: tuning(batch),
  knownMs: tuning(patience),
  membersMs: tuning(often),
  againS: tuning(often),
};

export const foldedBoundaries: BoundaryTable<typeof foldedLimits> = {
  pollBytes: tuning(batch),
  pollWaitMs: tuning(often),
  againMs: tuning(often),
  tailBytes: tuning(batch),
  behindWaitMs: tuning(often),
  knownWaitMs: tuning(patience),
};

/** Does an embedded log take it? */
async function isAppended(more: Partial<AppendRecord>): Promise<boolean> {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  try {
    await log.append([{ topic: 't', partition: 0, key: null, value: Buffer.alloc(0), ...more }]);
    return true;
  } catch {
    return false;
  } finally {
    await log.close();
  }
}

export const logBoundaries: BoundaryTable<typeof logLimits> = {
  damagedReadShare: undriven('it divides a read until one record is left, and shows in no result'),
  checkedTablesBytesMax: undriven('it takes tables of 64 MiB, and no test damages a table'),
  recordBytesMax: upTo((n) => isAppended({ value: Buffer.alloc(n) })),
  keyBytesMax: upTo((n) => isAppended({ key: Buffer.alloc(n) })),
  headerBytesMax: upTo((n) => {
    const frame = headerLength({ x: '' });
    return isAppended({ headers: { x: 'y'.repeat(n - frame) } });
  }),
  groupBytesMax: tuning(batch),
  segmentBytes: tuning('what lies together on disk'),
  tailBytes: tuning('what is in memory as well as on disk'),
  trimRowsPerWrite: tuning(batch),
  partitionsMax: upTo(async (n) => {
    const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
    try {
      await log.createTopics([{ name: 't', partitions: n, retention: 'time' }]);
      return true;
    } catch {
      return false;
    } finally {
      await log.close();
    }
  }),
  refreshMs: tuning(often),
};

export const avroBoundaries: BoundaryTable<typeof avroLimits> = {
  emptyItemsMax: upTo((n) => {
    const type = typeOf({ type: 'array', items: 'null' });
    try {
      return type.fromBuffer(type.toBuffer(Array(n).fill(null))).length === n;
    } catch {
      return false;
    }
  }),
  unknownIdsMax: undriven('1,000 schemas that nobody knows, and one more: what is remembered begins anew'),
  unknownAgainMs: tuning(often),
  heldSchemaChars: upTo((n) => {
    const schema = { type: 'fixed', size: 1, name: 'f', doc: '' };
    schema.doc = 'd'.repeat(n - JSON.stringify(schema).length);
    const first = typeOf(schema);
    return typeOf(schema) === first;
  }),
};

export const diskBoundaries: BoundaryTable<typeof diskLimits> = {
  durableFoldersMax: tuning('which folders are synced once more'),
  scratchSignMs: tuning(often),
  scratchSilentMs: undriven('scratch-folder.test.ts has folders of 23 and of 25 hours'),
  linksMax: undriven('symbolic links in a circle: the test of named files makes one'),
  namedFileBufferBytes: undriven('it bounds what waits for a slow reader, and shows in no result'),
  emptyWritesMax: undriven('a file system that takes no byte: the test of whole writes counts its calls'),
  emptyWriteMs: tuning(pause),
};

export const storeBoundaries: BoundaryTable<typeof storeLimits> = {
  openFilesMax: tuning('files held open; RocksDB opens others again'),
  scanChunkBytes: tuning(batch),
  chainedBatchBytesMax: tuning('which of two ways a batch is written'),
  readerCopyStaleMs: tuning(often),
  readerMemoryBytesMax: undriven('a store of 512 MB, and no disk with room for its copy'),
  readOnlyOpenAttemptsMax: undriven('twenty opens in a row that meet a writer’s flush'),
};

/** So many lines that wait for a collector: does each arrive? */
function isEachExported(lines: number): boolean {
  const counts = { exported: 0, failed: 0 };
  const post = { send: async () => true };
  const logs = openOtlpLogs({ post, version: '', resource: () => ({ attributes: [] }), counts });
  for (let at = 0; at < lines; at++) logs.take({ text: '', level: 'info', component: 'process', fields: {} });
  void logs.close();
  return counts.failed === 0;
}

export const otlpBoundaries: BoundaryTable<typeof otlpLimits> = {
  linesQueued: upTo(isEachExported),
  linesPerExport: tuning(batch),
  linesEveryMs: tuning(often),
  metricsEveryMs: tuning(preset),
  timeoutMs: tuning(patience),
  troubleEveryMs: tuning('how often a fault is said'),
};

export const traceBoundaries: BoundaryTable<typeof traceLimits> = {
  waitsKept: undriven('step-spans.test.ts has 100,000 waits and one more'),
  spansQueued: undriven('spans that wait for a collector: OpenTelemetry’s own queue'),
  spansPerExport: tuning(batch),
  exportEveryMs: tuning(often),
  exportTimeoutMs: tuning(patience),
};

export const changelogBoundaries: BoundaryTable<typeof changelogLimits> = {
  stoppedAgainMs: tuning(pause),
  lossLookMs: tuning(often),
};

export const consumerBoundaries: BoundaryTable<typeof consumerLimits> = {
  batchRecords: tuning(preset),
  batchMs: tuning(preset),
  pollBytes: tuning(batch),
  pollMs: tuning(often),
  retriesMs: tuning(preset),
};

export const archivedBodyBoundaries: BoundaryTable<typeof archivedBodyLimits> = {
  messageBytesMax: undriven('a body as it goes to the archive'),
  bodyBytesOfAll: tuning(preset),
  bodyBytesMost: undriven('a body of 1 GiB'),
};

export const archiveBoundaries: BoundaryTable<typeof archiveLimits> = {
  fileBytes: undriven('a file of 1 GiB: archiver.test.ts closes files of 12 kB'),
  recordBytesMax: undriven('a record of 1 GiB'),
  zippedHereBytesMax: tuning(batch),
  signatureBytes: undriven('more than the longest signature'),
  indexedBytesMax: undriven('the beginning of a long record: columnar.integration.test.ts has one'),
  payloadsBytesMax: undriven('256 MiB of payloads'),
  uploadRetriesMs: tuning(pause),
};

export const replayBoundaries: BoundaryTable<typeof replayLimits> = {
  rewrittenBytesMax: undriven('a page of 16 MiB'),
  headBytesMax: undriven('replay.integration.test.ts has a head that does not end'),
  lineBytesMax: undriven('sorted-lines.test.ts has a line that does not end'),
  pieceBytes: tuning(batch),
  unindexedBytesMax: undriven('a file of 256 MiB'),
  unpackedBytesMax: undriven('a record of 512 MiB'),
  revisitsMax: undriven('replay.integration.test.ts has a revisit of itself'),
  searchedMax: undriven('20,000 styles and scripts of one host'),
  titleBytes: undriven('page-titles.test.ts has titles behind that many bytes'),
  titlesMs: tuning(patience),
  titlesAtOnce: tuning(batch),
  titlesKept: tuning('what is read again if it is forgotten'),
  rowsMax: undriven('sorted-lines.test.ts: 401 captures come in three pages'),
  nestedMax: undriven('rewrite.test.ts has pages within pages within pages'),
};

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');

export const contentBoundaries: BoundaryTable<typeof contentLimits> = {
  // Pairs of words: one more word than that.
  featuresMin: from(
    (n) => [minhash(words(n + 1), 7) !== null, simhash(words(n + 1), 7) !== null],
    [false, false],
    [true, true],
  ),
  batchRecords: tuning(batch),
  publishedAtOnce: tuning(batch),
  bestsMax: tuning('what is in memory as well as on disk'),
  commonHostsMax: tuning('what is in memory as well as on disk'),
  ratePagesMin: from(
    async (n) => {
      const discovery = { url: 'http://a.test/p/1', hostKey: 'a.test', representative: 'http://a.test/p/2' };
      const { events } = await countRates(
        createMemoryStore(),
        Array.from({ length: n }, () => discovery),
        1,
      );
      return events.length;
    },
    0,
    1,
  ),
  duplicatesCountedMax: undriven('half a million verdicts: duplicates.test.ts counts up to a smaller limit'),
  clusters: tuning(preset),
  clustersMax: upTo((n) => isTaken('duplicates', '--limit', String(n))),
  clusterPagesShown: tuning(sample),
};

export const indexBoundaries: BoundaryTable<typeof indexLimits> = {
  embeddedBatch: tuning(batch),
  bulkBytes: tuning(batch),
  requestTimeoutMs: tuning(patience),
  urlsPerSearch: tuning(batch),
  roomMs: tuning(pause),
  roomMsMax: tuning(pause),
  hits: tuning(preset),
  hitsMax: upTo((n) => isTaken('search', '--limit', `${n}`)),
  searchMs: undriven('a clock: test/services/extras/index/search-beside.test.ts has a shorter one'),
  titledMax: tuning('an order of hits'),
};

export const graphBoundaries: BoundaryTable<typeof graphLimits> = {
  batchRecords: tuning(batch),
  pagesOfHost: tuning(sample),
  linksOfHost: tuning(sample),
  targetsOfHost: tuning(sample),
};

export const renderBoundaries: BoundaryTable<typeof renderLimits> = {
  pageMs: undriven('a browser’s clock: browser.integration.test.ts'),
  quietMs: undriven('a browser’s clock: browser.integration.test.ts'),
  requestsMax: undriven('requests of one page: browser.integration.test.ts has it at fewer'),
  screenshotMs: undriven('a browser’s clock'),
  screenshotBytesMax: undriven('a page that a browser draws in 96 KiB'),
  screenshotPxMin: from((n) => isTaken('render', '--screenshots', `${n}`)),
  screenshotPxMax: upTo((n) => isTaken('render', '--screenshots', `${n}`)),
  bodyBytesMax: undriven('a script of 10 MB in a browser'),
  cacheBytesMax: undriven('bundles of 64 MB in a browser'),
  cacheMs: tuning('how long a bundle is believed'),
  linkCacheEntries: tuning('a cache: a miss costs a duplicate'),
};

export const auditBoundaries: BoundaryTable<typeof auditLimits> = {
  skewMs: tuning(`${preset}: host-contacts.test.ts has the edge`),
  noticeMs: tuning(`${preset}: orders.test.ts has the edge`),
};

export const objectBoundaries: BoundaryTable<typeof objectLimits> = {
  connectMs: tuning(patience),
  silenceMs: tuning(patience),
};

export const snapshotBoundaries: BoundaryTable<typeof snapshotLimits> = {
  fileBytes: tuning(batch),
  compressionLevel: tuning('how small, for how much'),
  inflatedBytesMax: undriven(
    'a file of 256 MB once inflated: test/services/frontier/snapshots/snapshots.test.ts has one',
  ),
  restoreBatchBytes: tuning(batch),
  kept: tuning(preset),
  unfinishedMs: upTo(isSweptAfter, false, true),
  everyMsMin: driven((n) => isTaken('crawl', '--snapshot-every', `${n / 1_000}s`), false, true, true),
};

export const kafkaBoundaries: BoundaryTable<typeof kafkaLimits> = {
  connectTimeoutMs: tuning(patience),
  loginTimeoutMs: tuning(patience),
  openTimeoutMs: tuning(patience),
  requestTimeoutMs: tuning(patience),
  deliveryTimeoutMs: tuning(patience),
  closeTimeoutMs: tuning(patience),
  leaveTimeoutMs: tuning(patience),
  operationTimeoutMs: tuning(patience),
  describeTimeoutMs: tuning(patience),
  retryMs: tuning(pause),
  retryMsMax: tuning(pause),
  metadataMs: tuning(often),
  replicaMs: tuning(often),
  askNextMs: tuning(patience),
  slowAppendMs: tuning(patience),
  blockedAppendMs: tuning(patience),
  olderEpochMs: tuning(patience),
  failedBrokerMs: tuning(patience),
  metadataMsAway: tuning(often),
  unknownTopicTries: undriven('looks for a topic that seems not to exist'),
  batchBytesMax: undriven('bytes of a batch to a broker'),
  produceBytesMax: undriven('batches of one request to a broker'),
  messageBytesMax: undriven('a broker’s own bound, set on topics'),
  trimmedSegmentBytes: undriven('a setting of topics'),
  trimmedSegmentMs: tuning(often),
  risksEveryMs: tuning(often),
  inflatedBytesMax: undriven('a compressed batch of 64 MB'),
  recordsAtOnceMax: undriven('a batch of 250,000 records: the test of batches reads one'),
  zstdWindowBytesMax: undriven('a window is a power of two or a few steps between'),
  damagedBytesKept: cutAt(kafkaLimits.damagedBytesKept, (n) => {
    const batch = Buffer.alloc(n);
    batch.writeInt32BE(n - 12, 8);
    // Of the second format, and its checksum is wrong.
    batch[16] = 2;
    const [record] = readBatches(batch, 't', 0, 0, []).records;
    return record!.value!.length - 1 - record!.value!.indexOf(10);
  }),
  fetchBytes: tuning(batch),
  fetchWaitMs: tuning(often),
  fetchesMax: tuning(batch),
  sessionTimeoutMs: tuning(patience),
  warmUpMsMax: tuning(patience),
  warmUpsTogetherMs: tuning(patience),
  heartbeatMs: tuning(often),
  createTimeoutMs: tuning(patience),
};

/** While nobody answers for the crawl, so that looks are what a test makes of them. */
function viewersOf(looks: number) {
  const clock = createFakeClock();
  const view = { look: async () => ({ atMs: clock.nowMs() }) as CrawlStatus } as CrawlView;
  return { clock, viewers: new Viewers({ clock, view: () => (looks > 0 ? view : undefined) }) };
}

/** Is a place refused to one more client once so many look? */
function takenAfter(count: number, client: (one: number) => string): boolean {
  const { viewers } = viewersOf(0);
  for (let one = 1; one <= count; one++) viewers.add({ client: client(one), send: () => true, end: () => {} });
  const taken = viewers.takenFor(client(count + 1)) !== null;
  viewers.close();
  return taken;
}

/** Is a viewer cut off that did not take so many looks? */
async function isCutOffAfter(looks: number): Promise<boolean> {
  const { clock, viewers } = viewersOf(looks);
  let [untaken, isCutOff] = [0, false];
  const send = () => {
    if (untaken < looks) untaken += 1;
    else return true;
    return false;
  };
  viewers.add({ client: '10.0.0.1', send, end: () => (isCutOff = true) });
  for (let second = 0; second < looks + 2; second++) await clock.advance(dashboardLimits.everyMs);
  const was = isCutOff;
  viewers.close();
  return was;
}

export const dashboardBoundaries: BoundaryTable<typeof dashboardLimits> = {
  everyMs: tuning(often),
  deadLettersEveryMs: tuning(often),
  viewersMax: from((n) => takenAfter(n, (one) => `10.0.0.${one}`)),
  viewersOfClientMax: from((n) => takenAfter(n, () => '10.0.0.1')),
  unreadMax: from(isCutOffAfter),
  resultsPerLook: tuning(sample),
  outcomesKept: tuning(sample),
  resultsAtFirst: tuning(sample),
  failuresKept: tuning(sample),
  hostOutcomes: tuning(sample),
  hostResults: tuning(sample),
  outcomesForMs: tuning(sample),
  fetchesShown: tuning(sample),
  deadLettersPerPartition: tuning(sample),
  deadLettersShownMax: tuning(sample),
  historyMs: tuning(sample),
  historyReads: tuning(sample),
  historyReadsMin: tuning(sample),
  historyPoints: tuning(sample),
  errorReads: tuning(sample),
  errorReadsMin: tuning(sample),
  errorPoints: tuning(sample),
  errorHosts: tuning(sample),
  failureRecordsMax: upTo(listsFailures),
  failureReasons: tuning(sample),
  failureUrls: tuning(sample),
  failureDetailChars: tuning(sample),
  historyPartitionsAtOnce: tuning(batch),
  patienceMs: tuning(patience),
  remoteMs: tuning(patience),
  overMs: tuning(patience),
  heldOpenMs: tuning(patience),
  worstHosts: tuning(sample),
  worstHostsLooked: tuning(sample),
  sentAtOnce: upTo(sendsSeeds),
  hostsMax: upTo((n) => listsHosts(`limit=${n}`)),
  searchCharsMax: upTo((n) => listsHosts(`search=${'x'.repeat(n)}`)),
  textChars: undriven('a page with 65,536 characters of text'),
  linksShownMax: undriven('500 links of one page'),
  hits: tuning(sample),
  clusters: tuning(sample),
  mapHosts: tuning(sample),
  mapEdges: tuning(sample),
  linksApartMs: tuning(sample),
  linkReadBytes: undriven('links of 32 MiB'),
  timelineEvents: undriven('500 events of one URL'),
};
