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
  /**
   * The body was cut at its time limit, or its content coding ends early or is damaged: the rest is unknown. Absent: it
   * is not.
   */
  readonly broken?: boolean | undefined;
  /** Number of chunks of the body. Absent: not counted. */
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
   * The request got no answer, and may get one on a new connection. Either a kept-alive connection was closed as we
   * wrote, or it answered 408 because it had been idle, or the server declared the request unprocessed.
   */
  readonly staleConnection: boolean;
  /**
   * The strict parser rejects the form of the response, and the lenient parser would read a repeated one. Absent: no. A
   * sink may have got the bytes before the deviation (`pieces`), which cannot be taken back: the next request needs
   * another sink.
   */
  readonly misread?: true;
  /** No connection was made, so nothing was sent: another address of the name may work. */
  readonly unreached: boolean;
  /** The body for archives. Absent: it is not archived. */
  readonly kept?: KeptBody | undefined;
  /** Facts of the exchange on the wire. Absent: nothing was sent, or they are unknown. */
  readonly wire?: WireFacts | undefined;
}
