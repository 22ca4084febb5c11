/** The requests of a run under their checks, with the times and bytes of their answers. */
import type { Socket } from 'node:net';
import { type Check, type Pace, queryMethod, type Reply, type SuiteRequest } from './check/check.ts';
import type { Target } from './names/hosts.ts';
import { filled, type NamedHosts, pageOf } from './pages.ts';
import type { OpenLine } from './secure/serve-tls.ts';

/** Requests recorded of one check at most: above what any check counts. */
const recordsMax = 2_000;

type Writable = { -readonly [K in keyof SuiteRequest]: SuiteRequest[K] };

/** A request of either protocol. */
export interface Arrival extends Target {
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly header: (name: string) => string;
  readonly socket: Socket;
  /** Absent: it came without TLS. */
  readonly line: OpenLine | undefined;
  /** Emits `finish` or `close` when the answer is over. */
  readonly answer: { once(event: 'finish' | 'close', listener: () => void): unknown };
}

/** The requests of a run, and the answers that they get. */
export class Visits {
  readonly #records: ReadonlyMap<string, Writable[]>;
  readonly #pace: Pace;
  readonly #counts = new Map<string, number>();
  readonly #connections = new WeakMap<Socket, number>();
  /** Requests that are being answered, each with a function that counts its bytes so far. */
  readonly #answering = new Set<() => void>();
  readonly #beganMs = performance.now();
  #connected = 0;

  constructor(checks: readonly Check[], pace: Pace) {
    this.#records = new Map(checks.map(({ id }) => [id, []]));
    this.#pace = pace;
  }

  get open(): number {
    return this.#answering.size;
  }

  visited(): ReadonlyMap<string, readonly SuiteRequest[]> {
    for (const count of this.#answering) count();
    return this.#records;
  }

  connected(socket: Socket): void {
    if (!this.#connections.has(socket)) this.#connections.set(socket, ++this.#connected);
  }

  begin(
    check: Check,
    key: string,
    arrival: Arrival,
    hosts: NamedHosts,
    answer: (reply: Reply, done: () => void) => void,
  ): void {
    const { method, headers, header, path, socket, line } = arrival;
    const record: Writable = {
      ...{ key, method, headers, startMs: this.#nowMs(), endMs: Number.POSITIVE_INFINITY },
      ...{ status: 0, bytes: 0, connection: this.#connections.get(socket) ?? 0 },
      ...(line === undefined ? {} : { tls: line }),
    };
    this.#record(check, record);
    const nth = this.#nth(check, key);
    const page = pageOf(check, key);
    const ask = { nth, path, header, isHttp2: line?.isHttp2 === true, pace: this.#pace };
    const reply = filled(typeof page === 'function' ? page(ask) : page, check, hosts);
    const done = this.#track(socket, arrival.answer, record);
    const send = () => {
      record.status = reply.status ?? 200;
      if (reply.waitMs === undefined && reply.pieces === undefined && reply.flood === undefined)
        record.endMs = this.#nowMs();
      answer(reply, done);
    };
    if (reply.waitMs === undefined) send();
    else setTimeout(send, reply.waitMs).unref();
  }

  /** Records a query for the address of a host. Returns its number. */
  query(check: Check, key: string): number {
    const nth = this.#nth(check, key);
    const nowMs = this.#nowMs();
    const record: Writable = {
      ...{ key, method: queryMethod, headers: [], startMs: nowMs, endMs: nowMs },
      ...{ status: 0, bytes: 0, connection: 0 },
    };
    this.#record(check, record);
    return nth;
  }

  #record(check: Check, record: Writable): void {
    const list = this.#records.get(check.id)!;
    if (list.length < recordsMax) list.push(record);
  }

  /** Counts it. */
  #nth(check: Check, key: string): number {
    const nth = (this.#counts.get(`${check.id} ${key}`) ?? 0) + 1;
    this.#counts.set(`${check.id} ${key}`, nth);
    return nth;
  }

  #nowMs(): number {
    return performance.now() - this.#beganMs;
  }

  /** Counts bytes, and notes the end when the last byte was written or the client left. */
  #track(socket: Socket, answer: Arrival['answer'], record: Writable): () => void {
    const before = socket.bytesWritten;
    let over = false;
    const count = () => {
      record.bytes = socket.bytesWritten - before;
    };
    this.#answering.add(count);
    const finish = () => {
      if (over) return;
      over = true;
      this.#answering.delete(count);
      count();
      if (record.endMs === Number.POSITIVE_INFINITY) record.endMs = this.#nowMs();
    };
    answer.once('finish', finish);
    answer.once('close', finish);
    return finish;
  }
}
