/** Many crawls in one process. */

import { pagesQuery } from '../../services/extras/fleet/api/query-schemas.ts';
import type { fleetFetcherLimits } from '../../services/extras/fleet/fetchers/fetcher-limits.ts';
import { createCall } from '../../services/extras/fleet/fleet-schemas.ts';
import type { fleetServiceLimits } from '../../services/extras/fleet/fleet-service-limits.ts';
import { checkPolicySize } from '../../services/extras/fleet/policy-size.ts';
import type { policySizeLimits } from '../../services/extras/fleet/policy-size-limits.ts';
import { DecisionShare } from '../../services/extras/fleet/shares/decision-share.ts';
import type { shareLimits } from '../../services/extras/fleet/shares/share-limits.ts';
import type { loopShareLimits } from '../../services/fetcher/pace/loop-share-limits.ts';
import type { loopLimits } from '../../services/runtime/loop/loop-limits.ts';
import { judgeLoopNote } from '../../services/runtime/loop/loop-note.ts';
import type { fleetLimits } from '../../topology/fleet/fleet-limits.ts';
import { fleetLimits as limits } from '../../topology/fleet/fleet-limits.ts';
import { learnContact, newHostTimes, readyAtMs } from '../../topology/fleet/host-times.ts';
import { type BoundaryTable, cutAt, driven, tuning, undriven, upTo } from './boundary.ts';

/** What a host's next contact waits for after one that took so long, where crawls keep once that. */
function adaptiveMs(tookMs: number): number {
  const host = newHostTimes(0);
  const contact = { delayMs: 1e9, tookMs, crawlDelayMs: 0, isAnswered: true, isPressure: false, retryAfterMs: 0 };
  learnContact(host, contact, 0);
  return readyAtMs(host, { delayMs: 0, delayFactor: 1, crawlDelayMs: 0 }, 0) - 1;
}

/** Failures in a row until a host is backed off, where its crawl bears so many. */
function failuresUntilBackOff(most: number): number {
  const host = newHostTimes(0);
  const contact = { delayMs: 0, tookMs: 0, crawlDelayMs: 0, isAnswered: false, isPressure: false, retryAfterMs: 0 };
  let failures = 0;
  while (host.throttles === 0 && failures < 1_000) {
    failures += 1;
    learnContact(host, { ...contact, serverError: { url: `${failures}`, isFirstTry: true, most } }, 0);
  }
  return failures;
}

export const fleetBoundaries: BoundaryTable<typeof fleetLimits> = {
  hostDelayMs: tuning('a default, which may be set otherwise'),
  turnsOfShares: tuning('whose turn it is at a host, never how soon the host is contacted'),
  requestsOwed: tuning('whose turn it is after a while without wishes, never how soon a host is contacted'),
  requestsFirst: tuning('whose turn it is while a crawl begins, never how soon a host is contacted'),
  readyMax: tuning('how many leases a crawl holds that could go on, and not who goes first'),
  readyWaitMs: tuning('the same, where places are few'),
  readyLeast: tuning('the same, where places are few'),
  requestCostMs: tuning('what a request counts beside its time'),
  backOffMs: tuning('the same steps as a crawl of its own takes'),
  permitsOwedMax: tuning('whose turn it is at a host in trouble, never how soon the host is contacted'),
  adaptiveDelayMaxMs: cutAt(limits.adaptiveDelayMaxMs, adaptiveMs),
  failedUrlsMax: cutAt(limits.failedUrlsMax, (most) => failuresUntilBackOff(most)),
  forgetMs: tuning('when a host is forgotten that binds nobody any more'),
  sweepAtLeast: tuning('how often somebody looks for such hosts'),
};

const seed = 'http://a.test/';
const makes = (more: object) => createCall.safeParse({ seeds: [seed], ...more }).success;

export const fleetServiceBoundaries: BoundaryTable<typeof fleetServiceLimits> = {
  crawlsMax: undriven('a thousand data folders: the crawl beyond it is refused before anything is made'),
  startsAtOnce: tuning('how many crawls are opened at once: all are'),
  openFiles: tuning('how often a store opens a table file'),
  bufferBytes: tuning('how often a memtable becomes a file'),
  cacheBytes: tuning('how often a block is read from disk'),
  tailBytes: tuning('how often a record is read from disk'),
  journalMs: tuning('how many appends share a sync'),
  journalFileBytes: tuning('how much of a journal is read again after a power cut'),
  linkCacheEntries: tuning('how often a link is told that was told before'),
  crawlFiles: undriven(
    'Fleet.create asks for the room of one more; the process that tests it would need few descriptors',
  ),
  descriptorShareMax: undriven('Fleet.create counts with it, too: a test would need a process with few descriptors'),
  leaseMarginMs: tuning('a default of policies, which may be set otherwise'),
  weightMax: upTo((weight) => makes({ weight })),
  seedsMax: upTo((count) => makes({ seeds: Array.from({ length: count }, () => seed) })),
  bodyBytesMax: undriven('fastify refuses what is larger with 413'),
  changesMax: undriven('a thousand pauses of one crawl: of more, the oldest are no events any more'),
  pagesMax: upTo((limit) => pagesQuery.safeParse({ limit }).success),
  pagesCharsSoft: tuning('how many pages share an answer: the cursor goes on where it ended'),
  graceMs: tuning('what was under way then is fetched again'),
  factMsMin: tuning('what is over sooner is over before a restart is'),
  factsMax: undriven('a hundred thousand hosts: of more, the first by name are left out at the next start'),
  sessionMarginMs: undriven('two processes, one of which is frozen: test/kafka/fleet.integration.test.ts'),
  handOverMs: tuning('how long requests under way may take where a fleet moves on'),
  standbyLookMs: tuning('how soon a process hears that it is its turn, or not any more'),
  deletedKeysMs: undriven('a day later, a key makes a crawl again: test/services/extras/fleet/made-before.test.ts'),
  deletedKeysMax: undriven('a thousand keys of deleted crawls: of more, the oldest make a crawl again'),
};

export const fleetFetcherBoundaries: BoundaryTable<typeof fleetFetcherLimits> = {
  taskPartitions: tuning('a default of a new fleet: its topic may be made with others before'),
  pollBytes: tuning('how many tasks come at once'),
  pollWaitMs: tuning('how long a poll waits where nothing comes'),
  commitMs: tuning('how many leases are told to be over once more after a kill'),
  takeOverMs: tuning('what a process that lives has broken off is reported by then; later it is told after its lease'),
  reportMs: tuning('how soon a frontier hears of it'),
  reportAgainMs: tuning('how often what has not changed is said'),
  goneMs: tuning('how long leases are granted to fetchers that are gone: they are ended by whoever takes over'),
  firstLeases: tuning('how many leases a crawl begins with'),
  againMs: tuning('how soon a crawl is tried again'),
};

function isSmall(fields: Readonly<Record<string, unknown>>): boolean {
  try {
    checkPolicySize(fields);
    return true;
  } catch {
    return false;
  }
}

/** A list in a list, so many deep. */
function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

export const policySizeBoundaries: BoundaryTable<typeof policySizeLimits> = {
  rulesMax: upTo((n) => isSmall({ overlays: Array.from({ length: n }, () => ({})) })),
  textsMax: upTo((n) => isSmall({ hosts: new Array<string>(n).fill('a') })),
  nestingMax: upTo((n) => isSmall({ a: nested(n) })),
};

function restAfter(decisionMs: number): number {
  let nowMs = 0;
  const share = new DecisionShare('c', undefined, () => nowMs);
  share.run(() => {
    nowMs += decisionMs;
  }, true);
  return share.restMs();
}

export const shareBoundaries: BoundaryTable<typeof shareLimits> = {
  decisionMsMax: undriven(
    'by the clock of a thread: test/services/extras/fleet/shares/decision-share.test.ts ends one that never ends',
  ),
  decisionMsFree: driven(restAfter, 0, 200, 204),
  restFactor: tuning('how soon a crawl decides again after a long decision'),
  overRestMs: tuning('how often a crawl decides while its owner has had more than its share of a busy process'),
  startMs: tuning('about what a start takes: test/services/extras/fleet/shares/start-turns.test.ts'),
  startWaitMsMax: tuning('how long a start waits: test/services/extras/fleet/shares/start-turns.test.ts'),
  explainMs: tuning('about what it takes to explain a URL'),
  callMs: tuning('how much of a share each API call takes'),
  msPerMegabyte: tuning('how much of a share the bytes of a call take'),
  readMsPerMegabyte: tuning('how much of a share the reads of a call take'),
  callLookMs: tuning('how soon a waiting call goes on once its owner is within its share'),
  callWaitMsMax: tuning('how much slower a storm of calls becomes'),
  unreadMs: undriven('by the clock: test/services/extras/fleet/shares/calls-of-a-busy-fleet.test.ts'),
  stopsMs: undriven('a day later, such a crawl may run: test/services/extras/fleet/shares/stops.test.ts'),
  stopsOfOwner: undriven('two stops of an owner: test/services/extras/fleet/shares/stops.test.ts'),
  stopsMax: undriven('a thousand stops within a day: of more, the oldest are forgotten'),
  callsWaitingMax: undriven('by calls that wait at once: test/services/extras/fleet/shares/call-shares.test.ts'),
};

/** Does the second of two deaths, so far apart, hold the subject? */
function holdsAfter(ms: number): boolean {
  const death = (atMs: number) => ({ subject: 'c', atMs });
  return judgeLoopNote({ format: 1, state: 'standing', stood: death(ms), deaths: [death(0)] }).how === 'diedTwice';
}

export const loopBoundaries: BoundaryTable<typeof loopLimits> = {
  beatMs: tuning('how finely the thread sees'),
  notedMs: undriven(
    'by two threads: test/services/extras/fleet/shares/stopped-process.integration.test.ts kills after it',
  ),
  stillMsMax: undriven(
    'by two threads: test/services/extras/fleet/shares/stopped-process.integration.test.ts ends a process by it',
  ),
  exitMs: undriven('by two threads: that test has native code that runs no exit'),
  deathsMs: upTo(holdsAfter),
  deathsMax: tuning('a note is a few kilobytes at most'),
};

export const loopShareBoundaries: BoundaryTable<typeof loopShareLimits> = {
  lookMs: tuning('how soon a busy loop is seen'),
  busyFrom: tuning('how busy the loop is when shares begin to count: test/services/fetcher/pace/loop-shares.test.ts'),
  rememberedMs: tuning('how long what an owner used counts'),
  activeMs: tuning('who counts as one of those who share'),
  requestAgeMs: tuning('when a slow request counts less: test/services/fetcher/pace/loop-shares.test.ts'),
  shareFrom: tuning('below which part of its share nobody waits: test/services/fetcher/pace/loop-shares.test.ts'),
  realMax: tuning(
    'how much of the loop owners pay for beside their own work: test/services/fetcher/pace/loop-shares.test.ts',
  ),
  creditMs: tuning('how much of its share an owner saves up'),
  debtMsMax: tuning('the longest wait for one dear decision: test/services/fetcher/pace/loop-shares.test.ts'),
  fallMin: tuning('how fast the level falls on a busy loop: test/services/fetcher/pace/loop-shares.test.ts'),
  riseMax: tuning('how fast the level rises on an idle loop: test/services/fetcher/pace/loop-shares.test.ts'),
  slack: tuning('how much more than others an owner may use: test/services/fetcher/pace/loop-shares.test.ts'),
  againMs: tuning('how soon a request that waits for the loop is looked at again'),
  requestMs: tuning('about what a request costs'),
};
