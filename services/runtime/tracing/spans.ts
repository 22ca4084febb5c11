/**
 * Where finished spans go. A port: whoever works tells what it has done, and never waits for whoever hears of it.
 *
 * Span ids are not drawn but derived (topology/trace/), so there is nothing to open: a span is told of once, when it is over.
 */
import type { TraceContext } from '../../../topology/trace/trace-context.ts';

export interface Span {
  readonly name: string;
  readonly span: TraceContext;
  /** null: it begins its trace. */
  readonly parent: TraceContext | null;
  /** Of other traces, or siblings. */
  readonly links: readonly TraceContext[];
  /** consumer, producer: it takes from a topic, or gives to one. client: it asks another server. */
  readonly kind: 'internal' | 'client' | 'consumer' | 'producer';
  /** ms since the Unix epoch; an end before its start counts as the start. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why what was done failed. Empty: it did not. */
  readonly error: string;
}

/** Must not throw, and must not keep its caller. */
export type SpanSink = (span: Span) => void;
