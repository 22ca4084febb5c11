/**
 * The traces of a URL. The first one covers all attempts, from the found link to the published page; each later visit
 * of a recrawl has another.
 *
 * The trace id is derived from the URL's fingerprint, which is keyed by the crawl. So no state is needed for a trace;
 * the same crawl always derives the same id, and two crawls derive different ones. The lower 64 bits are the
 * fingerprint itself. It is as random as W3C Trace Context level 2 requires, so a collector that samples by these bits
 * samples evenly.
 *
 *   admit ─┬─ queue ── lease ─┬─ robots, fetch, parse, publish
 *          │                  └─ resolve
 *          └─ queue ── lease …      the next attempt
 *
 * A page's links are admitted in separate traces, which refer to the fetch that found them: otherwise a crawl would be
 * one endless trace.
 */
import { fingerprint } from '../url/fingerprint.ts';
import { childOf, hexOf, nonZero, type TraceContext } from './trace-context.ts';

const words = new Uint32Array(2);

/** The first span: the URL is admitted. */
export function admitSpan(hi: number, lo: number): TraceContext {
  return childOf({ traceId: traceIdOf(hi, lo, 'journey'), spanId: '' }, 'admit');
}

/** The wait of a URL in its host's queue, up to this lease. */
export function queueSpan(hi: number, lo: number, leaseId: number, revisit: boolean): TraceContext {
  if (!revisit) return childOf(admitSpan(hi, lo), `queue ${leaseId}`);
  return childOf({ traceId: traceIdOf(hi, lo, `visit ${leaseId}`), spanId: '' }, 'queue');
}

/** The parent of a span in the queue: the admission; or, for a later visit, its link. */
export function admissionOf({ traceId }: TraceContext): { readonly span: TraceContext; readonly isParent: boolean } {
  const [hi, lo] = [Number.parseInt(traceId.slice(16, 24), 16), Number.parseInt(traceId.slice(24), 16)];
  const span = admitSpan(hi, lo);
  return { span, isParent: span.traceId === traceId };
}

/** A lease of it, with a fetcher. */
export function leaseSpan(queue: TraceContext): TraceContext {
  return childOf(queue, 'lease');
}

function traceIdOf(hi: number, lo: number, what: string): string {
  fingerprint(what, hi, lo, words);
  return nonZero(hexOf(words[0]!, words[1]!) + hexOf(hi, lo));
}
