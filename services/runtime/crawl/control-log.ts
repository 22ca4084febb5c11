/**
 * The current content of `control`: the manifest of the crawl and its newest policy. It is read from partition 0,
 * which has all of them.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface ControlSummary {
  /** JSON; null: none yet. The first one counts: others lost the race to create the crawl. */
  readonly manifest: string | null;
  readonly policy: PolicyText | null;
  /** The newest policy from the options of `crawl` or `inject`; null: none yet. */
  readonly asked: PolicyText | null;
}

export interface PolicyText {
  readonly version: number;
  readonly json: string;
}

type ReadableLog = Pick<Log, 'offsets' | 'reader'>;

export async function readControl(log: ReadableLog, codec: RecordCodec, crawl: string): Promise<ControlSummary> {
  return followControl(log, codec, crawl)();
}

/** Returns a function that reads `control` up to the present end; records are read only once. */
export function followControl(log: ReadableLog, codec: RecordCodec, crawl: string): () => Promise<ControlSummary> {
  let summary: ControlSummary = { manifest: null, policy: null, asked: null };
  let next = 0;
  return async () => {
    const { start, end } = await log.offsets(`${crawl}.control`, 0);
    for await (const { event } of controlEvents(log, codec, crawl, 0, Math.max(start, next), end)) {
      if (event.kind === 'manifest') summary = { ...summary, manifest: summary.manifest ?? event.payload };
      if (event.kind !== 'policy') continue;
      // The newest policy by version, not by place, since a trim carries policies over to the end (carry-over.ts).
      const policy = { version: event.version, json: event.payload };
      if (policy.version > (summary.policy?.version ?? 0)) summary = { ...summary, policy };
      const isAsked = event.by === askedBy && policy.version > (summary.asked?.version ?? 0);
      if (isAsked) summary = { ...summary, asked: policy };
    }
    next = end;
    return summary;
  };
}

/** The `by` of policies that `crawl` and `inject` create from their options. */
export const askedBy = 'crawlstream';

export interface PlacedEvent {
  readonly offset: number;
  readonly event: Control;
}

/** Events of one partition from `from` to before `end`, without unreadable ones. */
export async function* controlEvents(
  log: ReadableLog,
  codec: RecordCodec,
  crawl: string,
  partition: number,
  from: number,
  end: number,
): AsyncGenerator<PlacedEvent> {
  if (from >= end) return;
  for await (const { offset, value } of recordsOf(log, `${crawl}.control`, partition, from, end)) {
    const event = await decoded(codec, value);
    if (event !== undefined) yield { offset, event };
  }
}

/** Undefined if the record cannot be read; the frontier dead-letters it. */
async function decoded(codec: RecordCodec, value: Buffer): Promise<Control | undefined> {
  await codec.prepare('control', value);
  try {
    return codec.decode('control', value);
  } catch {
    return undefined;
  }
}

/** An event with the given fields; all others have the value for "does not apply". */
export function controlEvent(event: Partial<Control> & Pick<Control, 'kind' | 'atMs' | 'by'>): Control {
  return { ...blankControl, ...event };
}
