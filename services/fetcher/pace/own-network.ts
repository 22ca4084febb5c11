/**
 * Our own network: whether it is away, and what waits until it is back.
 *
 * A request without a response is judged (topology/fetch/network-evidence.ts) before it is reported. A fault on our
 * side counts as if the request had not been made: no attempt, no back-off and no death of a host is charged. While the
 * network is away leases wait, and three hosts that have answered before are asked for robots.txt every few seconds, at
 * their pace. The first response of any host ends that.
 */
import { type Fault, faultOf } from '../../../topology/fetch/fault.ts';
import { NetworkEvidence, type Witness } from '../../../topology/fetch/network-evidence.ts';
import { networkLimits } from '../../../topology/fetch/network-limits.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HttpResponse } from '../http/client.ts';
import type { RequestFailure } from '../http/request-failure.ts';

export interface OwnNetwork {
  /** Since when it is away, ms since the Unix epoch; null: it is there. */
  readonly awaySinceMs: number | null;
  /** Undefined: it is there. False: it is not back in time. */
  wait(untilMs: number): Promise<boolean> | undefined;
  /** Was the failure ours? Undefined: there was none, or it was not. */
  judge(asked: Asked, response: HttpResponse): Promise<boolean> | undefined;
}

export interface Asked {
  readonly url: string;
  readonly hostKey: string;
  readonly delayMs: number;
}

export interface OwnNetworkOptions {
  /** Of the requests' times. */
  readonly clock: Clock;
  /** Asks a host for robots.txt at its pace. Null: it could not be asked in time. */
  ask(witness: Witness, latestStartMs: number): Promise<HttpResponse | null>;
  /** Has anything answered this crawl in an earlier process? */
  isProven(): boolean;
  /** Is called when the network is back: what was learnt of names meanwhile is void. */
  onBack(): void;
  /** Aborted: nobody waits any more. */
  readonly signal: AbortSignal;
  say(text: string): void;
}

export function createOwnNetwork({ clock, ask, isProven, onBack, signal, say }: OwnNetworkOptions): OwnNetwork {
  const evidence = new NetworkEvidence();
  let awaySinceMs: number | null = null;
  let looking: Promise<boolean> | undefined;
  let back = () => {};
  let isBack: Promise<void> = Promise.resolve();
  /** Asked where nobody has answered yet: whoever failed first. */
  let last: Witness | undefined;
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

  /** Does one of those that have answered before do so now? Asked once a second at most, however many are silent. */
  const anyAnswers = async (): Promise<boolean> => {
    const isAway = awaySinceMs !== null;
    const found = evidence.witnesses(isAway, asked);
    const witnesses =
      found.length > 0 || !isAway || last === undefined ? found : [[targetOf(last.hostKey), last] as const];
    if (witnesses.length === 0) return false;
    await clock.sleepUntil(askedAtMs + networkLimits.betweenMs, signal);
    askedAtMs = clock.nowMs();
    asked += witnesses.length;
    const latestStartMs = clock.nowMs() + networkLimits.answerMs;
    const timer = new AbortController();
    const stop = AbortSignal.any([timer.signal, signal]);
    const late = clock.sleepUntil(latestStartMs, stop).then(() => false);
    const pending = new Set(witnesses.map(([target]) => target));
    const answers = witnesses.map(async ([target, witness]) => {
      const response = await ask(witness, latestStartMs);
      pending.delete(target);
      if (response !== null && isAnswer(response)) {
        answered(target, witness);
        return true;
      }
      if (response !== null) evidence.silent(target);
      return false;
    });
    const isThere = await Promise.race([late, ...answers.map(onlyTrue), Promise.all(answers).then(() => false)]);
    timer.abort();
    // What could not start in time has come back by now: these were asked, and said nothing.
    if (!isThere && !signal.aborted) for (const target of pending) evidence.silent(target);
    return isThere;
  };

  /** A resumed crawl has no host to ask: the outcomes of its other hosts decide. */
  const othersSpeak = async (target: string, sinceMs: number): Promise<void> => {
    const untilMs = clock.nowMs() + networkLimits.othersMs;
    const isOpen = () => !evidence.hasWitnesses && isProven() && awaySinceMs === null && !signal.aborted;
    while (
      isOpen() &&
      clock.nowMs() < untilMs &&
      !evidence.hasOtherAnswered(target, sinceMs) &&
      !evidence.areManySilent
    )
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
        if (!signal.aborted && awaySinceMs !== null) await anyAnswers();
      }
    })();
  };

  return {
    get awaySinceMs() {
      return awaySinceMs;
    },
    wait(untilMs) {
      if (awaySinceMs === null) return undefined;
      const timer = new AbortController();
      const stop = AbortSignal.any([timer.signal, signal]);
      return Promise.race([isBack.then(() => true), clock.sleepUntil(untilMs, stop).then(() => false)]).finally(() =>
        timer.abort(),
      );
    },
    judge({ url, hostKey, delayMs }, response) {
      const target = targetOf(hostKey);
      const witness = { origin: url.slice(0, url.indexOf('//') + 2 + hostKey.length), hostKey, delayMs };
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
      looking ??= anyAnswers().finally(() => {
        looking = undefined;
      });
      return looking.then(async (isThere) => {
        if (!isThere) await othersSpeak(target, startMs);
        if (signal.aborted) return true;
        if (isThere || evidence.hasOtherAnswered(target, startMs)) return false;
        if (awaySinceMs === null && evidence.isOurs(fault, isProven())) goAway();
        return awaySinceMs !== null;
      });
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

/** Nothing was asked of the network, or something answered: a name server, or whoever has a bad certificate. */
function saysNothing({ kind }: RequestFailure, fault: Fault): boolean {
  return (
    kind === 'blockedAddress' ||
    kind === 'refused' ||
    kind === 'tlsFailed' ||
    (kind === 'dnsFailed' && fault === 'host')
  );
}

/** Hosts of one domain may be away together. */
function targetOf(hostKey: string): string {
  return partitionKeyOf(hostKey, 'domain');
}
