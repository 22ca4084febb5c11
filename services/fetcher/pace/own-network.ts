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
import { NameOutage, type NameOutageOptions } from './name-outage.ts';
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

export interface OwnNetworkOptions extends NameOutageOptions {
  /**
   * Asks a host for robots.txt at its pace, and calls `onStart` when the request is made, or if it never will be. Null: it could not be
   * asked in time.
   */
  ask(witness: Witness, latestStartMs: number, onStart: () => void): Promise<HttpResponse | null>;
  /** True if anything answered this crawl in an earlier process. */
  isProven(): boolean;
  /** When the newest answer for a name was asked for, ms since the Unix epoch. Undefined: there is none. */
  nameAskedAtMs(hostname: string): number | undefined;
  /** Voids failed name resolutions: otherwise a probe would not notice that name servers are back. */
  forgetFailures(): void;
  /** When aborted, all waits end. */
  readonly signal: AbortSignal;
}

export function createOwnNetwork(options: OwnNetworkOptions): OwnNetwork {
  return new WatchedNetwork(options);
}

/** Its public acts are fields, since callers hand out single ones: `network.judge`. */
class WatchedNetwork implements OwnNetwork {
  readonly #clock: Clock;
  readonly #ask: OwnNetworkOptions['ask'];
  readonly #names: NameOutage;
  readonly #isProven: OwnNetworkOptions['isProven'];
  readonly #nameAskedAtMs: OwnNetworkOptions['nameAskedAtMs'];
  readonly #onBack: OwnNetworkOptions['onBack'];
  readonly #forgetFailures: OwnNetworkOptions['forgetFailures'];
  readonly #signal: AbortSignal;
  readonly #say: OwnNetworkOptions['say'];
  readonly #evidence = new NetworkEvidence();
  #awaySinceMs: number | null = null;
  #looking: Promise<Found> | undefined;
  #back = () => {};
  #isBack: Promise<void> = Promise.resolve();
  /** The host to ask if none has answered yet: the one that failed first. */
  #last: Witness | undefined;
  readonly #waiting = new WaitingHosts();
  #asked = 0;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OwnNetworkOptions) {
    const { clock, ask, isProven, nameAskedAtMs, onBack, forgetFailures, signal, say } = options;
    this.#clock = clock;
    this.#ask = ask;
    this.#names = new NameOutage(options);
    this.#isProven = isProven;
    this.#nameAskedAtMs = nameAskedAtMs;
    this.#onBack = onBack;
    this.#forgetFailures = forgetFailures;
    this.#signal = signal;
    this.#say = say;
  }

  #answered(target: string, witness: Witness) {
    this.#evidence.answered(target, witness, this.#clock.nowMs());
    if (this.#awaySinceMs === null) return;
    this.#say(
      `the network works again after ${Math.round((this.#clock.nowMs() - this.#awaySinceMs) / 1_000)} s: the crawl continues`,
    );
    this.#awaySinceMs = null;
    this.#onBack();
    this.#back();
  }

  #nextToAsk(most: number): readonly (readonly [target: string, one: Waiting])[] {
    const isAway = this.#awaySinceMs !== null;
    const proven = this.#evidence
      .witnesses(isAway, this.#asked, most)
      .map(([target, witness]) => [target, always(witness)] as const);
    if (!isAway) return proven;
    // Those that answered may be gone for good, while a host that waits would answer.
    const some = this.#waiting.next(
      this.#evidence.hasWitnesses ? networkLimits.askedAtOnce : networkLimits.unprovenAtOnce,
    );
    if (proven.length + some.length === 0 && this.#last !== undefined)
      return [[targetOf(this.#last.hostKey), always(this.#last)]];
    return [...new Map([...proven, ...some])];
  }

  /** Asked once a second at most, however many are silent. */
  async #askSome(most: number): Promise<Found> {
    if (!this.#evidence.hasWitnesses && this.#awaySinceMs === null) return 'silent';
    await this.#clock.sleepUntil(this.#askedAtMs + networkLimits.betweenMs, this.#signal);
    const witnesses = this.#nextToAsk(most);
    if (witnesses.length === 0) return 'silent';
    this.#askedAtMs = this.#clock.nowMs();
    this.#asked += witnesses.length;
    const latestStartMs = this.#clock.nowMs() + networkLimits.answerMs;
    const timer = new AbortController();
    const stop = AbortSignal.any([timer.signal, this.#signal]);
    const late = this.#clock.sleepUntil(latestStartMs, stop).then(() => false);
    const unasked = new Set(witnesses.map(([target]) => target));
    const pending = new Set<string>();
    const answers = witnesses.map(async ([target, { witness, untilMs }]) => {
      const response = await this.#ask(witness, Math.min(latestStartMs, untilMs), () => {
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
        this.#answered(target, witness);
        return true;
      }
      this.#evidence.silent(target);
      return false;
    });
    const isThere = await Promise.race([late, ...answers.map(onlyTrue), Promise.all(answers).then(() => false)]);
    timer.abort();
    if (isThere) return 'answers';
    if (!this.#signal.aborted) for (const target of pending) this.#evidence.silent(target);
    // A host may be in the middle of a long answer, or have a long delay: it is no evidence until its turn has come.
    return unasked.size > 0 ? 'unasked' : 'silent';
  }

  async #look(isEnough: () => boolean): Promise<Found> {
    const found = await this.#askSome(networkLimits.askedAtOnce);
    if (found === 'answers' || this.#awaySinceMs !== null || !isEnough()) return found;
    return this.#evidence.witnesses().length === 0 ? 'silent' : this.#askSome(networkLimits.witnessesMax);
  }

  /** A resumed crawl has no host to ask: the outcomes of its other hosts decide. */
  async #othersSpeak(target: string, sinceMs: number): Promise<void> {
    const isOpen = () => !this.#evidence.hasWitnesses && this.#isProven();
    await this.#hear(target, sinceMs, this.#clock.nowMs() + networkLimits.othersMs, isOpen);
  }

  /**
   * A host that has just answered mostly answers again soon, if the network is there, and need not be asked. For each
   * of many dead hosts that would take its turns.
   */
  async #nextAnswer(target: string, sinceMs: number, latestStartMs: number): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (!this.#evidence.hasOtherAnswered(target, nowMs - networkLimits.nextAnswerMs)) return;
    await this.#hear(target, sinceMs, Math.min(nowMs + networkLimits.nextAnswerMs, latestStartMs), () => true);
  }

  /** Waits for an answer of another host. */
  async #hear(target: string, sinceMs: number, untilMs: number, isOpen: () => boolean): Promise<void> {
    const goesOn = () => isOpen() && this.#awaySinceMs === null && !this.#signal.aborted;
    while (goesOn() && this.#clock.nowMs() < untilMs && !this.#evidence.hasOtherAnswered(target, sinceMs))
      await this.#clock.sleepUntil(Math.min(untilMs, this.#clock.nowMs() + networkLimits.lookMs), this.#signal);
  }

  #goAway() {
    this.#awaySinceMs = this.#clock.nowMs();
    this.#isBack = new Promise((resolve) => (this.#back = resolve));
    const why = 'unrelated hosts stopped answering, and none answers now';
    this.#say(`this machine's network seems to be away (${why}): the crawl waits, and counts no failures for hosts`);
    void (async () => {
      while (this.#awaySinceMs !== null && !this.#signal.aborted) {
        await this.#clock.sleepUntil(this.#clock.nowMs() + networkLimits.againMs, this.#signal);
        if (this.#signal.aborted || this.#awaySinceMs === null) return;
        this.#forgetFailures();
        await this.#askSome(networkLimits.askedAtOnce);
      }
    })();
  }

  async #decide(target: string, startMs: number, latestStartMs: number, fault: Fault) {
    const isOurs = () => this.#evidence.isOurs(fault, this.#isProven());
    if (fault !== 'network') await this.#nextAnswer(target, startMs, latestStartMs);
    if (this.#signal.aborted || this.#awaySinceMs !== null) return true;
    if (this.#evidence.hasOtherAnswered(target, startMs)) return false;
    for (;;) {
      this.#looking ??= this.#look(isOurs).finally(() => {
        this.#looking = undefined;
      });
      const found = await this.#looking;
      if (found === 'silent') await this.#othersSpeak(target, startMs);
      if (this.#signal.aborted) return true;
      if (found === 'answers' || this.#evidence.hasOtherAnswered(target, startMs)) return false;
      if (this.#awaySinceMs !== null) return true;
      if (!isOurs()) return false;
      if (found === 'silent') {
        this.#goAway();
        return true;
      }
      // Without time for a host that could not be asked yet, the lease ends as if its request had not been made.
      if (this.#clock.nowMs() >= latestStartMs) return true;
    }
  }

  /** An answer of another host since then shows that a failure is not ours. The look-up of a name is a part of its request. */
  #evidenceFromMs({ url }: Asked, fault: Fault, startMs: number): number {
    const askedAtMs = fault === 'resolver' ? this.#nameAskedAtMs(new URL(url).hostname) : undefined;
    return Math.min(askedAtMs ?? startMs, startMs);
  }

  get awaySinceMs() {
    return this.#awaySinceMs;
  }

  get isUnproven() {
    return this.#awaySinceMs !== null && !this.#evidence.hasWitnesses;
  }

  readonly wait: OwnNetwork['wait'] = (one, untilMs = one.latestStartMs) => {
    if (this.#awaySinceMs === null) return undefined;
    // Its lease goes back at once: from then on another fetcher may contact the host.
    if (untilMs <= this.#clock.nowMs()) return Promise.resolve(false);
    const target = targetOf(one.hostKey);
    const waits = { witness: witnessOf(one), untilMs };
    this.#waiting.add(target, waits);
    const timer = new AbortController();
    const stop = AbortSignal.any([timer.signal, this.#signal]);
    return Promise.race([
      this.#isBack.then(() => true),
      this.#clock.sleepUntil(untilMs, stop).then(() => false),
    ]).finally(() => {
      timer.abort();
      this.#waiting.leave(target, waits);
    });
  };

  readonly judge: OwnNetwork['judge'] = (one, response) => {
    const target = targetOf(one.hostKey);
    const witness = witnessOf(one);
    if (isAnswer(response)) {
      this.#answered(target, witness);
      return undefined;
    }
    const { failure, status, unreached, startMs } = response;
    const fault = faultOf({ kind: failure!.kind, status, unreached, code: failure!.code ?? '' });
    if (fault === 'us' || fault === 'proxy' || saysNothing(failure!, fault)) return undefined;
    if (this.#awaySinceMs !== null) return Promise.resolve(true);
    this.#evidence.silent(target);
    const isOfNames = fault === 'resolver';
    const ofNames = () => this.#names.explains(one.url, startMs);
    const sinceMs = this.#evidenceFromMs(one, fault, startMs);
    if (this.#evidence.hasOtherAnswered(target, sinceMs)) return isOfNames ? ofNames() : undefined;
    this.#last = witness;
    const isOurs = this.#decide(target, sinceMs, one.latestStartMs, fault);
    return isOfNames ? isOurs.then((is) => is || ofNames()) : isOurs;
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
