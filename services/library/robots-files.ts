/** The robots.txt of each origin, asked once a day, redirects followed, closed where none can be had (RFC 9309 §2.3.1). */
import { robotsLimits } from '../../topology/limits.ts';
import { isAllowed, noRules, parseRobots, type RobotsRules } from '../../topology/robots/rules.ts';
import { robotsVerdict } from '../../topology/robots/verdict.ts';
import type { Clock } from '../runtime/clock.ts';

export interface RobotsAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly body: Uint8Array;
}

interface Kept {
  /** null: everything is disallowed. */
  readonly rules: RobotsRules | null;
  readonly atMs: number;
}

/** `delayMs`: since the last request to that host. Status 0: nobody answers. */
export type Ask = (url: string, delayMs: number) => Promise<RobotsAnswer>;

export type Allowed = 'yes' | 'no' | 'unreachable';

export class RobotsFiles {
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #token: string;
  readonly #ask: Ask;

  constructor(clock: Pick<Clock, 'nowMs'>, token: string, ask: Ask) {
    this.#clock = clock;
    this.#token = token;
    this.#ask = ask;
  }

  /** By the rules of its own origin; `crawlDelayMs` -1: none is asked for. */
  async of(url: string, delayMs: number): Promise<{ readonly allowed: Allowed; readonly crawlDelayMs: number }> {
    const { origin } = new URL(url);
    let kept = this.#kept.get(origin);
    if (kept === undefined || this.#clock.nowMs() - kept.atMs >= robotsLimits.cacheMsMax) {
      kept = { rules: await this.#read(`${origin}/robots.txt`, delayMs), atMs: this.#clock.nowMs() };
      this.#kept.set(origin, kept);
    }
    const { rules } = kept;
    if (rules === null) return { allowed: 'unreachable', crawlDelayMs: -1 };
    return { allowed: isAllowed(rules, url) ? 'yes' : 'no', crawlDelayMs: rules.crawlDelayMs ?? -1 };
  }

  /** What failed is asked again with the host's next lease, which its back-off decides. */
  forget(url: string): void {
    this.#kept.delete(new URL(url).origin);
  }

  async #read(first: string, delayMs: number): Promise<RobotsRules | null> {
    const asked: string[] = [];
    for (let url = first; ; ) {
      asked.push(url);
      const { status, location, body } = await this.#ask(url, delayMs);
      const verdict = robotsVerdict({ url, status, location, asked, cachedAgeMs: null });
      if (verdict.kind === 'follow') {
        url = verdict.url;
        continue;
      }
      if (verdict.kind === 'parse') return parseRobots(body, this.#token, first);
      return verdict.kind === 'allow_all' ? noRules : null;
    }
  }
}
