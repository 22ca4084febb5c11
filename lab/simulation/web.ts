/**
 * The simulated web and its DNS: answers by each host's temper, in virtual time, through the judge.
 *
 * A server does its work even if its client has died; a client that gives up or dies ends the contact.
 */
import type { DnsLookup } from '../../services/fetcher/connect/dns-lookup.ts';
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from '../../services/fetcher/http/client.ts';
import type { FailureKind } from '../../services/fetcher/http/request-failure.ts';
import { requestLimits } from '../../services/fetcher/http/request-limits.ts';
import { type Chance, chanceOf } from './chance.ts';
import type { Judge } from './judge.ts';
import type { Outages } from './outages.ts';
import type { SimProcess } from './process.ts';
import { editionOf } from './recrawl.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimHost, World } from './world.ts';

export interface Web {
  readonly dnsLookup: (process: SimProcess) => DnsLookup;
  readonly openHttp: (process: SimProcess) => (options: HttpClientOptions) => HttpClient;
  /** Fetchers watch whether their own network is away. Absent: it is always there. */
  readonly outages?: Outages | undefined;
  /** A process was killed: its connections are closed. */
  hangUp(process: SimProcess): void;
  /** The connections of these processes break. */
  cut(isHit: (process: SimProcess) => boolean): void;
  /** A host is in trouble for a while. */
  trouble(hostName: string, answer: Trouble, untilMs: number): void;
  /** The answers for a URL break off for a while. */
  breakOff(url: string, where: BrokenAt, untilMs: number): void;
}

/** The place at which an answer breaks off. */
export type BrokenAt = 'head' | 'body';

export type Trouble = 503 | 429 | 'silence' | 'robots503' | 'reset';

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly takesMs: number;
  readonly failure: FailureKind | null;
  /** For a name that no server was asked for, and a network that is away. */
  readonly code?: string | undefined;
  /** No connection came about. */
  readonly unreached?: boolean;
}

/** A request under way: the end of the contact, and the answer that its process gets. */
interface Exchange {
  ended(endMs: number): void;
  answer(answer: Answer): void;
}

export interface WebOptions {
  readonly seed: number;
  readonly world: World;
  readonly judge: Judge;
  readonly scheduler: Scheduler;
  /** Absent: there are none. */
  readonly outages?: Outages | undefined;
}

export function createWeb({ seed, world, judge, scheduler, outages }: WebOptions): Web {
  const chance = chanceOf(seed, 'web');
  const startMs = scheduler.nowMs();
  const asked = new Map<string, number>();
  const troubles = new Map<string, { readonly answer: Trouble; readonly untilMs: number }>();
  const broken = new Map<string, { readonly where: BrokenAt; readonly untilMs: number }>();
  const open = new Map<SimProcess, Set<Exchange>>();

  const answerTo = (host: SimHost, url: string, kind: 'robots' | 'page'): Answer => {
    const count = asked.get(url) ?? 0;
    asked.set(url, count + 1);
    const trouble = troubles.get(host.name);
    if (trouble !== undefined && trouble.untilMs > scheduler.nowMs()) {
      const troubled = troubleAnswer(trouble.answer, kind, chance);
      if (troubled !== null) return troubled;
    }
    const breaks = broken.get(url);
    if (breaks !== undefined && breaks.untilMs > scheduler.nowMs()) return brokenAnswer(breaks.where, chance);
    return kind === 'robots'
      ? robotsAnswer(host, scheduler.nowMs() - startMs, chance)
      : pageAnswer(world, host, url, count, chance, scheduler.nowMs());
  };

  const request = async (
    process: SimProcess,
    options: HttpClientOptions,
    { url, wants }: HttpRequest,
    closing: Set<Exchange>,
  ): Promise<HttpResponse> => {
    const { clock, resolver } = options;
    await process.step(`GET ${url}`);
    const began = clock.nowMs();
    const { hostname, host: hostKey, port } = new URL(url);
    const respond = (answer: Answer, address: string): HttpResponse => {
      const wanted = answer.status > 0 && (wants?.(answer.status, answer.headers) ?? true);
      const body = Buffer.from(wanted ? answer.body : '');
      return {
        status: answer.status,
        headers: answer.headers,
        body,
        rawBody: body,
        truncated: false,
        address,
        startMs: began,
        endMs: clock.nowMs(),
        connectMs: 0,
        firstByteMs: 1,
        failure:
          answer.failure === null
            ? null
            : { kind: answer.failure, detail: 'planned', ...(answer.code !== undefined && { code: answer.code }) },
        staleConnection: false,
        unreached: answer.unreached ?? false,
      };
    };
    const withoutNetwork = async () => {
      await process.clock.sleepUntil(process.clock.nowMs() + 1);
      outages?.failed(process, url, began);
      return respond(noNetwork, '');
    };
    if (outages?.of(process) === 'network') return withoutNetwork();
    const resolution = await resolver.resolve(hostname, Number(port || 80));
    if (!resolution.ok) {
      if (resolution.code !== undefined) outages?.failed(process, url, began);
      return respond({ ...failed(resolution.kind, 0), code: resolution.code }, '');
    }
    if (outages?.of(process) === 'network') return withoutNetwork();
    // A process that slept here wakes after its deadline, before anything is sent.
    if (clock.nowMs() - began >= requestLimits.connectTimeoutMs) return respond(failed('connectionFailed', 0), '');
    const host = world.byName.get(hostKey)!;
    const kind = url.endsWith('/robots.txt') ? 'robots' : 'page';
    const ended = judge.arrives({ hostName: hostKey, url, kind, process, startMs: scheduler.nowMs() });
    const answer = cutOff(answerTo(host, url, kind));
    outages?.contacted(process, kind);
    const mine = open.get(process) ?? new Set();
    open.set(process, mine);
    const endMs = scheduler.nowMs() + answer.takesMs;
    scheduler.note(`${url} will be ${answer.failure ?? answer.status} in ${answer.takesMs} ms`);
    return new Promise((resolve) => {
      const exchange: Exchange = {
        ended,
        answer(given) {
          closing.delete(exchange);
          mine.delete(exchange);
          resolve(respond(given, given.failure === 'aborted' ? '' : resolution.addresses[0]!));
        },
      };
      closing.add(exchange);
      mine.add(exchange);
      // The server's side, independent of the client.
      scheduler.at(endMs, () => ended(scheduler.nowMs(), answer.failure === 'connectionFailed'));
      scheduler.at(
        endMs + 1,
        () => {
          if (!mine.has(exchange)) return;
          const readable =
            answer.failure === null && (answer.status < 300 || (answer.status < 500 && answer.status !== 429));
          if (kind === 'robots' && readable) judge.readRobots(process, hostKey);
          if (answer.status > 0) outages?.answered(process, hostKey);
          exchange.answer(answer);
        },
        process,
      );
    });
  };

  const end = (exchange: Exchange, answer: Answer) => {
    exchange.ended(scheduler.nowMs());
    exchange.answer(answer);
  };

  return {
    outages,
    dnsLookup: (process) => (hostname) => {
      const temper = world.byName.get(hostname)?.temper;
      const isAnswered = temper !== 'unanswered';
      return process.call(
        `resolve ${hostname}`,
        () => {
          const isAway = outages?.of(process) != null;
          if (isAway || !isAnswered) throw Object.assign(new Error(`EAI_AGAIN ${hostname}`), { code: 'EAI_AGAIN' });
          if (temper === 'nameless') return { addresses: [], ttlMs: 0 };
          return { addresses: [temper === 'private' ? '10.0.0.1' : addressOf(hostname)], ttlMs: 60_000 };
        },
        isAnswered ? chance.between(1, 50) : requestLimits.dnsDeadlineMs,
      );
    },
    openHttp: (process) => (options) => {
      const closing = new Set<Exchange>();
      outages?.opened(process);
      return {
        request: (one) => request(process, options, one, closing),
        stats: () => ({ origins: 0, inFlight: closing.size }),
        close: async () => {
          for (const exchange of [...closing]) end(exchange, failed('aborted', 0));
        },
      };
    },
    hangUp(process) {
      for (const { ended } of open.get(process) ?? []) ended(scheduler.nowMs());
      open.delete(process);
    },
    cut(isHit) {
      for (const [process, exchanges] of open)
        for (const exchange of isHit(process) ? exchanges : [])
          scheduler.at(scheduler.nowMs(), () => end(exchange, failed('connectionFailed', 0)), process);
    },
    trouble: (hostName, answer, untilMs) => void troubles.set(hostName, { answer, untilMs }),
    breakOff: (url, where, untilMs) => void broken.set(url, { where, untilMs }),
  };
}

const noNetwork: Answer = { ...failed('connectionFailed', 1), code: 'ENETUNREACH', unreached: true };

function brokenAnswer(where: BrokenAt, chance: Chance): Answer {
  const takesMs = chance.between(10, 300);
  if (where === 'head') return failed('connectionFailed', takesMs);
  const headers = ['content-type', 'text/html', 'content-length', '1000'];
  return { status: 200, headers, body: '<title>a p', takesMs, failure: 'connectionFailed' };
}

/** The client's own limit. */
function cutOff(answer: Answer): Answer {
  const { totalTimeoutMs } = requestLimits;
  return answer.takesMs <= totalTimeoutMs ? answer : failed('timeout', totalTimeoutMs);
}

function failed(failure: FailureKind, takesMs: number): Answer {
  return { status: 0, headers: [], body: '', takesMs, failure };
}

function bare(status: number, takesMs: number, headers: readonly string[] = []): Answer {
  return { status, headers, body: '', takesMs, failure: null };
}

function troubleAnswer(trouble: Trouble, kind: 'robots' | 'page', chance: Chance): Answer | null {
  switch (trouble) {
    case 503:
    case 429:
      return bare(trouble, 20, chance.happens(0.5) ? ['retry-after', `${chance.between(1, 6)}`] : []);
    case 'silence':
      return failed('timeout', requestLimits.totalTimeoutMs);
    case 'reset':
      return failed('connectionFailed', 5);
    case 'robots503':
      return kind === 'robots' ? bare(503, 10) : null;
  }
}

function robotsAnswer(host: SimHost, sinceStartMs: number, chance: Chance): Answer {
  const takesMs = chance.between(5, 60);
  switch (host.temper) {
    case 'dead':
      return failed('connectionFailed', takesMs);
    case 'shut':
      return bare(503, takesMs);
    case 'shy':
      if (sinceStartMs < 20_000) return bare(503, takesMs);
      break;
    case 'open':
      return bare(404, takesMs);
  }
  const rules = host.pages.flatMap(({ url, forbidden }) => (forbidden ? [`Disallow: ${new URL(url).pathname}$`] : []));
  const delay = host.crawlDelayMs > 0 ? [`Crawl-delay: ${host.crawlDelayMs / 1_000}`] : [];
  const body = ['User-agent: *', ...rules, ...delay, 'Allow: /'].join('\n');
  return { status: 200, headers: ['content-type', 'text/plain'], body, takesMs, failure: null };
}

function pageAnswer(world: World, host: SimHost, url: string, before: number, chance: Chance, nowMs: number): Answer {
  const takesMs = host.temper === 'slow' ? chance.between(800, 6_000) : chance.between(10, 300);
  if (host.temper === 'dead') return failed('connectionFailed', takesMs);
  if (host.temper === 'flaky' && before < pageNumber(url) % 3) {
    return chance.happens(0.5) ? bare(500, takesMs) : failed('connectionFailed', takesMs);
  }
  if (host.temper === 'throttling' && chance.happens(0.3)) {
    return bare(429, takesMs, ['retry-after', `${chance.between(1, 8)}`]);
  }
  if (host.temper === 'silent' && pageNumber(url) % 2 === 1) return failed('timeout', requestLimits.totalTimeoutMs);
  const page = world.byUrl.get(url);
  if (page === undefined) return bare(404, takesMs);
  if (page.redirect !== null) return bare(302, takesMs, ['location', page.redirect]);
  const edition = world.recrawl === null ? '' : `<p>edition ${editionOf(url, nowMs)}</p>`;
  const body = `${edition}<title>${url}</title>${page.links.map((link) => `<a href="${link}">x</a>`).join('\n')}`;
  return { status: 200, headers: ['content-type', 'text/html'], body, takesMs, failure: null };
}

function pageNumber(url: string): number {
  return Number(/p(\d+)$/.exec(url)?.[1] ?? 0);
}

/** A separate public address. */
function addressOf(hostname: string): string {
  const number = 1 + Number(/\d+/.exec(hostname)?.[0] ?? 0);
  return `93.184.${216 + (number >> 8)}.${number & 255}`;
}
