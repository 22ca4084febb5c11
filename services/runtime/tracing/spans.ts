/**
 * The port that finished spans go to: code reports what it has done, and never waits for the receiver.
 *
 * Span ids are not drawn but derived (topology/trace/), so there is nothing to open: a span is sent once, when it is
 * over.
 */
import type { TraceContext } from '../../../topology/trace/trace-context.ts';

export interface Span {
  readonly name: string;
  readonly span: TraceContext;
  /** null: it begins its trace. */
  readonly parent: TraceContext | null;
  /** Links to spans of other traces, or to siblings. */
  readonly links: readonly TraceContext[];
  /** consumer, producer: it reads from a topic, or writes to one. client: it calls another server. */
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
