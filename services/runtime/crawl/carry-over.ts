/**
 * Records that must outlive a trim of `control`. In partition 0: schema notes, the crawl's manifest and the newest
 * policies, which every process that opens the crawl reads from the beginning. In each partition: current purges,
 * because a consumer that starts over would otherwise take purged pages again, and all payments, because they count
 * against the budget.
 *
 * They are appended again, unchanged, before the records below are trimmed. A crash in between leaves them twice,
 * which has no effect. The first manifest is the crawl's; one that lost the race must not become the first.
 */
import type { Control } from '../../../schemas/types.ts';
import { isOfWebmaster } from '../../../topology/frontier/decide/control-payloads.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import { askedBy } from './control-log.ts';

interface Carried {
  readonly event: Control;
  readonly value: Buffer;
  /** Offset of the last record with this content. */
  at: number;
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
  let otherManifestAt = -1;
  const purges = new Map<string, Carried>();
  const notes = new Map<string, Carried>();
  const payments = new Map<string, Carried[]>();
  for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
    const event = await decoded(codec, value);
    if (event?.kind === 'purge') purges.set(`${event.hostKey} ${event.payload}`, { event, value, at: offset });
    // The purge was lifted: repeating it would purge the host again.
    if (event?.kind === 'releaseHost' && !isOfWebmaster(event.payload)) purges.delete(`${event.hostKey} `);
    if (partition !== 0) continue;
    // All of them are kept in their order: the first for an id counts, unless an operator noted another.
    if (event?.kind === 'schema') notes.set(value.toString('latin1'), { event, value, at: offset });
    if (event?.kind === 'signingKey') key = { event, value, at: offset };
    if (event?.kind === 'payment') enter(payments, { event, value, at: offset });
    if (event?.kind === 'manifest') {
      manifest ??= { event, value, at: offset };
      if (event.payload === manifest.event.payload) manifest.at = offset;
      else otherManifestAt = offset;
    }
    if (event?.kind !== 'policy') continue;
    policy = newer(policy, { event, value, at: offset });
    if (event.by === askedBy) asked = newer(asked, { event, value, at: offset });
  }
  if (otherManifestAt >= before) return start;
  const leaving = [...new Set([...notes.values(), manifest, asked, policy, key, ...purges.values()])].flatMap((one) =>
    one !== undefined && one.at < before ? [{ topic, partition, key: null, value: one.value }] : [],
  );
  // An end without its beginning means nothing.
  for (const one of payments.values())
    if (one.some(({ at }) => at < before))
      for (const { value } of one) leaving.push({ topic, partition, key: null, value });
  if (leaving.length > 0) await log.append(leaving);
  return before;
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
  if (one.event.version === there.event.version) there.at = one.at;
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
