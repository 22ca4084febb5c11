/**
 * Limits the time of the process for a crawl's decisions in a fleet, whatever its policy and the links of its pages.
 *
 * A decision by an owner's patterns is ended after `decisionMsMax`, and its crawl is paused with the reason. A crawl with
 * long decisions waits after each, so that it uses at most a fifth of the process.
 */
import { performance } from 'node:perf_hooks';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { type LoopMark, unwatched } from '../../../runtime/loop/loop-watch.ts';
import { withinTime } from '../../../runtime/loop/time-box.ts';
import { shareLimits } from './share-limits.ts';

/** An owner's share of the event loop (fetcher/pace/loop-shares.ts). */
export interface DecisionLoop {
  spend(ms: number): void;
  readonly isOver: boolean;
}

const unshared: DecisionLoop = { isOver: false, spend() {} };

export class DecisionShare {
  readonly #crawl: string;
  readonly #nowMs: () => number;
  readonly #crawlPace: Pick<LoopMark, 'run'>;
  readonly #loop: DecisionLoop;
  #tookMs = 0;

  constructor(
    crawl: string,
    crawlPace: Pick<LoopMark, 'run'> = unwatched,
    nowMs: () => number = () => performance.now(),
    loop: DecisionLoop = unshared,
  ) {
    this.#loop = loop;
    this.#crawl = crawl;
    this.#crawlPace = crawlPace;
    this.#nowMs = nowMs;
  }

  run<T>(decide: () => T, mayBeLong: boolean): T {
    const { decisionMsMax, decisionMsFree } = shareLimits;
    const beganMs = this.#nowMs();
    // The time limit costs as much as a short decision. Without patterns, only the number of a page's links matters.
    const isLimited = mayBeLong || this.#tookMs >= decisionMsFree;
    const outcome = this.#crawlPace.run(() =>
      isLimited ? withinTime(decisionMsMax, decide) : ({ ended: false, value: decide() } as const),
    );
    this.#tookMs = this.#nowMs() - beganMs;
    this.#loop.spend(this.#tookMs);
    if (!outcome.ended) return outcome.value;
    const message = `a decision of crawl ${this.#crawl} took more than ${decisionMsMax / 1_000} s and was stopped, so that other crawls continue: rules or patterns of its policy are too slow for its URLs. Simplify them (crawlstream policy set), then resume the crawl`;
    throw new CrawlstreamError('DECISION_TOO_SLOW', message);
  }

  restMs(): number {
    const { decisionMsFree, restFactor, overRestMs } = shareLimits;
    if (this.#tookMs >= decisionMsFree) return restFactor * this.#tookMs;
    return this.#loop.isOver ? overRestMs : 0;
  }
}
