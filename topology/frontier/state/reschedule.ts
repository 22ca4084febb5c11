/** URLs of a served crawl with a date for their next lease: the date is in memory, the rest in a row by fingerprint. */
import type { Entry } from '../changes/entry.ts';
import { type KnownUrl, knownKey, seqBytes } from '../pull/known-rows.ts';
import { payloadOf } from '../pull/payload.ts';
import type { Again } from '../queues/again-list.ts';
import type { FrontierState, Host } from './state.ts';

export function reschedule(state: FrontierState, host: Host, dueAtMs: number, entry: Entry): void {
  const [hi, lo] = state.identityOf(host.key, entry.url);
  const seq = state.queues.nextSeq(host.id);
  const one = { dueAtMs, seq, hi: hi!, lo: lo!, frontQueue: entry.frontQueue };
  state.queues.listOf(host.id).put({ ...one, said: noteRescheduled(state, host, dueAtMs, entry, seq) });
}

/** Takes over a URL that an earlier release kept in memory, with its number; `offset`: offset of its queue's row. */
export function loadRescheduled(
  state: FrontierState,
  host: number,
  hostKey: string,
  { dueAtMs, seq, entry }: Again,
  offset: number,
): void {
  const [hi, lo] = state.identityOf(hostKey, entry.url, offset);
  const name = { hi: hi!, lo: lo! };
  const key = knownKey(host, state.pull.generation(host, offset), name.hi, name.lo);
  const said = hashOf(state.pull.known.set(key, rowOf(dueAtMs, entry, seq)));
  state.queues.listOf(host).put({ dueAtMs, seq, ...name, frontQueue: entry.frontQueue, said });
}

/**
 * Writes the row, even if the host's own row is ahead, because rows of URLs may lag behind it. Returns a 32-bit hash
 * of the row.
 */
export function noteRescheduled(state: FrontierState, host: Host, dueAtMs: number, entry: Entry, seq = 0): number {
  const [hi, lo] = state.identityOf(host.key, entry.url);
  const key = knownKeyOf(state, host.id, { hi: hi!, lo: lo! });
  return hashOf(state.pull.known.set(key, rowOf(dueAtMs, entry, seq)));
}

function rowOf(dueAtMs: number, entry: Entry, seq: number): KnownUrl {
  const { url, depth, hop, attempts, expiries, frontQueue, payload = payloadOf(0, nothing) } = entry;
  return { what: 'waits', url, payload, waits: { depth, hop, attempts, expiries, frontQueue, dueAtMs, seq } };
}

export function knownKeyOf(
  { pull, changelog }: FrontierState,
  host: number,
  { hi, lo }: { readonly hi: number; readonly lo: number },
): Buffer {
  return knownKey(host, pull.generation(host, changelog.offset), hi, lo);
}

const nothing = new Uint8Array(0);

/** FNV-1a over all but the number. */
function hashOf(row: Buffer): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < row.length - seqBytes; at++) hash = Math.imul(hash ^ row[at]!, 0x01000193);
  return hash >>> 0;
}
