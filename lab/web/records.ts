/**
 * Every request a web was asked, in order of arrival, compactly: 47 bytes and a path each, in arrays that grow.
 *
 * Times are milliseconds since the Unix epoch with a fraction, from the monotonic clock.
 *   startMs: when the server had read the request's headers: the client sent them earlier, never later.
 *   endMs:   just before the last bytes were handed to the kernel, so never later than the client could have them;
 *            where they had to wait for the client (large bodies, slow clients), when the kernel had taken them;
 *            where the client closed first, when the server saw it. Infinity: still being answered.
 * So a gap measured from endMs to the next startMs is never shorter than what the client kept, but for aborted requests,
 * where it may be so by the server's own lag.
 */

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

export interface RequestRecord {
  /** Number of the host in the plan. −1: not a host of this web; `path` then begins with `//` and the Host header. */
  readonly host: number;
  /** The request target, as sent. */
  readonly path: string;
  /** User-Agent, as sent. */
  readonly agent: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 0: no status was sent. */
  readonly status: number;
  /** Body bytes written, as sent on the wire. */
  readonly bytes: number;
  /** The connection closed before the response was complete. */
  readonly aborted: boolean;
}

export interface RequestLog {
  /** Takes room; returns the number that `finish` needs. −1: the log is full, and `dropped` has grown. */
  start(host: number, path: string, agent: string, startMs: number): number;
  finish(slot: number, endMs: number, status: number, bytes: number, aborted: boolean): void;
  readonly size: number;
  /** Requests beyond the bound, not recorded: a report over an incomplete log proves nothing. */
  readonly dropped: number;
  records(): IterableIterator<RequestRecord>;
  /** Forgets all records, also those of requests in flight. The file keeps all. */
  clear(): void;
  close(): Promise<void>;
}

export function createRequestLog(recordsMax: number, file?: string): RequestLog {
  const out: WriteStream | undefined = file === undefined ? undefined : createWriteStream(file, { flags: 'a' });
  // A log file that cannot be written must not end the server; the lines are then missing.
  out?.on('error', () => {});
  let room = 4096;
  let columns = createColumns(room);
  let paths: string[] = [];
  /** User-Agents are few, so each has a number. */
  const agents: string[] = [];
  const agentNumbers = new Map<string, number>();
  let size = 0;
  let dropped = 0;
  /** Lower slots belong to cleared records; slot numbers continue. */
  let base = 0;

  const read = (i: number): RequestRecord => ({
    host: columns.host[i]!,
    path: paths[i]!,
    agent: agents[columns.agent[i]!]!,
    startMs: columns.startMs[i]!,
    endMs: columns.endMs[i]!,
    status: columns.status[i]!,
    bytes: columns.bytes[i]!,
    aborted: columns.aborted[i] === 1,
  });

  /** Beyond the limit, all others share one number. */
  const numberOf = (agent: string): number => {
    let number = agentNumbers.get(agent);
    if (number === undefined && agents.length < agentsMax) {
      number = agents.push(agent) - 1;
      agentNumbers.set(agent, number);
    }
    return number ?? agentsMax - 1;
  };

  return {
    get size() {
      return size;
    },
    get dropped() {
      return dropped;
    },
    start(host, path, agent, startMs) {
      if (size === recordsMax) {
        dropped++;
        return -1;
      }
      if (size === room) columns = grow(columns, (room *= 2));
      columns.host[size] = host;
      columns.agent[size] = numberOf(agent);
      columns.startMs[size] = startMs;
      columns.endMs[size] = Number.POSITIVE_INFINITY;
      paths.push(path);
      return base + size++;
    },
    finish(slot, endMs, status, bytes, aborted) {
      const i = slot - base;
      if (slot < 0 || i < 0) return;
      columns.endMs[i] = endMs;
      columns.status[i] = status;
      columns.bytes[i] = bytes;
      columns.aborted[i] = aborted ? 1 : 0;
      out?.write(`${JSON.stringify(read(i))}\n`);
    },
    *records() {
      for (let i = 0; i < size; i++) yield read(i);
    },
    clear() {
      base += size;
      size = 0;
      dropped = 0;
      paths = [];
      columns = createColumns((room = 4096));
    },
    async close() {
      if (out === undefined || out.destroyed) return;
      out.end();
      await once(out, 'close').catch(() => {});
    },
  };
}

const agentsMax = 1 << 16;

interface Columns {
  readonly host: Int32Array;
  readonly agent: Uint16Array;
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  readonly status: Uint16Array;
  readonly bytes: Float64Array;
  readonly aborted: Uint8Array;
}

function createColumns(room: number): Columns {
  return {
    host: new Int32Array(room),
    agent: new Uint16Array(room),
    startMs: new Float64Array(room),
    endMs: new Float64Array(room),
    status: new Uint16Array(room),
    bytes: new Float64Array(room),
    aborted: new Uint8Array(room),
  };
}

function grow(old: Columns, room: number): Columns {
  const columns = createColumns(room);
  columns.host.set(old.host);
  columns.agent.set(old.agent);
  columns.startMs.set(old.startMs);
  columns.endMs.set(old.endMs);
  columns.status.set(old.status);
  columns.bytes.set(old.bytes);
  columns.aborted.set(old.aborted);
  return columns;
}
