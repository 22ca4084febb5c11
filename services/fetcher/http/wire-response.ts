/** Outcome of a request, as it was on the wire. */
import type { Headers } from './headers.ts';
import type { KeptBody } from './kept-body.ts';
import type { RequestFailure } from './request-failure.ts';
import type { WireFacts } from './sent-request.ts';

export interface WireResponse {
  /** 0: no response. */
  readonly status: number;
  readonly headers: Headers;
  /** As received, still in its content coding. */
  readonly body: Buffer;
  /** Cut at the limit. */
  readonly truncated: boolean;
  /** Cut at its time, or its content coding ends early or is damaged: the beginning of something unknown. Absent: it is not. */
  readonly broken?: boolean | undefined;
  /** Pieces in which the body came. Absent: not counted. */
  readonly pieces?: number;
  /** Empty: no connection. */
  readonly address: string;
  /** Start and completion, ms since the Unix epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** Start to the request being sent, ms: name lookup, TCP and TLS. About 0 on a connection that was kept alive. */
  readonly connectMs: number;
  /** Start to headers, ms; 0: none came. */
  readonly firstByteMs: number;
  readonly failure: RequestFailure | null;
  /**
   * A kept-alive connection was closed as we wrote, or answered 408 as it had been idle, or the server says that it did not process
   * the request: it never answered the request itself, and may do so on a new connection.
   */
  readonly staleConnection: boolean;
  /**
   * The strict parser refuses the form of the answer: asked again, the lenient reader reads it. Absent: it does not. A sink may have
   * got the bytes before the odd place (`pieces`), and they cannot be taken back: the next request needs another sink.
   */
  readonly misread?: true;
  /** No connection came about, so nothing was sent: another of its name's addresses may be better. */
  readonly unreached: boolean;
  /** The body for archives. Absent: they are not to have it. */
  readonly kept?: KeptBody | undefined;
  /** What was said on the wire. Absent: nothing was sent, or it is not known. */
  readonly wire?: WireFacts | undefined;
}
