/**
 * Sees every request where it arrives, at the hosts, and by the true clock: was it allowed, and was it time?
 *
 * A host's delay runs from the completion of a request to the start of the next, whichever process makes it. Clocks
 * that differ, or that are set forwards, may bring a contact forward by the same amount; any more is a violation. A
 * host with several slots may have as many requests, each with its own delay, unless it asks for a Crawl-delay, which
 * all of them keep. If one of its leases is asked for a pause, leases of other processes learn of it later.
 */
import type { ControlKind } from '../../schemas/types.ts';
import type { SimProcess } from './process.ts';
import type { World } from './world.ts';

/**
 * By then leases granted before a block are over: their deadline, plus the delay of the processes that grant and learn,
 * ms.
 */
const blockTakesMs = 150_000;

export interface Contact {
  readonly hostName: string;
  readonly url: string;
  readonly kind: 'robots' | 'page';
  readonly process: SimProcess;
  readonly startMs: number;
}

export interface Judge {
  /** Returns the function that ends the contact. */
  arrives(contact: Contact): (endMs: number, isUnanswered?: boolean) => void;
  /** A process has read a robots.txt, or learnt that the host has none. */
  readRobots(process: SimProcess, hostName: string): void;
  /** The wall clock of a process is wrong by this amount, until it is right again. */
  clockWrong(byMs: number): void;
  clockRight(byMs: number): void;
  /**
   * A host asked for a pause after a contact that ended at `endMs`, and the request is in force: its result has landed.
   * `by`: the fetcher.
   */
  asked(hostName: string, pauseMs: number, endMs: number, by: string): void;
  /** An operator's order about a host has landed. `amount`: of a delay, ms; below 0: the policy's again. */
  ordered(hostName: string, kind: ControlKind, atMs: number, amount?: number): void;
  /** Page requests made, by URL. */
  readonly fetches: ReadonlyMap<string, number>;
}

export function createJudge(world: World, violate: (what: string) => void): Judge {
  /** `endsMs`: the last contacts' ends, latest first. */
  const hosts = new Map<
    string,
    { busy: number; endsMs: number[]; forgivenMs: number; askedUntilMs: Map<string, number> }
  >();
  const blockedAtMs = new Map<string, number>();
  /**
   * The shortest delay that an operator ever set for a host: the time at which its removal is known everywhere is
   * unknown.
   */
  const shortened = new Map<string, number>();
  const robotsRead = new Map<SimProcess, Set<string>>();
  const fetches = new Map<string, number>();
  let forgivenMs = 0;
  let wrongMs = 0;

  const stateOf = (name: string) => {
    let state = hosts.get(name);
    if (state === undefined) {
      hosts.set(name, (state = { busy: 0, endsMs: [], forgivenMs: 0, askedUntilMs: new Map() }));
    }
    return state;
  };

  return {
    fetches,
    arrives({ hostName, url, kind, process, startMs }) {
      const host = stateOf(hostName);
      const spec = world.byName.get(hostName)!;
      const slackMs = world.skewMs + wrongMs + forgivenMs - host.forgivenMs;
      if (kind === 'page') {
        fetches.set(url, (fetches.get(url) ?? 0) + 1);
        if (world.byUrl.get(url)?.forbidden) violate(`${process.name} fetched ${url}, which robots.txt forbids`);
        if (!robotsRead.get(process)?.has(hostName)) {
          violate(`${process.name} fetched ${url} without knowing the host's robots.txt`);
        }
        if (startMs - (blockedAtMs.get(hostName) ?? startMs) > blockTakesMs) {
          violate(`${process.name} fetched ${url}, and ${hostName} has been blocked for long`);
        }
      }
      const hostSlots = spec.crawlDelayMs > 0 ? 1 : spec.hostSlots;
      if (host.busy >= hostSlots && slackMs === world.skewMs)
        violate(`${process.name} asked for ${url} while ${hostName} was at work`);
      const ownMs = Math.min(world.delayMs, shortened.get(hostName) ?? world.delayMs);
      const delayMs = kind === 'page' ? Math.max(ownMs, spec.crawlDelayMs) : ownMs;
      const freeSlots = Math.max(1, hostSlots - host.busy);
      const waitedMs = startMs - (host.endsMs[freeSlots - 1] ?? Number.NEGATIVE_INFINITY);
      if (waitedMs < delayMs - slackMs) {
        violate(`${process.name} asked for ${url} ${waitedMs} ms after ${hostName} was contacted, not ${delayMs}`);
      }
      const askedUntilMs = host.askedUntilMs.get(spec.hostSlots > 1 ? process.name : '') ?? 0;
      // The deciding process keeps a time that it computed once, even if the clock has been right since.
      if (startMs < askedUntilMs - world.skewMs - wrongMs - forgivenMs) {
        violate(`${process.name} asked for ${url} ${askedUntilMs - startMs} ms before ${hostName} wanted it`);
      }
      host.busy += 1;
      let ended = false;
      return (endMs) => {
        if (ended) return;
        ended = true;
        host.busy -= 1;
        host.endsMs = [...host.endsMs, endMs].sort((a, b) => b - a).slice(0, hostSlots);
        host.forgivenMs = forgivenMs;
      };
    },
    ordered(hostName, kind, atMs, amount = -1) {
      if (kind === 'hostDelay' && amount >= 0)
        shortened.set(hostName, Math.min(amount, shortened.get(hostName) ?? amount));
      if (kind === 'releaseHost') blockedAtMs.delete(hostName);
      if (kind === 'blockHost') blockedAtMs.set(hostName, blockedAtMs.get(hostName) ?? atMs);
    },
    readRobots(process, hostName) {
      let read = robotsRead.get(process);
      if (read === undefined) robotsRead.set(process, (read = new Set()));
      read.add(hostName);
    },
    // A running process notices a clock error at once, one that is down when it starts. So the error counts while it
    // lasts, and for all contacts that ended while it lasted.
    clockWrong(byMs) {
      wrongMs += Math.abs(byMs);
    },
    clockRight(byMs) {
      wrongMs -= Math.abs(byMs);
      forgivenMs += Math.abs(byMs);
    },
    asked(hostName, pauseMs, endMs, by) {
      const host = stateOf(hostName);
      const { hostSlots } = world.byName.get(hostName)!;
      // By the true clock, if it is the last contact. With slots others may have ended since.
      const lastMs = host.endsMs[0]!;
      const untilMs = (hostSlots > 1 ? Math.min(lastMs, endMs) : lastMs) + pauseMs;
      const who = hostSlots > 1 ? by : '';
      host.askedUntilMs.set(who, Math.max(host.askedUntilMs.get(who) ?? 0, untilMs));
    },
  };
}
