/**
 * The position of a span in its trace, for records: `traceparent` of W3C Trace Context (Recommendation, 2021), §3.2.
 *
 *   00-<trace id, 32 hex digits>-<span id, 16>-<flags, 2>
 *
 * Only sampled contexts are written: one that is not sampled is left out.
 */
import { fingerprint } from '../url/fingerprint.ts';

export interface TraceContext {
  /** 32 hexadecimal digits, lower case, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero. */
  readonly spanId: string;
}

const sampled = 1;
const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

export function formatTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** null: invalid, or not sampled. §3.2.2.1: later versions may add fields after the flags. */
export function parseTraceparent(text: string): TraceContext | null {
  const [, version, traceId = '', spanId = '', flags = ''] = shape.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && text.length !== 55)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return (Number.parseInt(flags, 16) & sampled) === 0 ? null : { traceId, spanId };
}

const words = new Uint32Array(2);

/**
 * The child of a span, by its name among its siblings. A process that knows the parent can compute the child's id: it
 * reports the spans it saw without asking others for ids.
 */
export function childOf({ traceId, spanId }: TraceContext, name: string): TraceContext {
  const [hi, lo] = [Number.parseInt(traceId.slice(16, 24), 16), Number.parseInt(traceId.slice(24), 16)];
  fingerprint(`${spanId} ${name}`, hi, lo, words);
  return { traceId, spanId: nonZero(hexOf(words[0]!, words[1]!)) };
}

/** Two words as 16 hexadecimal digits. */
export function hexOf(hi: number, lo: number): string {
  return (hi >>> 0).toString(16).padStart(8, '0') + (lo >>> 0).toString(16).padStart(8, '0');
}

/** An id of zeros means that there is none. */
export function nonZero(id: string): string {
  return /[^0]/.test(id) ? id : `${id.slice(1)}1`;
}
