/** Records as one flat list: half the bytes and time of a list of objects, with names written each time. */
import type { AppendRecord, LogRecord } from '../log.ts';

const appendFields = 5;
const logFields = 7;

export function flatAppends(records: readonly AppendRecord[]): unknown[] {
  const flat: unknown[] = [];
  for (const { topic, partition, key, value, headers } of records) flat.push(topic, partition, key, value, headers);
  return flat;
}

export function appendsOf(flat: readonly unknown[]): AppendRecord[] {
  const records: AppendRecord[] = [];
  for (let at = 0; at < flat.length; at += appendFields) {
    const [topic, partition, key, value, headers] = flat.slice(at, at + appendFields) as [
      string,
      number,
      Buffer | null,
      Buffer,
      AppendRecord['headers'],
    ];
    records.push({ topic, partition, key, value, ...(headers !== undefined && { headers }) });
  }
  return records;
}

export function flatRecords(records: readonly LogRecord[]): unknown[] {
  const flat: unknown[] = [];
  for (const { topic, partition, offset, timestampMs, key, value, headers } of records)
    flat.push(topic, partition, offset, timestampMs, key, value, headers);
  return flat;
}

export function recordsOf(flat: readonly unknown[]): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = 0; at < flat.length; at += logFields) {
    const [topic, partition, offset, timestampMs, key, value, headers] = flat.slice(at, at + logFields) as [
      string,
      number,
      number,
      number,
      Buffer | null,
      Buffer,
      LogRecord['headers'],
    ];
    records.push({ topic, partition, offset, timestampMs, key, value, headers });
  }
  return records;
}
