/**
 * Records that must outlive a trim of `control`. In partition 0: schema notes, the crawl's manifest and the newest
 * policies, which every process that opens the crawl reads from the beginning. In each partition: purges, because a
 * consumer that starts over would otherwise take purged pages again, and all payments, because they count against the
 * budget. The purge of a host that was released since is carried as a lifted one: pages from before it stay purged.
 *
 * They are appended again, unchanged but for lifted purges, before the records below are trimmed. A crash in between
 * leaves them twice, which has no effect. The first manifest is the crawl's, and the first policy of a version is in force; one that lost
 * the race must not become the first.
 */
import type { Control } from '../../../schemas/types.ts';
import { isLiftedPurge, isOfWebmaster, liftedPurge } from '../../../topology/frontier/decide/control-payloads.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import { askedBy } from './control-log.ts';

interface Carried {
  readonly event: Control;
  readonly value: Buffer;
  /** Offset of the last record with this content. */
  at: number;
  /** Offset of the last record that lost the race against it; -1: none. */
  otherAt: number;
}

/** Returns the offset below which the partition of `control` may be trimmed now: `before`, or its start. */
export async function carryOver(
  log: Pick<Log, 'append' | 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partition }: { readonly crawl: string; readonly partition: number },
  before: number,
): Promise<number> {
  const topic = `${crawl}.control`;
  const { start, end } = await log.offsets(topic, partition);
  if (before <= start) return start;
  let [manifest, policy, asked, key]: (Carried | undefined)[] = [];
  const purges = new CarriedPurges(codec);
  const notes = new Map<string, Carried>();
  const payments = new Map<string, Carried[]>();
  for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
    const event = await decoded(codec, value);
    if (event === undefined) continue;
    const one: Carried = { event, value, at: offset, otherAt: -1 };
    purges.take(one);
    if (partition !== 0) continue;
    // All of them are kept in their order: the first for an id counts, unless an operator noted another.
    if (event.kind === 'schema') notes.set(value.toString('latin1'), one);
    if (event.kind === 'signingKey') key = one;
    if (event.kind === 'payment') enter(payments, one);
    if (event.kind === 'manifest') manifest = firstOf(manifest, one);
    if (event.kind !== 'policy') continue;
    policy = newer(policy, { ...one });
    if (event.by === askedBy) asked = newer(asked, { ...one });
  }
  if ([manifest, policy, asked].some((one) => one !== undefined && one.otherAt >= before)) return start;
  // The policy comes first: of two with its version, the first is in force.
  const carried = [...notes.values(), manifest, policy, asked, key, ...purges.all()];
  const values = new Set(carried.flatMap((one) => (one !== undefined && one.at < before ? [one.value] : [])));
  // An end without its beginning means nothing.
  for (const one of payments.values())
    if (one.some(({ at }) => at < before)) for (const { value } of one) values.add(value);
  if (values.size > 0) await log.append([...values].map((value) => ({ topic, partition, key: null, value })));
  return before;
}

/** Purges in force, and the newest lifted one of each host. */
class CarriedPurges {
  readonly #codec: RecordCodec;
  /** By host and payload. */
  readonly #purges = new Map<string, Carried>();

  constructor(codec: RecordCodec) {
    this.#codec = codec;
  }

  take(one: Carried): void {
    const { kind, hostKey, payload } = one.event;
    if (kind === 'purge' && isLiftedPurge(payload)) this.#lift(one);
    else if (kind === 'purge') this.#purges.set(`${hostKey} ${payload}`, one);
    else if (kind === 'releaseHost' && !isOfWebmaster(payload)) {
      const purge = this.#purges.get(`${hostKey} `);
      this.#purges.delete(`${hostKey} `);
      // Repeated as it was, it would purge the host again.
      if (purge !== undefined) this.#lift(purge);
    }
  }

  all(): Iterable<Carried> {
    return this.#purges.values();
  }

  #lift(purge: Carried): void {
    const event = { ...purge.event, payload: liftedPurge };
    const key = `${event.hostKey} ${liftedPurge}`;
    const before = this.#purges.get(key);
    if (before !== undefined && before.event.atMs > event.atMs) return;
    this.#purges.set(key, { ...purge, event, value: this.#codec.encode('control', event) });
  }
}

/** Adds an event of a payment, in order; a repeated event replaces its last record. */
function enter(payments: Map<string, Carried[]>, one: Carried): void {
  const known = payments.get(one.event.id) ?? [];
  const again = known.find(({ event }) => event.payload === one.event.payload);
  if (again === undefined) payments.set(one.event.id, [...known, one]);
  else again.at = one.at;
}

function newer(there: Carried | undefined, one: Carried): Carried {
  if (there === undefined || one.event.version > there.event.version) return one;
  return one.event.version === there.event.version ? firstOf(there, one) : there;
}

function firstOf(there: Carried | undefined, one: Carried): Carried {
  if (there === undefined) return one;
  if (one.event.payload === there.event.payload) there.at = one.at;
  else there.otherAt = one.at;
  return there;
}

/** Undefined if the record cannot be read; the frontier has dead-lettered it. */
async function decoded(codec: RecordCodec, value: Buffer): Promise<Control | undefined> {
  await codec.prepare('control', value);
  try {
    return codec.decode('control', value);
  } catch {
    return undefined;
  }
}
