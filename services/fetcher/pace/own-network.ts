/**
 * Detects failures of our network, and waits for its return.
 *
 * Each request without a response is judged (topology/fetch/network-evidence.ts) before it is reported. A fault on our
 * side counts as if the request had not been made: it costs no attempt, causes no back-off, and no host counts as dead.
 * While the network is down, leases wait, and every few seconds three hosts that answered before are asked for
 * robots.txt, at their pace. The first response of any host ends the outage. One host that answers is enough for the
 * network to count as up, however many others fail: each host that answered before is asked first, even if its turn
 * takes long.
 */
import { type Fault, faultOf } from '../../../topology/fetch/fault.ts';
import { NetworkEvidence, type Witness } from '../../../topology/fetch/network-evidence.ts';
import { networkLimits } from '../../../topology/fetch/network-limits.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HttpResponse } from '../http/client.ts';
import type { RequestFailure } from '../http/request-failure.ts';
import { type Waiting, WaitingHosts } from './waiting-hosts.ts';

export interface OwnNetwork {
  /** Since when it is away, ms since the Unix epoch; null: it is there. */
  readonly awaySinceMs: number | null;
  /** The network is down, and no host has answered this process, so the host that would show its return is a guess. */
  readonly isUnproven: boolean;
  /** Undefined: the network is up. Resolves to false if it is not back by `untilMs`. */
  wait(asked: Asked, untilMs?: number): Promise<boolean> | undefined;
  /** Resolves to true if the failure was ours. Undefined: there was no failure, or it was not ours. */
  judge(asked: Asked, response: HttpResponse): Promise<boolean> | undefined;
}

export interface Asked {
  readonly url: string;
  readonly hostKey: string;
  readonly delayMs: number;
  /** The request starts by then or not at all, ms since the Unix epoch. */
  readonly latestStartMs: number;
}

/** The present state of hosts that answered before. unasked: none answers, and some could not be asked yet. */
type Found = 'answers' | 'silent' | 'unasked';

export interface OwnNetworkOptions {
  /** The clock of the requests' times. */
  readonly clock: Clock;
  /**
   * Asks a host for robots.txt at its pace, and calls `onStart` when the request is made, or if it never will be. Null: it could not be
   * asked in time.
   */
  ask(witness: Witness, latestStartMs: number, onStart: () => void): Promise<HttpResponse | null>;
  /** True if anything answered this crawl in an earlier process. */
  isProven(): boolean;
  /** Called when the network is back: name resolutions of the outage are void. */
  onBack(): void;
  /** When aborted, all waits end. */
  readonly signal: AbortSignal;
  say(text: string): void;
}

export function createOwnNetwork({ clock, ask, isProven, onBack, signal, say }: OwnNetworkOptions): OwnNetwork {
  const evidence = new NetworkEvidence();
  let awaySinceMs: number | null = null;
  let looking: Promise<Found> | undefined;
  let back = () => {};
  let isBack: Promise<void> = Promise.resolve();
  /** The host to ask if none has answered yet: the one that failed first. */
  let last: Witness | undefined;
  const waiting = new WaitingHosts();
  let asked = 0;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  const answered = (target: string, witness: Witness) => {
    evidence.answered(target, witness, clock.nowMs());
    if (awaySinceMs === null) return;
    say(`the network works again after ${Math.round((clock.nowMs() - awaySinceMs) / 1_000)} s: the crawl continues`);
    awaySinceMs = null;
    onBack();
    back();
  };

  const nextToAsk = (most: number): readonly (readonly [target: string, one: Waiting])[] => {
    const isAway = awaySinceMs !== null;
    const proven = evidence
      .witnesses(isAway, asked, most)
      .map(([target, witness]) => [target, always(witness)] as const);
    if (!isAway) return proven;
    // Those that answered may be gone for good, while a host that waits would answer.
    const some = waiting.next(evidence.hasWitnesses ? networkLimits.askedAtOnce : networkLimits.unprovenAtOnce);
    if (proven.length + some.length === 0 && last !== undefined) return [[targetOf(last.hostKey), always(last)]];
    return [...new Map([...proven, ...some])];
  };

  /** Asked once a second at most, however many are silent. */
  const askSome = async (most: number): Promise<Found> => {
    if (!evidence.hasWitnesses && awaySinceMs === null) return 'silent';
    await clock.sleepUntil(askedAtMs + networkLimits.betweenMs, signal);
    const witnesses = nextToAsk(most);
    if (witnesses.length === 0) return 'silent';
    askedAtMs = clock.nowMs();
    asked += witnesses.length;
    const latestStartMs = clock.nowMs() + networkLimits.answerMs;
    const timer = new AbortController();
    const stop = AbortSignal.any([timer.signal, signal]);
    const late = clock.sleepUntil(latestStartMs, stop).then(() => false);
    const unasked = new Set(witnesses.map(([target]) => target));
    const pending = new Set<string>();
    const answers = witnesses.map(async ([target, { witness, untilMs }]) => {
      const response = await ask(witness, Math.min(latestStartMs, untilMs), () => {
        unasked.delete(target);
        pending.add(target);
      });
      pending.delete(target);
      if (response === null) return false;
      // We broke it off ourselves: the host may not be contacted any more.
      if (response.failure?.kind === 'aborted') {
        unasked.add(target);
        return false;
      }
      unasked.delete(target);
      if (isAnswer(response)) {
        answered(target, witness);
        return true;
      }
      evidence.silent(target);
      return false;
    });
    const isThere = await Promise.race([late, ...answers.map(onlyTrue), Promise.all(answers).then(() => false)]);
    timer.abort();
    if (isThere) return 'answers';
    if (!signal.aborted) for (const target of pending) evidence.silent(target);
    // A host may be in the middle of a long answer, or have a long delay: it is no evidence until its turn has come.
    return unasked.size > 0 ? 'unasked' : 'silent';
  };

  const look = async (isEnough: () => boolean): Promise<Found> => {
    const found = await askSome(networkLimits.askedAtOnce);
    if (found === 'answers' || awaySinceMs !== null || !isEnough()) return found;
    return evidence.witnesses().length === 0 ? 'silent' : askSome(networkLimits.witnessesMax);
  };

  /** A resumed crawl has no host to ask: the outcomes of its other hosts decide. */
  const othersSpeak = async (target: string, sinceMs: number): Promise<void> => {
    const untilMs = clock.nowMs() + networkLimits.othersMs;
    const isOpen = () => !evidence.hasWitnesses && isProven() && awaySinceMs === null && !signal.aborted;
    while (isOpen() && clock.nowMs() < untilMs && !evidence.hasOtherAnswered(target, sinceMs))
      await clock.sleepUntil(clock.nowMs() + networkLimits.lookMs, signal);
  };

  const goAway = () => {
    awaySinceMs = clock.nowMs();
    isBack = new Promise((resolve) => (back = resolve));
    const why = 'unrelated hosts stopped answering, and none answers now';
    say(`this machine's network seems to be away (${why}): the crawl waits, and counts no failures for hosts`);
    void (async () => {
      while (awaySinceMs !== null && !signal.aborted) {
        await clock.sleepUntil(clock.nowMs() + networkLimits.againMs, signal);
        if (!signal.aborted && awaySinceMs !== null) await askSome(networkLimits.askedAtOnce);
      }
    })();
  };

  const decide = async (target: string, startMs: number, latestStartMs: number, isOurs: () => boolean) => {
    for (;;) {
      looking ??= look(isOurs).finally(() => {
        looking = undefined;
      });
      const found = await looking;
      if (found === 'silent') await othersSpeak(target, startMs);
      if (signal.aborted) return true;
      if (found === 'answers' || evidence.hasOtherAnswered(target, startMs)) return false;
      if (awaySinceMs !== null) return true;
      if (!isOurs()) return false;
      if (found === 'silent') {
        goAway();
        return true;
      }
      // Without time for a host that could not be asked yet, the lease ends as if its request had not been made.
      if (clock.nowMs() >= latestStartMs) return true;
    }
  };

  return {
    get awaySinceMs() {
      return awaySinceMs;
    },
    get isUnproven() {
      return awaySinceMs !== null && !evidence.hasWitnesses;
    },
    wait(one, untilMs = one.latestStartMs) {
      if (awaySinceMs === null) return undefined;
      // Its lease goes back at once: from then on another fetcher may contact the host.
      if (untilMs <= clock.nowMs()) return Promise.resolve(false);
      const target = targetOf(one.hostKey);
      const waits = { witness: witnessOf(one), untilMs };
      waiting.add(target, waits);
      const timer = new AbortController();
      const stop = AbortSignal.any([timer.signal, signal]);
      return Promise.race([isBack.then(() => true), clock.sleepUntil(untilMs, stop).then(() => false)]).finally(() => {
        timer.abort();
        waiting.leave(target, waits);
      });
    },
    judge(one, response) {
      const target = targetOf(one.hostKey);
      const witness = witnessOf(one);
      if (isAnswer(response)) {
        answered(target, witness);
        return undefined;
      }
      const { failure, status, unreached, startMs } = response;
      const fault = faultOf({ kind: failure!.kind, status, unreached, code: failure!.code ?? '' });
      if (fault === 'us' || fault === 'proxy' || saysNothing(failure!, fault)) return undefined;
      if (awaySinceMs !== null) return Promise.resolve(true);
      evidence.silent(target);
      if (evidence.hasOtherAnswered(target, startMs)) return undefined;
      last = witness;
      const mayBeOurs = () => evidence.isOurs(fault, isProven());
      return decide(target, startMs, one.latestStartMs, mayBeOurs);
    },
  };
}

const never = new Promise<boolean>(() => {});

function onlyTrue(answer: Promise<boolean>): Promise<boolean> {
  return answer.then((is) => (is ? true : never));
}

/** Something came from the host, whatever it was. */
function isAnswer({ failure, status }: HttpResponse): boolean {
  return failure === null || status > 0 || failure.kind === 'badResponse' || failure.kind === 'throttled';
}

/**
 * True if the failure does not concern the network: nothing was sent, or something answered, such as a name server or a
 * host with a bad certificate.
 */
function saysNothing({ kind }: RequestFailure, fault: Fault): boolean {
  return (
    kind === 'blockedAddress' ||
    kind === 'refused' ||
    kind === 'tlsFailed' ||
    (kind === 'dnsFailed' && fault === 'host')
  );
}

/** A wait without a lease, and so without an end. */
function always(witness: Witness): Waiting {
  return { witness, untilMs: Number.POSITIVE_INFINITY };
}

function witnessOf({ url, hostKey, delayMs }: Asked): Witness {
  return { origin: url.slice(0, url.indexOf('//') + 2 + hostKey.length), hostKey, delayMs };
}

/** Hosts of one domain may be away together. */
function targetOf(hostKey: string): string {
  return partitionKeyOf(hostKey, 'domain');
}
