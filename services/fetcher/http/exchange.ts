/**
 * One request and its response on the wire: undici's low-level handler.
 *
 * Invariants: it settles exactly once, within the total timeout, and keeps at most `bodyBytesMax` body bytes. A body
 * beyond its limit is cut and the connection closed, which is a truncation, not a failure. An unwanted body is read
 * while that is cheap; errors in it are not failures either. A cancelled exchange is complete when its connection is
 * closed: until then the host still works for it. A body for a sink is not kept: it is read no faster than the sink
 * takes it, and a destroyed sink gets no more. The archive's copy is kept separately (kept-body.ts), up to another
 * limit.
 */
import { performance } from 'node:perf_hooks';
import type { Writable } from 'node:stream';
import { BodyBuffer } from '../../runtime/body-buffer.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { BodyRoom, Claim } from './body-room.ts';
import type { Watched } from './deadline-watch.ts';
import { type Headers, headerOf, headersFromRaw, headersOf } from './headers.ts';
import { type BodyArchive, BodyKeeper, type KeptBody } from './kept-body.ts';
import { changesBytes } from './lenient-response.ts';
import { failureOf, GaveUp, isOfForm, NotProcessed, type RequestFailure } from './request-failure.ts';
import type { requestLimits } from './request-limits.ts';
import type { SentRequest, Spoken, WireFacts } from './sent-request.ts';
import type { WireResponse } from './wire-response.ts';

export type ExchangeLimits = { readonly [name in keyof typeof requestLimits]: number };

/** A socket, as far as its end goes. */
export interface Closing {
  readonly closed: boolean;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** The connection's facts that an exchange needs. */
export interface ConnectionState {
  /** The newest connection. Null: none yet, or there may be several. */
  socket: Closing | null;
  /** Its peer. Empty: none yet. */
  address: string;
  /** Number of responses received on it; if there may be several connections, on any of them. */
  served: number;
  /** Absent: none yet. */
  spoken?: Spoken;
  /** Time of its setup, ms. Absent: unknown. */
  madeInMs?: number;
  /** Responses are read by the lenient parser, which closes the connection after each. Absent: they are not. */
  readonly lenient?: boolean;
  /**
   * End of the newest response on it, by the monotonic clock. Absent: none, or it is unknown on which of several
   * connections it came.
   */
  idleSinceMs?: number;
}

/** Reasons for which the reading of a body waits. */
type WaitsFor = 'memory' | 'sink' | 'file';
const nothing: ReadonlySet<WaitsFor> = new Set();

type Phase = 'connect' | 'headers' | 'body' | 'drain' | 'done';

export class Exchange implements Watched {
  deadlineMs: number;
  readonly expire: () => void;
  readonly #connection: ConnectionState;
  readonly #limits: ExchangeLimits;
  readonly #clock: Clock;
  readonly #bodyBytesMax: number;
  readonly #wants: (status: number, headers: Headers) => boolean;
  readonly #sink: Writable | undefined;
  readonly #sent: SentRequest | undefined;
  readonly #mayStart: (() => boolean) | undefined;
  readonly #settle: (response: WireResponse, exchange: Exchange) => void;
  readonly #totalDeadlineMs: number;
  readonly #startMs: number;
  #phase: Phase = 'connect';
  #abort: ((error: Error) => void) | undefined;
  #reused = false;
  #sentMs = 0;
  #wasIdle = false;
  #isUnprocessed = false;
  #isMisread = false;
  #status = 0;
  #headers: Headers = [];
  #rawHeaders: readonly Buffer[] = [];
  #statusText = '';
  #connectMs = 0;
  #firstByteMs = 0;
  #address = '';
  #spoken: Spoken | undefined;
  readonly #room: BodyRoom;
  readonly #claim: Claim = { bytes: 0 };
  readonly #body: BodyBuffer;
  #resume: () => void = () => undefined;
  /** Present reasons of a wait: during it, the body's silence is not the server's. */
  #waitsFor: ReadonlySet<WaitsFor> = nothing;
  readonly #archive: BodyArchive | undefined;
  #keeper: BodyKeeper | undefined;
  /** True if the body is read here, beside archiving. */
  #isWanted = false;
  #isCut = false;
  /** Its time ran out before its end. */
  #isLate = false;
  #bytes = 0;
  #pieces = 0;

  constructor(options: {
    readonly connection: ConnectionState;
    readonly limits: ExchangeLimits;
    readonly clock: Clock;
    readonly bodyBytesMax: number;
    /** Memory of all bodies in progress. */
    readonly room: BodyRoom;
    readonly wants: (status: number, headers: Headers) => boolean;
    /** Takes a wanted body instead of the response. Its creator closes it. */
    readonly sink: Writable | undefined;
    readonly sent?: SentRequest;
    readonly archive?: BodyArchive | undefined;
    /** As in HttpRequest. */
    readonly mayStart?: (() => boolean) | undefined;
    readonly settle: (response: WireResponse, exchange: Exchange) => void;
  }) {
    this.#connection = options.connection;
    this.#limits = options.limits;
    this.#clock = options.clock;
    this.#bodyBytesMax = options.bodyBytesMax;
    this.#room = options.room;
    this.#archive = options.archive;
    this.#body = new BodyBuffer(Math.max(options.bodyBytesMax, options.archive?.messageBytesMax ?? 0));
    this.#wants = options.wants;
    this.#sink = options.sink;
    this.#sent = options.sent;
    this.#mayStart = options.mayStart;
    this.#settle = options.settle;
    this.#startMs = options.clock.nowMs();
    const startMs = performance.now();
    this.#totalDeadlineMs = startMs + options.limits.totalTimeoutMs;
    this.deadlineMs = Math.min(this.#totalDeadlineMs, startMs + options.limits.connectTimeoutMs);
    this.expire = () => (this.#isSteady() ? this.#cutAtTime() : this.#giveUp(this.#timeout()));
  }

  /** Ends the exchange from outside, at shutdown. */
  abort(): void {
    this.#giveUp(new GaveUp('aborted', 'shutting down'));
  }

  onConnect(abort: (error?: Error) => void): void {
    // undici drops a request if its handler throws here, and keeps the connection.
    if (this.#mayStart?.() === false) this.#giveUp(new GaveUp('aborted', 'its host may not be contacted any more'));
    // The exchange was settled by that, or while the request was still queued.
    if (this.#phase === 'done') throw new GaveUp('aborted', 'given up before it was sent');
    this.#abort = abort;
    this.#phase = 'headers';
    this.#connectMs = this.#clock.nowMs() - this.#startMs;
    this.#address = this.#connection.address;
    this.#spoken = this.#connection.spoken;
    this.#reused = this.#connection.served > 0;
    this.#sentMs = performance.now();
    if (!this.#reused) this.#connection.madeInMs = this.#connectMs;
    this.#wasIdle = this.#sentMs - (this.#connection.idleSinceMs ?? 0) >= this.#limits.idleRaceMs;
    this.#nextDeadline(this.#limits.headersTimeoutMs);
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void, statusText = ''): boolean {
    if (status < 200) return true;
    this.#status = status;
    this.#headers = headersFromRaw(raw);
    // Headers refer to the buffer of the socket, and so keep it in memory.
    if (this.#archive !== undefined) this.#rawHeaders = raw;
    this.#statusText = statusText;
    this.#firstByteMs = Math.max(this.#clock.nowMs() - this.#startMs, 1);
    this.#connection.served += 1;
    if (this.#hasLongField(raw)) return false;
    if (headerOf(this.#headers, 'transfer-encoding') !== '' && !this.#isEndKnown()) return false;
    this.#isWanted = this.#wants(status, this.#headers);
    if (this.#isWanted || this.#archive?.what === 'all') {
      this.#phase = 'body';
      this.#resume = resume;
      if (this.#archive !== undefined) this.#keeper = this.#keeperFor(this.#archive);
      this.#sink?.on('drain', () => this.#goOn('sink'));
      this.#sink?.once('close', () => {
        if (this.#phase !== 'body') return;
        this.#isCut = true;
        if (this.#keeper === undefined) this.#cutShort(true);
        else this.#goOn('sink');
      });
    } else {
      this.#phase = 'drain';
      if (Number(headerOf(this.#headers, 'content-length')) > this.#limits.drainBytesMax) this.#cutShort(false);
    }
    this.#nextDeadline(this.#limits.bodyIdleTimeoutMs);
    return true;
  }

  /**
   * RFC 9112 §6.1, §7: gives up if the end of the body is unclear, or the body has a transfer coding that we did not
   * request.
   */
  #isEndKnown(): boolean {
    // The lenient reader has looked itself.
    if (this.#connection.lenient === true) return true;
    const all = headersOf(this.#headers, 'transfer-encoding').join(', ').toLowerCase();
    if (all === 'chunked' || all === 'identity') return true;
    this.#isMisread = !all.split(',').some(changesBytes);
    this.#giveUp(new GaveUp('badResponse', `transfer coding ${all.slice(0, 40)} was not asked for`));
    return false;
  }

  #hasLongField(raw: readonly Buffer[]): boolean {
    const long = raw.find(({ length }) => length > this.#limits.headerFieldBytesMax);
    if (long !== undefined) this.#giveUp(new GaveUp('badResponse', `a header field of ${long.length} bytes`));
    return long !== undefined;
  }

  onData(chunk: Buffer): boolean {
    this.#pieces += 1;
    if (this.#phase === 'body') {
      this.#bytes += chunk.length;
      this.#read(chunk);
      if (this.#keeper !== undefined) this.#wait(this.#keeper.add(chunk));
      const most = Math.max(this.#isWanted ? this.#bodyBytesMax : 0, this.#keeper?.bytesMax ?? 0);
      if (this.#bytes > most) this.#cutShort(this.#isCut);
      else if (this.#waitsFor.size > 0) {
        // The wait is ours, not the server's: only the total timeout applies.
        this.deadlineMs = this.#totalDeadlineMs;
        return false;
      }
    } else if (this.#phase === 'drain') {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#limits.drainBytesMax) this.#cutShort(false);
    }
    this.#nextDeadline(this.#limits.bodyIdleTimeoutMs);
    return true;
  }

  /** Stores the part of a counted chunk that is read here. */
  #read(chunk: Buffer): void {
    if (!this.#isWanted) return;
    const room = Math.max(0, this.#bodyBytesMax - (this.#bytes - chunk.length));
    if (chunk.length > room) this.#isCut = true;
    const read = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (read.length === 0) return;
    if (this.#sink === undefined) this.#hold(read, this.#bodyBytesMax);
    else if (!this.#sink.destroyed) this.#wait(this.#sink.write(read) ? 'on' : 'sink');
  }

  #keeperFor(archive: BodyArchive): BodyKeeper {
    const isHeld = this.#isWanted && this.#sink === undefined;
    const { messageBytesMax, files } = archive;
    const unread = files === undefined ? messageBytesMax : Math.min(messageBytesMax, this.#limits.bodyFreeBytes);
    const memoryMax = isHeld ? Math.min(messageBytesMax, this.#bodyBytesMax) : unread;
    const hold = isHeld ? null : (chunk: Buffer) => this.#hold(chunk, memoryMax);
    return new BodyKeeper(archive, this.#body, memoryMax, hold, () => this.#goOn('file'));
  }

  /** Returns false if there is no memory for the rest of the body. */
  #hold(chunk: Buffer, bytesMax: number): boolean {
    this.#body.add(chunk);
    if (this.#body.length <= this.#limits.bodyFreeBytes || this.#claim.bytes > 0) return true;
    if (!this.#room.take(this.#claim, bytesMax, () => this.#goOn('memory'))) this.#wait('memory');
    return !this.#waitsFor.has('memory');
  }

  #wait(what: 'on' | WaitsFor): void {
    if (what !== 'on') this.#waitsFor = new Set([...this.#waitsFor, what]);
  }

  #goOn(what: WaitsFor): void {
    if (this.#waitsFor.has(what)) this.#waitsFor = new Set([...this.#waitsFor].filter((one) => one !== what));
    if (this.#phase !== 'body' || this.#waitsFor.size > 0) return;
    this.#nextDeadline(this.#limits.bodyIdleTimeoutMs);
    this.#resume();
  }

  onComplete(): void {
    this.#finish(null, false);
    if (this.#isTired()) this.#connection.socket?.destroy();
  }

  onError(error: Error): void {
    this.#isUnprocessed = error instanceof NotProcessed;
    // A code of HTTP/2 is an answer.
    if (error instanceof GaveUp && error.code !== undefined) this.#wasIdle = false;
    this.#isMisread = isOfForm(error, this.#headers);
    if (this.#phase === 'drain') this.#finish(null, false);
    else this.#finish(failureOf(error), false);
  }

  /**
   * True if the server may have closed the connection before the request arrived. Only an idle connection qualifies,
   * and its end must come within a round trip, estimated by the time of its setup. Any other end is the server's
   * response to this request.
   */
  #isRace(): boolean {
    if (!this.#reused || !this.#wasIdle) return false;
    const roundTripMs = Math.max(this.#connection.madeInMs ?? 0, this.#limits.idleRaceLateMs);
    return performance.now() - this.#sentMs <= roundTripMs;
  }

  /** RFC 9110 §15.5.9: the server was tired of an idle connection, and the request may go over a new one. */
  #isTired(): boolean {
    return this.#status === 408 && this.#reused;
  }

  #wire(): WireFacts | undefined {
    if (this.#sent === undefined) return undefined;
    return { sent: this.#sent, spoken: this.#spoken, statusText: this.#statusText, rawHeaders: this.#rawHeaders };
  }

  #nextDeadline(phaseMs: number): void {
    this.deadlineMs = Math.min(performance.now() + phaseMs, this.#totalDeadlineMs);
  }

  /** Did a body that is wanted come all the time, only more slowly than its time allowed? */
  #isSteady(): boolean {
    const nowMs = performance.now();
    if (this.#phase !== 'body' || !this.#isWanted || this.#sink !== undefined || this.#waitsFor.size > 0) return false;
    const seconds = (nowMs - this.#sentMs) / 1_000;
    return nowMs >= this.#totalDeadlineMs && this.#bytes >= this.#limits.steadyBytesPerS * seconds;
  }

  /** Bytes until then are a cut page. */
  #cutAtTime(): void {
    this.#isLate = true;
    this.#cutShort(true);
  }

  #timeout(): GaveUp {
    if (this.#waitsFor.has('memory')) return new GaveUp('aborted', 'no memory for its body was free in time');
    if (this.#phase === 'connect') return new GaveUp('connectionFailed', 'no connection in time');
    if (performance.now() >= this.#totalDeadlineMs) return new GaveUp('timeout', 'not complete in time');
    return new GaveUp('timeout', this.#phase === 'headers' ? 'no response headers in time' : 'the body stalled');
  }

  #giveUp(error: GaveUp): void {
    const draining = this.#phase === 'drain';
    this.#breakOff(draining ? null : { kind: error.kind, detail: error.message }, false, error);
  }

  /** Enough was read: the rest is not worth reading, so the connection is closed. */
  #cutShort(truncated: boolean): void {
    this.#breakOff(null, truncated, new GaveUp('aborted', 'the rest of the body is not read'));
  }

  #breakOff(failure: RequestFailure | null, truncated: boolean, error: GaveUp): void {
    if (this.#phase === 'done') return;
    const { socket } = this.#connection;
    const settle = this.#finished(failure, truncated);
    if (this.#abort === undefined || socket === null) {
      this.#abort?.(error);
      settle();
      return;
    }
    this.#abort(error);
    // Either the exchange is over already, or it ends without its connection: HTTP/2 ends only the stream.
    if (socket.closed || !socket.destroyed) settle();
    else socket.once('close', settle);
  }

  /** Releases the memory of its body. Call it once the settled response is being read. */
  free(): void {
    this.#room.release(this.#claim);
  }

  #finish(failure: RequestFailure | null, truncated: boolean): void {
    if (this.#phase !== 'done') this.#finished(failure, truncated)();
  }

  /** Ends the exchange. The function returned reports the result; it is to be called at completion, once or more often. */
  #finished(failure: RequestFailure | null, truncated: boolean): () => void {
    const hadHeaders = this.#status !== 0;
    const staleConnection =
      failure?.kind === 'connectionFailed' &&
      this.#phase === 'headers' &&
      (this.#isUnprocessed || this.#isRace()) &&
      !hadHeaders;
    const unreached = failure !== null && this.#phase === 'connect';
    const misread = failure !== null && this.#isMisread;
    const keepsBody = this.#phase === 'body' && this.#isWanted && this.#sink === undefined;
    this.#phase = 'done';
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      const endMs = this.#clock.nowMs();
      const finish = (kept: KeptBody | undefined) =>
        this.#settle(
          {
            status: this.#status,
            headers: this.#headers,
            body: keepsBody ? this.#body.whole() : Buffer.alloc(0),
            truncated: truncated || this.#isCut,
            broken: this.#isLate,
            pieces: this.#pieces,
            address: this.#address,
            startMs: this.#startMs,
            endMs,
            kept,
            connectMs: this.#connectMs,
            firstByteMs: this.#firstByteMs,
            failure,
            staleConnection: staleConnection || this.#isTired(),
            unreached,
            ...(misread && { misread }),
            wire: unreached ? undefined : this.#wire(),
          },
          this,
        );
      const kept = this.#keeper?.finish(this.#isLate ? { kind: 'timeout', detail: '' } : failure);
      if (kept instanceof Promise) void kept.then(finish);
      else finish(kept);
    };
  }
}
