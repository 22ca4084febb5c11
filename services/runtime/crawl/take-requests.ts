/** Takes the requests that commands left in a data folder's inbox, and appends them to the log of this process. */
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CommandInbox, Taking } from './command-inbox.ts';
import type { RequestRecord } from './requests.ts';
import { encodeRequest } from './requests.ts';

export interface RequestReader {
  readonly inbox: CommandInbox;
  readonly log: Pick<Log, 'append' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly clock: Clock;
  /** Time between looks, ms. Absent: one that a person does not notice. */
  readonly everyMs?: number | undefined;
}

/** A look at an empty folder costs 20 µs; a person does not notice the wait. */
const lookEveryMs = 200;

/** Runs until `signal`; the last look comes after it, so that requests left in time are taken. */
export async function takeRegularly(reader: RequestReader, signal: AbortSignal): Promise<void> {
  for (;;) {
    const isLast = signal.aborted;
    await (isLast ? takeRequests(reader) : takeNewRequests(reader));
    if (isLast) return;
    await reader.clock.sleepUntil(reader.clock.nowMs() + (reader.everyMs ?? lookEveryMs), signal);
  }
}

export function takeRequests(reader: RequestReader): Promise<void> {
  return reader.inbox.take(takingOf(reader), reader.clock.nowMs());
}

/** The same, unless the inbox has not changed: for frequent looks. */
export function takeNewRequests(reader: RequestReader): Promise<void> {
  return reader.inbox.takeIfChanged(takingOf(reader), reader.clock.nowMs());
}

function takingOf({ log, codec, crawl }: RequestReader): Taking {
  return {
    encode: (records) => encodeRequest(codec, crawl, records),
    append: (records) => log.append(records),
    known: (records) => knownOffsets(log, codec, crawl, records),
  };
}

/**
 * Offsets of an operator's event that is in the log already, by its id. Other records have none: repeating a policy or a
 * seed is harmless.
 */
async function knownOffsets(
  log: RequestReader['log'],
  codec: RecordCodec,
  crawl: string,
  records: readonly RequestRecord[],
): Promise<number[] | undefined> {
  const found: number[] = [];
  for (const { topic, partition, record } of records) {
    const id = topic === 'control' ? record.id : '';
    const at = id === '' ? undefined : await offsetOf(log, codec, `${crawl}.control`, partition, id);
    if (at === undefined) return undefined;
    found.push(at);
  }
  return found;
}

async function offsetOf(
  log: RequestReader['log'],
  codec: RecordCodec,
  topic: string,
  partition: number,
  id: string,
): Promise<number | undefined> {
  const { start, end } = await log.offsets(topic, partition);
  for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
    await codec.prepare('control', value);
    try {
      if (codec.decode('control', value).id === id) return offset;
    } catch {
      // The record cannot be read: the frontier dead-letters it.
    }
  }
  return undefined;
}
