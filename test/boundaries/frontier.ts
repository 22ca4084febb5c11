/** The frontier's core, its pull API, the seen test, and what is granted by what fetchers take. */

import { EventEmitter } from 'node:events';
import { Hand } from '../../lab/model/hand.ts';
import { blankOutcome, blankResult } from '../../schemas/blank.ts';
import type { Outcome } from '../../schemas/types.ts';
import { checkUrl } from '../../services/extras/urlfrontier/check-url.ts';
import { countFields } from '../../services/extras/urlfrontier/count-fields.ts';
import { getUrls } from '../../services/extras/urlfrontier/get-urls.ts';
import { putLimits } from '../../services/extras/urlfrontier/put-limits.ts';
import type { ServedPartition } from '../../services/extras/urlfrontier/served-crawl.ts';
import type { frontierServiceLimits } from '../../services/frontier/service-limits.ts';
import { CallRoom } from '../../services/runtime/grpc/call-room.ts';
import { grpcLimits } from '../../services/runtime/grpc/grpc-limits.ts';
import { PartRoom, type PartStream } from '../../services/runtime/grpc/part-room.ts';
import { answerUrl } from '../../topology/frontier/ask/queries.ts';
import type { UrlRecord } from '../../topology/frontier/changes/changes.ts';
import { Growth } from '../../topology/frontier/decide/links/growth.ts';
import type { Call, GetCall } from '../../topology/frontier/decide/pull/calls.ts';
import { afterVisit } from '../../topology/frontier/decide/results/after-visit.ts';
import { demandLimits } from '../../topology/frontier/demand-limits.ts';
import { frontierLimits } from '../../topology/frontier/frontier-limits.ts';
import { pullLimits } from '../../topology/frontier/pull/pull-limits.ts';
import { DueDays } from '../../topology/frontier/recrawl/due-days.ts';
import { countsOf, defaultSeen } from '../../topology/frontier/seen/seen-config.ts';
import { seenLimits } from '../../topology/frontier/seen/seen-limits.ts';
import type { FrontierState, Host } from '../../topology/frontier/state/state.ts';
import { TaskWindow } from '../../topology/frontier/task-window.ts';
import type { Recrawl } from '../../topology/policy/recrawl/schedule.ts';
import { defaultScore } from '../../topology/policy/score/score-config.ts';
import { type BoundaryTable, cutAt, driven, from, tuning, undriven, upTo } from './boundary.ts';
import { isTaken } from './commands.ts';
import { urlOf } from './url.ts';

const slices = 'how much is done between two steps: what comes out is the same';
const often = 'how often somebody looks: what is found is the same';

/** Hosts that grew, as they are taken, some at each step. */
function grownHosts(count: number): number {
  const growth = new Growth();
  const hosts = Array.from({ length: count }, (_, id) => ({ id, queue: { size: 1 } }) as unknown as Host);
  const state = { hosts: { at: (id: number) => hosts[id] }, abandoning: new Set() } as unknown as FrontierState;
  for (const host of hosts) growth.note(host);
  let taken = 0;
  for (let some = growth.take(state); some.length > 0; some = growth.take(state)) taken += some.length;
  return taken;
}

/** Of so many queued URLs that come to deserve the first front queue: how many have moved there. */
function urlsRaised(count: number): number {
  const { factors, scales } = defaultScore;
  const byInLinks = {
    ...defaultScore,
    factors: { ...factors, cash: 0, depth: 0, type: 0, source: 0, quality: 0, authority: 0 },
    scales: { ...scales, inLinksMost: 1 },
  };
  const hand = new Hand({ score: byInLinks });
  // The first one stays, and all others leave the middle of its front queue.
  hand.links('a.test', 1 + count, { priority: 7 });
  hand.links('a.test', count, { from: 1, priority: 7, sourceUrl: 'https://b.test/', sourceKey: 'b.test' });
  for (let step = 0; step < 3; step++) hand.event('hostDelay', 'other.test', step);
  const frontQueues = hand.rig.core.state.hosts.get('a.test')!.queue.frontQueues();
  return frontQueues.reduce((sum, { number, size }) => (number < 7 ? sum + size : sum), 0);
}

/** Is a URL that so many are queued up to found in its queue? */
function isFoundBehind(count: number): string | undefined {
  const hand = new Hand();
  for (let at = 0; at < count; at += 1_000) hand.links('a.test', Math.min(1_000, count - at), { from: at });
  return hand.rig.rows.run(answerUrl(hand.rig.core.state, `https://a.test/${count - 1}`)).place?.in;
}

/** A crawl that clients pull from, and its one queue of so many URLs: how many a get of all has. */
function urlsOfOneGet(count: number): number {
  const { rig, nowMs } = new Hand({ sink: 'pull', delayMs: 0 });
  const step = (call: Call) => {
    rig.core.calls.add(call);
    for (let done: Call[] = []; !done.includes(call); done = rig.core.calls.takeAnswered()) rig.step(nowMs, 0);
  };
  const item = { known: false, key: 'q', metadata: Buffer.alloc(0), dueAtMs: 0, frontQueue: 0 };
  const items = Array.from({ length: count }, (_, n) => ({ ...item, url: `https://a.test/${n}` }));
  const onDone = () => {};
  step({ kind: 'put', items, statuses: new Uint8Array(count), next: 0, onDone });
  const get = { key: null, queues: 1, urlsPerQueue: Number.POSITIVE_INFINITY, leaseMs: 1_000 };
  const call: GetCall = { kind: 'get', ...get, leases: [], urls: [], onDone };
  step(call);
  return rig.core.state.counters.leased;
}

/** How many queues a partition is asked for first, of a client's so many. */
async function firstAskedOf(queues: number): Promise<number> {
  let first = 0;
  const partition = {
    call(call: Call) {
      first ||= (call as GetCall).queues;
      call.onDone();
    },
  } as unknown as ServedPartition;
  const crawl = { id: 'DEFAULT', name: 't', partitions: [partition] };
  const asked = { list: () => [crawl], ids: () => [crawl.id], find: async () => crawl, open: async () => crawl };
  const crawls = { ...asked, free: async () => {}, close: async () => {} };
  const params = { max_urls_per_queue: 1, max_queues: queues, key: '', delay_requestable: 1 };
  const answers = { write: async () => {}, isCancelled: false, isLocal: true };
  await getUrls(crawls, { ...params, anyCrawlID: null, crawlID: '' }, answers);
  return first;
}

/** A host with so many URLs that has just stayed unreachable for its whole retry schedule. */
function deadHost(urls: number): Hand {
  const hand = new Hand({ retriesMs: [1_000], urlsPerLeaseMax: 1 });
  hand.links('a.test', urls);
  const { abandoning } = hand.rig.core.state;
  for (let tries = 0; abandoning.size === 0; tries++) {
    if (tries > 10) throw new Error('the host is given up on after its retries');
    hand.report(hand.lease(3_600_000), { kind: 'robotsUnreachable' });
  }
  return hand;
}

export const frontierBoundaries: BoundaryTable<typeof frontierLimits> = {
  sitemapsPerLeaseMax: undriven('of one lease: sitemaps/read.test.ts names one more than that'),
  checkEvery: tuning('how often the state is checked against itself'),
  commitBytesSoft: tuning('where a commit ends is nobody’s promise: what does not fit is in the next'),
  askLinksPerStep: tuning(slices),
  parkedPerStep: tuning(slices),
  otherQueueEvery: tuning('how often a front queue that is not the best has a turn: each has one in the end'),
  budgetKeysPerStep: tuning(slices),
  queueShareLeast: cutAt(frontierLimits.queueShareLeast, (n) => {
    const hand = new Hand({ queuedMax: 300 });
    hand.links('a.test', n);
    return hand.rig.core.state.counters.queued;
  }),
  clockSkewMs: driven(
    (n) => {
      const hand = new Hand();
      hand.links('a.test', 1);
      const { deadlineMs } = hand.lease();
      hand.grant(deadlineMs + n - hand.nowMs, 0);
      return hand.counters.leases;
    },
    1,
    0,
    0,
  ),
  expiryHoldMs: undriven(
    'test/services/frontier/own/late-results.test.ts: leases stay until then after an opening, and end at it',
  ),
  expiriesMax: from(
    (n) => {
      const hand = new Hand({ urlsPerLeaseMax: 1 });
      hand.links('a.test', 1);
      for (let expiries = 0; expiries < n && hand.grant(60_000).length > 0; expiries++) hand.grant(30 * 60_000, 0);
      return hand.counters.dead;
    },
    0,
    1,
  ),
  freshSMax: cutAt(frontierLimits.freshSMax, (n) => {
    const url = 'https://a.test/';
    const record: UrlRecord = {
      ...{ url, status: 'page', outcome: 'fetched', httpStatus: 200, atMs: 1, attempts: 1, depth: 0 },
      ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
    };
    const outcome: Outcome = { ...blankOutcome, kind: 'fetched', freshForMs: n * 1_000 };
    const hourly = { config: {}, next: () => ({ intervalS: 3_600, delayS: 3_600 }) } as unknown as Recrawl;
    return afterVisit(hourly, undefined, { outcome, atMs: 1, frontQueue: 0, record }, null).delayS;
  }),
  dueDaysMax: cutAt(frontierLimits.dueDaysMax, (n) => {
    const days = new DueDays();
    for (let day = 0; day < n; day++) days.count(day * 86_400, 1);
    return days.withRoom(0, 1) / 86_400;
  }),
  abandonsPerStep: cutAt(frontierLimits.abandonsPerStep, (n) => {
    const hand = deadHost(n);
    hand.grant(0, 0);
    return hand.counters.dead;
  }),
  // One URL that has grown pays for so many that are read.
  growthUrlsEach: upTo((n) => {
    const hand = new Hand();
    hand.links('a.test', n);
    const { state } = hand.rig.core;
    const growth = new Growth();
    growth.note(state.hosts.get('a.test')!);
    return growth.take(state).length === 1;
  }),
  hostsMovedPerStep: tuning(slices),
  pagesRetimedPerStep: tuning(slices),
  growthUrlsPerStep: tuning(slices),
  growthRaisesMax: cutAt(frontierLimits.growthRaisesMax, urlsRaised),
  growingHostsMax: cutAt(frontierLimits.growingHostsMax, grownHosts),
  checkpointSliceBytes: tuning(slices),
  queueAgeSamples: undriven('queue-ages.test.ts has more URLs than samples'),
  queueHostsPerLook: undriven('queue-sizes.test.ts has more hosts than a look takes'),
  queueMemoryBytes: tuning('what of a queue is in memory as well as on disk: queues.test.ts has it at a few bytes'),
  queryUrlsMax: upTo(isFoundBehind, 'frontQueue', 'unknown'),
  queryPageMax: upTo((n) => isTaken('hosts', '--limit', `${n}`)),
  hostsPerLook: tuning(slices),
  deadHostMs: from((n) => {
    const hand = deadHost(1);
    hand.grant(n, 0);
    hand.links('a.test', 1, { from: 7 });
    return hand.grant(3_600_000).length === 1;
  }),
  leaseMarginMs: tuning('a lease’s deadline is twice what it should take and this: the later, the safer'),
  robotsHopsMax: cutAt(frontierLimits.robotsHopsMax, (n) => {
    const hand = new Hand();
    hand.links('a.test', 1);
    const robotsHops = Array.from({ length: n }, (_, i) => ({
      url: 'https://a.test/robots.txt',
      asked: [`https://h${i}.test/robots.txt`],
      partition: 0,
    }));
    hand.rig.send('results', { ...blankResult, hostKey: 'a.test', robotsHops });
    hand.rig.step(hand.nowMs, 0);
    const { state } = hand.rig.core;
    return state.robotsHops.of(state.hosts.get('a.test')!.id).length;
  }),
  firstLeaseUrls: cutAt(frontierLimits.firstLeaseUrls, (n) => {
    const hand = new Hand();
    hand.links('a.test', n);
    return hand.lease().urls.length;
  }),
};

export const pullBoundaries: BoundaryTable<typeof pullLimits> = {
  commitBytesForGets: tuning('where a commit ends is nobody’s promise: what does not fit is in the next'),
  urlsPerLeaseMax: cutAt(pullLimits.urlsPerLeaseMax, urlsOfOneGet),
  placesPerRead: tuning(slices),
  searchedUrlsMax: tuning('what an index would cost for few'),
  searchesPerIndex: tuning('when an index is made: what is found is the same'),
  searchedHostsMax: tuning('whose searches are counted: what is found is the same'),
  indexedPlacesMax: undriven('find-waiting.test.ts: queues beyond it are searched, with the same answers'),
  urlCharsMax: upTo((n) => checkUrl(urlOf(n), '').ok),
  // In bytes: a letter that has two, and one more of one.
  keyBytesMax: upTo((n) => checkUrl('http://a.test/', 'é'.repeat((n - (n % 2)) / 2) + 'x'.repeat(n % 2)).ok),
  metadataBytesMax: undriven('metadata of one URL, on the wire'),
  putsUnderWay: undriven('8,192 puts of one stream without an answer'),
  queuesPerGet: cutAt(pullLimits.queuesPerGet, firstAskedOf),
  crawlsMax: undriven('1,000 crawl ids, each a frontier of its own'),
  crawlsRefreshMs: tuning(often),
  listRowsPerLook: tuning(slices),
  listUrlsPerLook: tuning(slices),
  groupIntervalMs: tuning('how long appends gather for one sync'),
};

export const putBoundaries: BoundaryTable<typeof putLimits> = {
  itemBytesMax: undriven('answers.test.ts: an item beyond it is skipped'),
  messageFieldsMax: upTo(
    (n) =>
      countFields(Buffer.alloc(2 * n, Buffer.from([0x1a, 0])), putLimits.messageFieldsMax) <=
      putLimits.messageFieldsMax,
  ),
  bytesUnderWay: undriven('hostile-puts.integration.test.ts pours against it; what is in the sockets comes on top'),
  bytesFree: tuning('what a stream has whatever the others take'),
  itemOverheadBytes: tuning('an estimate of what an object takes'),
  idOpenFiles: tuning('the others are opened as they are wanted'),
  idOtherFiles: tuning('an estimate: what is open is counted'),
  idBufferBytes: tuning('how much is gathered before it is a table'),
  idCacheBytes: tuning('what is in memory as well as on disk'),
  descriptorShareMax: undriven('urlfrontier.integration.test.ts has ids against a limit of descriptors'),
};

export const grpcBoundaries: BoundaryTable<typeof grpcLimits> = {
  messageBytesMax: undriven('a message of 4 MB over gRPC, which holds it itself'),
  streamWindowBytes: tuning('HTTP/2’s window: how much a client sends ahead'),
  closeMs: tuning('what is given to those who have not ended when a server does'),
  // Whoever comes with so much taken before still goes on.
  bytesOfAll: upTo((n) => {
    const room = new CallRoom(grpcLimits.bytesOfAll, grpcLimits.bytesOfAllHard);
    room.take(n - 1);
    return !room.isFull;
  }),
  bytesOfAllHard: upTo((n) => new CallRoom(grpcLimits.bytesOfAll, grpcLimits.bytesOfAllHard).take(n)),
  partBytesOfAll: upTo((n) => {
    let isOpen = true;
    const stream = Object.assign(new EventEmitter(), { close: () => (isOpen = false) });
    new PartRoom(grpcLimits.partBytesOfAll).watch(stream as unknown as PartStream);
    // A message without end; a piece costs 256 bytes beside its own.
    stream.emit('data', Buffer.alloc(n - 256, 0xff));
    return isOpen;
  }),
  answerBytesAhead: tuning('how much is handed to a socket ahead'),
  streamsPerConnection: undriven('HTTP/2 tells it to the client'),
};

export const seenBoundaries: BoundaryTable<typeof seenLimits> = {
  memoryBytes: tuning('a default: seen-test.test.ts has it at kilobytes'),
  cacheBytesMax: cutAt(seenLimits.cacheBytesMax, (n) => countsOf({ ...defaultSeen, memoryBytes: 32 * n }).cacheBytes),
  bloomUrls: tuning('a default, by which a filter is sized'),
  bloomErrors: tuning('a default, by which a filter is sized'),
};

export const demandBoundaries: BoundaryTable<typeof demandLimits> = {
  fetcherLookMs: tuning(often),
  membersLookMs: tuning(often),
  nobodyLookMs: tuning(often),
  // What was taken so long ago still counts, and what was taken before does not.
  taskWaitMs: upTo(
    (n) => {
      const window = new TaskWindow();
      window.look(0, 10, 0, false);
      window.look(n, 0, 1, false);
      return window.size;
    },
    10,
    1,
  ),
  taskWindowMin: tuning('where a window begins to grow'),
  taskWindowMax: cutAt(demandLimits.taskWindowMax, (n) => {
    const window = new TaskWindow();
    window.look(0, n / 2, 0, true);
    return window.size;
  }),
  tasksReadAgainMax: undriven('where a new owner begins to read `tasks`'),
  tasksPollMs: tuning(often),
};

export const frontierServiceBoundaries: BoundaryTable<typeof frontierServiceLimits> = {
  pollBytes: tuning('bytes read at once'),
  waitsTimed: undriven('test/services/frontier/own/discovery-waits.test.ts has one more'),
  idleMs: tuning(often),
  commitsUnderWay: undriven('commits decided ahead of their acks'),
  reopenMs: tuning('a pause before a second try'),
  reopenMsMax: tuning('a pause before a second try'),
  cutWaitMs: tuning('a wait for brokers, after which the end of the log is taken'),
  plainPolicyChars: tuning('which policies are decided by without a limit of time'),
  stepTries: undriven('test/services/frontier/own/failed-step.test.ts has one that fails each time'),
  saveEveryMs: tuning('how often the checkpoint is written: a restart replays what came since'),
  saveEveryBytes: tuning('how often the checkpoint is written: a restart replays what came since'),
  saveSmallBytes: tuning('how often the checkpoint is written: a restart replays what came since'),
  restoreSliceBytes: tuning(slices),
  restoreSaveBytes: tuning('how often the checkpoint is written: a restart replays what came since'),
  restoreReportMs: tuning(often),
  standbyWaitMs: tuning(often),
  standbyLookMs: tuning(often),
  caughtUpMs: tuning('for how long a copy is known to be close behind its owner'),
  caughtUpRecords: undriven('how far behind a copy may be that takes over'),
  standbyAgainMsMax: tuning('a pause before a second try'),
};
