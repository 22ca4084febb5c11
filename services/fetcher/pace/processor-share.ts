/**
 * Each host's fair share of the processor: endless bodies, bombs and mazes of markup cost a hundred times what a page
 * does. A fetcher at its limit would spend its time on them.
 *
 * Of n hosts that are being fetched from, one may use an n-th of the time. The excess of a response over an ordinary
 * page's cost delays the host's next request by 2n times that excess. So a host of costly pages has half a share on
 * average, however it behaves, and a quarter of such hosts leaves the others six sevenths of the time. While the event
 * loop has spare time, no host waits. Pages, feeds, robots files and sitemaps all count. This concerns our processor;
 * politeness applies in addition.
 */
import { performance } from 'node:perf_hooks';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { HttpResponse } from '../http/client.ts';
import type { RequestPath } from './paced-request.ts';

export interface ProcessorShare {
  /** Returns the wait of a host after a response that cost `costMs`, ms. */
  waitMs(costMs: number): number;
}

/**
 * `hosts`: number of hosts being fetched from. `isBusy`: true if the processor has no spare time. `spend`: called with
 * the cost of each response, ms.
 */
export function createProcessorShare(
  hosts: () => number,
  isBusy: () => boolean = watchEventLoop(),
  spend: (costMs: number) => void = () => {},
): ProcessorShare {
  return {
    waitMs(costMs) {
      spend(costMs);
      const excessMs = costMs - fetcherLimits.ordinaryCostMs;
      if (excessMs <= 0 || !isBusy()) return 0;
      return Math.min(Math.round(2 * excessMs * hosts()), fetcherLimits.processorWaitMaxMs);
    },
  };
}

/**
 * Estimates the cost of a response, ms: 3 ns for each received and each decoded byte, and `readMs`, the wall-clock time
 * of parsing, capped by the page's size. The cap keeps a small page from paying for time in which this process was
 * interrupted. `richMs` has a time limit already (inlineRichMs), and counts in full, since no size explains it. A
 * response that is not HTTP costs its connection and, if it floods headers, an error object for each of them. Each of
 * its `links` costs the log and the frontier, too.
 */
export function costOf(
  { rawBody, body, failure, pieces = 0 }: HttpResponse,
  readMs: number,
  links = 0,
  richMs = 0,
): number {
  const { brokenCostMs, linkCostMs, pieceCostMs } = fetcherLimits;
  const brokenMs = failure?.kind === 'badResponse' ? brokenCostMs : 0;
  const read = readingCost(rawBody.length, body.length, Math.max(0, readMs - richMs)) + richMs;
  return brokenMs + pieces * pieceCostMs + links * linkCostMs + read;
}

/** The same for a body that was read as it came. */
export function readingCost(receivedBytes: number, decodedBytes: number, readMs: number): number {
  return (receivedBytes + decodedBytes) * 3e-6 + Math.min(readMs, decodedBytes * worstParseMs);
}

/** A host that has just used more than its share of the processor waits until it is even. */
export function holdBack(requestPath: RequestPath, share: ProcessorShare, hostKey: string, costMs: number): void {
  const waitMs = share.waitMs(costMs);
  if (waitMs > 0) requestPath.pacer.hold(hostKey, requestPath.ownClock.nowMs() + waitMs);
}

/** Per byte; measured on a megabyte of nested tags. */
const worstParseMs = 60e-6;

/** Was the event loop busy for most of the last while? Asked for by expensive responses only, so rarely. */
function watchEventLoop(): () => boolean {
  let before = performance.eventLoopUtilization();
  let beforeMs = performance.now();
  let busy = false;
  return () => {
    const nowMs = performance.now();
    if (nowMs - beforeMs >= lookEveryMs) {
      const now = performance.eventLoopUtilization();
      busy = performance.eventLoopUtilization(now, before).utilization >= busyFrom;
      before = now;
      beforeMs = nowMs;
    }
    return busy;
  };
}

const lookEveryMs = 250;
/** Above this load, work queues up: queues grow long well before a processor is full. */
const busyFrom = 0.8;
