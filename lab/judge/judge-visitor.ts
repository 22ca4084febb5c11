/**
 * Serves a synthetic web to any visitor, and grades the visit when it is over: a while after the last request, at a set
 * time, or on request.
 */
import { planWeb, type WebPlan } from '../web/plan.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { type ScoreCard, scoreCard } from './score-card.ts';

export interface JudgeOptions {
  readonly address: string;
  readonly port: number;
  readonly hosts: number;
  readonly pages: number;
  readonly seed: number;
  /** Hosts are addresses (127.x.y.z) in place of names. */
  readonly addresses: boolean;
  /** Delay of a polite visitor between requests to a host, ms. */
  readonly delayMs: number;
  readonly crawlDelayMs: number;
  /** The visit is over after this time without a request, ms; and after this time in any case. */
  readonly quietMs: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called once the server listens. */
  readonly onReady: (plan: WebPlan, port: number) => void;
}

const lookEveryMs = 500;

export async function judgeVisitor(options: JudgeOptions): Promise<ScoreCard> {
  const { hosts, pages, seed, addresses, delayMs, crawlDelayMs, signal } = options;
  const plan = planWeb({
    preset: 'full',
    hosts,
    pagesPerHost: pages,
    seed,
    crawlDelayMs,
    crawlDelays: 0.1,
    throttled: 0.1,
    hostileShare: 0.06,
    calendars: 0.03,
    calendarMonths: -1,
    naming: addresses ? 'addresses' : 'names',
  });
  const web = await startWeb(plan, { address: options.address, port: options.port });
  try {
    options.onReady(plan, web.port);
    await visitEnds(web, options, signal);
    return scoreCard(plan, web.requests(), { delayMs, dropped: web.dropped });
  } finally {
    await web.close();
  }
}

async function visitEnds(web: RunningWeb, { quietMs, limitMs }: JudgeOptions, signal: AbortSignal): Promise<void> {
  const beganMs = performance.now();
  let [seen, newsMs] = [0, beganMs];
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, lookEveryMs);
      function done() {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
    });
    const nowMs = performance.now();
    const { length } = web.requests();
    if (length > seen) [seen, newsMs] = [length, nowMs];
    if (nowMs - beganMs >= limitMs || (seen > 0 && nowMs - newsMs >= quietMs)) return;
  }
}
