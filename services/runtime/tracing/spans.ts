/**
 * The port for finished spans: code reports its work, and never waits for the receiver.
 *
 * Span ids are derived, not drawn (topology/trace/), so spans need no start: a span is sent once, at its end.
 */
import type { TraceContext } from '../../../topology/trace/trace-context.ts';

export interface Span {
  readonly name: string;
  readonly span: TraceContext;
  /** null: the span begins its trace. */
  readonly parent: TraceContext | null;
  /** Links to spans of other traces, or to siblings. */
  readonly links: readonly TraceContext[];
  /** consumer, producer: it reads from a topic, or writes to one. client: it calls another server. */
  readonly kind: 'internal' | 'client' | 'consumer' | 'producer';
  /** ms since the Unix epoch; an end before its start counts as the start. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Reason of the failure. Empty: the work succeeded. */
  readonly error: string;
}

/** Must not throw, and must not block its caller. */
export type SpanSink = (span: Span) => void;
