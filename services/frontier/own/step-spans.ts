/**
 * Spans of a partition's steps: URLs admitted, waiting, and resolved. They are sent once the commit that did it is
 * durable.
 *
 * How long a URL has been in the queue is remembered here, for a bounded number of traced URLs, since the frontier's
 * state knows nothing of traces. After a restart, the wait of a URL admitted before it is not known; its span says so.
 */
import type { Task } from '../../../schemas/types.ts';
import type { TraceEvent } from '../../../topology/frontier/decide/trace-events.ts';
import { admissionOf } from '../../../topology/trace/journey.ts';
import { traceLimits } from '../../../topology/trace/limits.ts';
import { parseTraceparent } from '../../../topology/trace/trace-context.ts';
import type { SpanSink } from '../../runtime/tracing/spans.ts';

export class StepSpans {
  readonly #sink: SpanSink;
  readonly #fixed: Readonly<Record<string, string | number>>;
  /** Since when a URL waits, by its trace; the oldest entry is dropped first. */
  readonly #since = new Map<string, number>();

  constructor(sink: SpanSink, { crawl, partition }: { readonly crawl: string; readonly partition: number }) {
    this.#sink = sink;
    this.#fixed = { 'crawlstream.crawl': crawl, 'crawlstream.partition': partition };
  }

  /** `ackedAtMs`: when the step's commit became durable. */
  committed(events: readonly TraceEvent[], ackedAtMs: number): void {
    for (const event of events) {
      const { kind, atMs, span, url, hostKey } = event;
      const about = { ...this.#fixed, 'url.full': url, 'crawlstream.host': hostKey };
      if (kind === 'admitted') {
        const { parent, foundBy, foundAtMs, depth, frontQueue } = event;
        const isKnown = foundAtMs > 0 && foundAtMs <= atMs;
        this.#sink({
          ...{ name: 'admit', span, parent, kind: 'consumer', error: '' },
          links: foundBy === null ? [] : [foundBy],
          startMs: isKnown ? foundAtMs : atMs,
          endMs: ackedAtMs,
          attributes: {
            ...about,
            'messaging.destination.name': 'discovered',
            'crawlstream.depth': depth,
            'crawlstream.front_queue': frontQueue,
          },
        });
        this.#wait(span.traceId, atMs);
        continue;
      }
      const { parent, outcome, to, attempts } = event;
      this.#sink({
        ...{ name: outcome === 'leaseExpired' ? 'expire' : 'resolve', span, parent, kind: 'consumer', links: [] },
        startMs: atMs,
        endMs: ackedAtMs,
        attributes: {
          ...about,
          'messaging.destination.name': 'results',
          'crawlstream.outcome': outcome,
          'crawlstream.goes': to,
          'crawlstream.attempts': attempts,
        },
        error: to === 'dead' ? `retries ended: ${outcome}` : '',
      });
      if (to === 'again') this.#wait(span.traceId, atMs);
    }
  }

  granted(task: Task): void {
    for (const { url, traceparent, depth, attempt } of task.urls) {
      const span = traceparent === '' ? null : parseTraceparent(traceparent);
      if (span === null) continue;
      const admission = admissionOf(span);
      const sinceMs = this.#since.get(span.traceId);
      this.#since.delete(span.traceId);
      this.#sink({
        ...{ name: 'queue', span, kind: 'internal', error: '' },
        parent: admission.isParent ? admission.span : null,
        links: admission.isParent ? [] : [admission.span],
        startMs: sinceMs ?? task.grantedAtMs,
        endMs: task.grantedAtMs,
        attributes: {
          ...this.#fixed,
          'url.full': url,
          'crawlstream.host': task.hostKey,
          'crawlstream.lease': task.leaseId,
          'crawlstream.depth': depth,
          'crawlstream.attempt': attempt,
          'crawlstream.wait_known': sinceMs !== undefined,
        },
      });
    }
  }

  #wait(traceId: string, sinceMs: number): void {
    this.#since.set(traceId, sinceMs);
    if (this.#since.size > traceLimits.waitsKept) this.#since.delete(this.#since.keys().next().value!);
  }
}
