/** The fetcher: requests, names, pacing, robots.txt copies, sitemaps, what it publishes. */

import { gzipSync } from 'node:zlib';
import { blankLink, blankLinkGroup, blankOutcome, blankTask } from '../../schemas/blank.ts';
import type { LinkGroup, Outcome } from '../../schemas/types.ts';
import { checkPlugin } from '../../services/application/plugin/check-plugin.ts';
import type { officeLimits } from '../../services/extras/office/office-limits.ts';
import { createFairLookup } from '../../services/fetcher/connect/fair-lookup.ts';
import { compileOverrides } from '../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../services/fetcher/connect/resolver.ts';
import { fetcherLimits } from '../../services/fetcher/fetcher-limits.ts';
import type { pluginLimits } from '../../services/fetcher/hooks/plugin-limits.ts';
import type { Hooks } from '../../services/fetcher/hooks/run-hooks.ts';
import { BodyRoom } from '../../services/fetcher/http/body-room.ts';
import type { HttpResponse } from '../../services/fetcher/http/client.ts';
import { decodeBody } from '../../services/fetcher/http/content-coding.ts';
import { Exchange } from '../../services/fetcher/http/exchange.ts';
import { requestLimits } from '../../services/fetcher/http/request-limits.ts';
import { sessionLimits } from '../../services/fetcher/http/session-limits.ts';
import { createSessions } from '../../services/fetcher/http/sessions.ts';
import { createLateReports } from '../../services/fetcher/leases/late-reports.ts';
import { createGrantClock } from '../../services/fetcher/pace/grant-clock.ts';
import { createProcessorShare } from '../../services/fetcher/pace/processor-share.ts';
import { createExtractor } from '../../services/fetcher/pages/extract.ts';
import { parseByHook } from '../../services/fetcher/pages/parse-by-hook.ts';
import { DiscoveredBatch } from '../../services/fetcher/publish/discovered-batch.ts';
import { createRobotsCache, type RobotsFetch } from '../../services/fetcher/robots/cache.ts';
import { createSharedRobots } from '../../services/fetcher/robots/shared-robots.ts';
import { createSitemapAgenda } from '../../services/fetcher/sitemaps/agenda.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../services/runtime/avro/record-codec.ts';
import { zstdFrames } from '../../services/runtime/zstd/frames.ts';
import type { zstdLimits } from '../../services/runtime/zstd/zstd-limits.ts';
import { noDirectives } from '../../topology/parse/directives.ts';
import { createFakeClock } from '../services/fetcher/fake-clock.ts';
import { taskUrls } from '../services/fetcher/harness.ts';
import { type BoundaryTable, cutAt, driven, from, tuning, undriven, upTo } from './boundary.ts';
import { isTaken } from './commands.ts';
import { exchanged } from './exchange.ts';
import { clientUrl } from './parse.ts';
import { goesOnAt, hasLeftAfter, isReportedAfter, leavesAtOnce } from './publishing.ts';

/** A resolver whose lookups all give the same. */
function resolverWith(addresses: readonly string[], ttlMs: number) {
  const clock = createFakeClock();
  let asked = 0;
  const lookup = async () => {
    asked += 1;
    return { addresses, ttlMs };
  };
  const resolver = createResolver({ clock, lookup, overrides: compileOverrides([]), isBlocked: () => false });
  return { clock, resolver, asked: () => asked };
}

/** Is an answer that names `ttlMs` still believed after `afterMs`? */
async function isBelieved(ttlMs: number, afterMs: number, addresses: readonly string[] = ['10.0.0.1']) {
  const { clock, resolver, asked } = resolverWith(addresses, ttlMs);
  await resolver.resolve('a.test', 80);
  await clock.advance(afterMs);
  await resolver.resolve('a.test', 80);
  return asked() === 1;
}

const dayMs = 86_400_000;

const names = resolverWith(['10.0.0.1'], dayMs);
let named = 0;
/** Is the first of so many names still known? More are added to those of the last call. */
async function namesKept(count: number): Promise<boolean> {
  while (named < count) {
    const some = Array.from({ length: Math.min(1_000, count - named) }, () =>
      names.resolver.resolve(`h${named++}.test`, 80),
    );
    await Promise.all(some);
  }
  await names.resolver.resolve('h0.test', 80);
  return names.asked() === count;
}

/** Cookies that a host of which a rule keeps them gets back, of so many that it has set. */
function cookiesKept(count: number): number {
  const sessions = createSessions(['*'], [], () => 0);
  const headers = Array.from({ length: count }, (_, n) => ['set-cookie', `c${n}=1`]).flat();
  sessions.keep('http://a.test/', { failure: null, status: 200, headers } as unknown as HttpResponse);
  const [, cookies = ''] = sessions.withCookies('http://a.test/', undefined)?.headers ?? [];
  return cookies === '' ? 0 : cookies.split('; ').length;
}

export const sessionBoundaries: BoundaryTable<typeof sessionLimits> = {
  cookiesPerHostMax: cutAt(sessionLimits.cookiesPerHostMax, cookiesKept),
  hostsMax: undriven('10,000 hosts with cookies: those used the longest ago are forgotten'),
  redirectsMax: undriven('ten thousand URLs that redirected: those of the longest ago are asked for once'),
  loginEveryMs: undriven('ten minutes between two logins at a site'),
};

export const requestBoundaries: BoundaryTable<typeof requestLimits> = {
  dnsDeadlineMs: undriven('a timer of five seconds: dns-lookup.test.ts has it reached, at 50 ms'),
  lookupsMax: cutAt(requestLimits.lookupsMax, (n) => lookedUp(Array.from({ length: n }, (_, at) => `d${at}.test`))),
  lookupsPerDomainMax: cutAt(requestLimits.lookupsPerDomainMax, (n) =>
    lookedUp(Array.from({ length: n }, (_, at) => `h${at}.dead.test`)),
  ),
  connectTimeoutMs: undriven('a real socket’s deadline: client.test.ts has it reached, at 400 ms'),
  headersTimeoutMs: undriven('a real socket’s deadline: client.test.ts has it reached by headers that drip'),
  bodyIdleTimeoutMs: undriven('a real socket’s deadline: client.test.ts has it reached by a body that stalls'),
  totalTimeoutMs: undriven('a real socket’s deadline: client.test.ts has it reached by a body that drips'),
  steadyBytesPerS: undriven('a real socket’s clock: client.test.ts has it below and above'),
  headerBytesMax: from(async (n) => (await exchanged.headers(n)).failure?.kind ?? 'read', 'read', 'badResponse'),
  headerFieldBytesMax: upTo(async (n) => (await exchanged.field(n)).failure === null),
  bodyBytesMax: driven(
    async (n) => {
      const { body, truncated } = await exchanged.body(n);
      return [body.length, truncated];
    },
    [requestLimits.bodyBytesMax - 1, false],
    [requestLimits.bodyBytesMax, false],
    [requestLimits.bodyBytesMax, true],
  ),
  headersTimeoutMost: upTo((n) => isTaken('crawl', '--first-byte', `${n}ms`)),
  bodyBytesMost: upTo((n) => isTaken('crawl', '--max-body', `${Math.ceil(n / 2 ** 20)}`)),
  // Where other bodies have taken all the room.
  bodyFreeBytes: upTo((n) => {
    const clock = createFakeClock();
    const room = new BodyRoom(requestLimits.bodiesBytesMax);
    room.take({ bytes: 0 }, requestLimits.bodiesBytesMax, () => undefined);
    const exchange = new Exchange({
      ...{ connection: { socket: null, address: '', served: 0 }, limits: requestLimits, clock, room },
      ...{ bodyBytesMax: requestLimits.bodyBytesMax, wants: () => true, sink: undefined, settle: () => undefined },
    });
    exchange.onConnect(() => undefined);
    exchange.onHeaders(200, [], () => undefined);
    return exchange.onData(Buffer.alloc(n));
  }),
  bodiesBytesMax: upTo((n) => {
    const room = new BodyRoom(requestLimits.bodiesBytesMax);
    room.take({ bytes: 0 }, 1, () => undefined);
    return room.take({ bytes: 0 }, n - 1, () => undefined);
  }),
  readMsOfTurn: tuning('how long others of the process wait'),
  codingLayersMax: upTo(async (n) => {
    let body = Buffer.from('x');
    for (let layer = 0; layer < n; layer++) body = gzipSync(body);
    const names = Array.from({ length: n }, () => 'gzip').join(', ');
    return !('error' in (await decodeBody(body, names, 100)));
  }),
  zstdWindowBytesMax: undriven('a window is a power of two or a few steps between'),
  drainBytesMax: upTo(exchanged.isDrained),
  clientsMax: undriven('of 1,000 origins: client.test.ts has it at 3'),
  idleRaceMs: undriven('a real socket’s clock: client.test.ts has it below and above'),
  idleRaceLateMs: undriven('a real socket’s clock: client.test.ts has it above'),
  keepAliveMs: undriven('a real socket’s clock, undici’s own'),
  addressesMax: driven(
    async (n) => {
      const { resolver } = resolverWith(
        Array.from({ length: n }, (_, i) => `10.0.0.${i}`),
        dayMs,
      );
      const resolution = await resolver.resolve('a.test', 80);
      return resolution.ok && resolution.addresses.length;
    },
    7,
    8,
    8,
  ),
  dnsEntriesMax: upTo(namesKept),
  // Of an answer that says less, and one that says more, in the moment before, at and after the bound.
  dnsTtlMinMs: driven((n) => isBelieved(0, n), true, false, false),
  dnsTtlMaxMs: driven((n) => isBelieved(dayMs, n), true, false, false),
  dnsNegativeTtlMs: driven((n) => isBelieved(dayMs, n, []), true, false, false),
};

/** A window of 8 MiB, and an empty last block. */
const zstdFrame = Buffer.from('28b52ffd0068010000', 'hex');
const zstdIsRead = (...parts: readonly Buffer[]) =>
  zstdFrames(Buffer.concat(parts), requestLimits.zstdWindowBytesMax)?.isCut === false;

export const zstdBoundaries: BoundaryTable<typeof zstdLimits> = {
  framesMax: upTo((n) => zstdIsRead(...Array<Buffer>(n).fill(zstdFrame))),
  // The last one is the frame's own.
  blocksMax: upTo((n) => {
    const begun = Array<Buffer>(n - 1).fill(Buffer.from('08000041', 'hex'));
    return zstdIsRead(zstdFrame.subarray(0, 6), ...begun, zstdFrame.subarray(6));
  }),
  blockBytesMax: undriven('RFC 8878 sets it, and the library holds it'),
  beginningsTriedMax: tuning('tries at what is damaged anyway'),
};

const origins: string[] = [];
let looks = 0;
const manyRobots = createRobotsCache(createFakeClock(), 'x');
const noRobots: RobotsFetch = async (chain) => {
  origins.push(chain[0]!);
  return { status: 404, location: null, body: Buffer.alloc(0), retryAfterMs: 0, blockedAddress: false, detail: '' };
};
/** Is the one of so many origins that was used least lately still known? More are added to those of the last call. */
async function originsKept(count: number): Promise<boolean> {
  while (origins.length < count) await manyRobots.get(`http://h${origins.length}.test`, noRobots);
  await manyRobots.get(`http://h${looks++}.test`, noRobots);
  return origins.length === count;
}

/** Is the robots.txt of another host asked for again by a second site that leads there, so long after the first? */
async function movedAgain(afterMs: number): Promise<boolean> {
  const clock = createFakeClock();
  const asked: string[] = [];
  const cache = createRobotsCache(clock, 'x');
  const fetch: RobotsFetch = async (chain) => {
    const url = chain.at(-1)!;
    asked.push(url);
    const to = url.startsWith('http://v.test') ? '/rules' : 'http://v.test/robots.txt';
    const moved = !url.endsWith('/rules');
    return {
      ...{ status: moved ? 301 : 404, location: moved ? to : null },
      ...{ body: Buffer.alloc(0), retryAfterMs: 0, blockedAddress: false, detail: '' },
    };
  };
  await cache.get('http://a.test', fetch);
  await clock.advance(afterMs);
  await cache.get('http://b.test', fetch);
  return asked.filter((url) => url === 'http://v.test/robots.txt').length > 1;
}

/** The chain of a robots.txt that moved elsewhere: asked `afterMs` after the wish, does it ask anew, or give up? */
async function hopAfter(...afterMs: number[]) {
  const clock = createFakeClock();
  let asked = 0;
  const cache = createRobotsCache(clock, 'x');
  const fetch: RobotsFetch = async () => {
    asked += 1;
    return 'elsewhere';
  };
  const get = async () => {
    const got = cache.get('http://a.test', fetch);
    await clock.advance(fetcherLimits.robotsHopWaitMs);
    return got;
  };
  let last = await get();
  let atMs = fetcherLimits.robotsHopWaitMs;
  for (const ms of afterMs) {
    await clock.advance(ms - atMs);
    last = await get();
    atMs = ms + fetcherLimits.robotsHopWaitMs;
  }
  return { asked, gaveUp: last?.robots.status === 'unreachable' };
}

/** Of a fetcher that is busy with one host. */
const quickShare = () =>
  createProcessorShare(
    () => 1,
    () => true,
  );

const codec = await openCodec(createMemoryRegistry(), 'c');

function messagesOf(group: LinkGroup): number {
  const batch = new DiscoveredBatch({ codec, partitions: 1, keyMode: 'host' });
  batch.add(group);
  return batch.records('c.discovered').length;
}

/** A group of two links, of so many bytes. */
function groupOf(bytes: number) {
  const groupWith = (url: string) => ({
    ...{ ...blankLinkGroup, hostKey: 'a.test' },
    links: ['x', url].map((url) => ({ ...blankLink, url })),
  });
  const around = codec.writeLinkGroup(groupWith('x'.repeat(bytes)), Buffer.alloc(2 * bytes + 1_000), 0) - bytes;
  return groupWith('x'.repeat(bytes - around));
}

/** Is an answer for robots.txt that came so long ago still given to other crawls? */
function isShared(ageMs: number): boolean {
  let nowMs = 0;
  const shared = createSharedRobots({ nowMs: () => nowMs, sleepUntil: async () => {} });
  const rest = { location: null, body: Buffer.alloc(0), retryAfterMs: 0, blockedAddress: false, detail: '' };
  shared.put('http://a.test/robots.txt', { status: 200, ...rest });
  nowMs = ageMs;
  return shared.get('http://a.test/robots.txt') !== undefined;
}

/** Look-ups that are asked for at once, of so many names. */
function lookedUp(hostnames: readonly string[]): number {
  let asked = 0;
  const fair = createFairLookup(() => {
    asked += 1;
    return new Promise(() => {});
  });
  for (const hostname of hostnames) void fair.lookup(hostname);
  return asked;
}

export const officeBoundaries: BoundaryTable<typeof officeLimits> = {
  officeBytesMax: undriven('office-document.test.ts has a bomb'),
  officePartsMax: undriven('office-document.test.ts has more parts'),
};

export const fetcherBoundaries: BoundaryTable<typeof fetcherLimits> = {
  namesShareMax: undriven('a quarter of the leases: name-gate.test.ts has places for one, two and four'),
  namesSlowMs: tuning('how soon leases wait aside: name-gate.test.ts has both'),
  namesAsideMax: undriven('four thousand leases: name-gate.test.ts has six'),
  namesKeptForFew: undriven('a quarter of the line: name-gate.test.ts has fifteen of twenty names of one domain'),
  namesAheadMax: undriven('look-ups that wait: name-gate.test.ts has a million'),
  leasesMax: undriven('leases run at once: fetcher.test.ts has four'),
  requestsMax: undriven('requests in flight: fetcher.test.ts has two'),
  repeatsMax: undriven('paced-request.test.ts has a third request made, and no fourth'),
  adaptiveDelayMaxMs: undriven('of a response that took seconds'),
  leaseIdsMax: undriven('65,536 tasks through the codec: intake.test.ts has that each is taken once'),
  // Does a grant that is so far ahead move the clock?
  grantAheadMsMax: upTo((ms) => {
    const clock = createGrantClock(createFakeClock(1_000));
    clock.observe(1_000 + ms);
    return clock.aheadMs > 0;
  }),
  // Of so many reports that came late, is the oldest still known?
  lateReportsMax: upTo((n) => {
    const reports = createLateReports(createFakeClock(), new AbortController().signal, 1_000);
    const leases = Array.from({ length: n }, (_, at) => ({
      ...blankTask,
      leaseId: at + 1,
      urls: taskUrls(`https://a.test/${at}`),
    }));
    const outcome: Outcome = { ...blankOutcome, kind: 'fetched' };
    for (const task of leases) {
      reports.reported(task, outcome);
      reports.durable(task, [outcome], true, 1);
    }
    return reports.answerTo({ ...leases[0]!, leaseId: 0 }, 0) !== undefined;
  }),
  robotsEntriesMax: upTo(originsKept),
  // The first copy of 100 B leaves when they are together larger than the bound.
  robotsEntriesBytesMax: upTo(async (n) => {
    const cache = createRobotsCache(createFakeClock(), 'x');
    const each = 500 * 1024;
    const asked: string[] = [];
    const fetch: RobotsFetch = async (chain) => {
      asked.push(chain[0]!);
      const left = n - (asked.length - 1) * each;
      const body = Buffer.alloc(Math.max(0, Math.min(each, left)), '#');
      return { status: 200, location: null, body, retryAfterMs: 0, blockedAddress: false, detail: '' };
    };
    const count = Math.ceil(n / each);
    for (let i = 0; i < count; i++) await cache.get(`http://h${i}.test`, fetch);
    await cache.get('http://h0.test', fetch);
    return asked.length === count;
  }),
  robotsSharedMs: driven(isShared, true, false, false),
  robotsStaleRecheckMs: driven(
    async (n) => {
      const clock = createFakeClock();
      const cache = createRobotsCache(clock, 'x');
      let [asked, status] = [0, 200];
      const fetch: RobotsFetch = async () => {
        asked += 1;
        return { status, location: null, body: Buffer.alloc(0), retryAfterMs: 0, blockedAddress: false, detail: '' };
      };
      await cache.get('http://a.test', fetch);
      status = 503;
      await clock.advance(dayMs);
      await cache.get('http://a.test', fetch);
      await clock.advance(n);
      await cache.get('http://a.test', fetch);
      return asked;
    },
    2,
    3,
    3,
  ),
  // On a host whose responses have cost nothing yet.
  ordinaryCostMs: upTo((n) => quickShare().waitMs(n) === 0),
  brokenCostMs: tuning('a measured cost, by which a host’s share is reckoned'),
  leftOutNamedMax: tuning('how many URLs a detail names as examples'),
  leftOutCharsMax: tuning('the length up to which a URL is named as an example'),
  linkCostMs: tuning('a measured cost, by which a host’s share is reckoned'),
  pieceCostMs: tuning('a measured cost, by which a host’s share is reckoned'),
  processorWaitMaxMs: cutAt(fetcherLimits.processorWaitMaxMs, (n) => {
    return quickShare().waitMs(n / 2 + fetcherLimits.ordinaryCostMs);
  }),
  sitemapTriesMax: from(
    (n) => {
      const agenda = createSitemapAgenda();
      agenda.add(clientUrl);
      for (let tries = 0; tries < n; tries++) {
        const next = agenda.next('a.test');
        if (next !== undefined) agenda.failed(next);
      }
      return agenda.waiting('a.test');
    },
    1,
    0,
  ),
  sitemapsPerHostMax: cutAt(fetcherLimits.sitemapsPerHostMax, (n) => {
    const agenda = createSitemapAgenda();
    for (let i = 0; i < n; i++) agenda.add({ ...clientUrl, url: `http://a.test/${i}` });
    return agenda.waiting('a.test') === agenda.size && agenda.size;
  }),
  // Hosts of 1,000 each; the first named of them leaves when there is one more than the bound.
  sitemapsKnownMax: upTo((n) => {
    const agenda = createSitemapAgenda();
    for (let i = 0; i < n; i++)
      agenda.add({ ...clientUrl, hostKey: `h${Math.floor(i / 1_000)}.test`, url: `http://a.test/${i}` });
    return agenda.waiting('h0.test') === 1_000 && agenda.size === n;
  }),
  robotsHopWaitMs: driven(
    async (n) => {
      const clock = createFakeClock();
      const cache = createRobotsCache(clock, 'x');
      let over = false;
      void cache.get('http://a.test', async () => 'elsewhere').then(() => (over = true));
      await clock.advance(n);
      return over;
    },
    false,
    true,
    true,
  ),
  robotsHopAgainMs: driven(async (n) => (await hopAfter(n)).asked, 1, 2, 2),
  robotsMovedMs: driven(movedAgain, false, true, true),
  robotsHopPatienceMs: driven(async (n) => (await hopAfter(n)).gaveUp, false, true, true),
  flushMs: from(hasLeftAfter),
  flushBytes: from(leavesAtOnce),
  publishBytesMax: upTo(goesOnAt),
  discoveredBytes: upTo((n) => messagesOf(groupOf(n)), 1, 2),
  resultsMs: from((n) => isReportedAfter(fetcherLimits.flushMs, n)),
  resultsWithReportsMax: undriven('test/services/fetcher/publish/publisher.test.ts has one more'),
  linkCacheEntries: tuning('what falls out of a set-associative cache is by chance; a miss costs a duplicate'),
  // Beyond it a worker does: here one that does not start.
  inlineParseBytes: upTo(async (n) => {
    const extractor = createExtractor({ cores: 2, workerUrl: new URL('data:text/javascript,') });
    const page = { url: 'http://a.test/', contentType: 'text/html', robotsTags: [], productToken: 'x' };
    const parsed = extractor.parse(Buffer.alloc(n, ' '), { ...page, linksMax: 1, textCharsMax: 1, byteBudget: 1 });
    const isHere = !(parsed instanceof Promise);
    await extractor.close();
    return isHere;
  }),
  inlineRichMs: undriven(
    'by a thread: test/services/fetcher/pages/dear-pages.integration.test.ts has pages that take seconds',
  ),
  dearSitesMax: tuning('a site that is forgotten costs its next page inlineRichMs once more'),
  inlineParseMs: tuning('a share of processor time: what is cut depends on the machine'),
  pdfTimeoutMs: undriven('a worker’s clock'),
  newSiteReadMs: tuning('whose document is read next'),
  readSitesMax: tuning('whose document is read next'),
  pdfLoadMs: undriven('a worker’s clock'),
  parseTimeoutMs: undriven('a worker’s clock: extract.test.ts has it at shorter times'),
  // Of a document that a plugin reads.
  textCharsMax: driven(
    async (n) => {
      const hooks = { parse: async () => ({ text: 'x'.repeat(n) }) } as unknown as Hooks;
      const reader = { hooks, linksMax: 1 };
      const { parsed } = await parseByHook(reader, 'http://a.test/', 'a/b', Buffer.alloc(0), noDirectives);
      return [parsed.text.length, parsed.complete];
    },
    [fetcherLimits.textCharsMax - 1, true],
    [fetcherLimits.textCharsMax, true],
    [fetcherLimits.textCharsMax, false],
  ),
};

export const pluginBoundaries: BoundaryTable<typeof pluginLimits> = {
  hookMs: undriven('ten real seconds of a hook that does not come back'),
  nameCharsMax: upTo((n) => {
    try {
      return checkPlugin({ name: 'p'.repeat(n) }).name.length === n;
    } catch {
      return false;
    }
  }),
};
