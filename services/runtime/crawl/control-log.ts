/** What `control` says so far: the manifest of the crawl and its newest policy. Read from partition 0, which has all. */
import type { Control } from '../../../schemas/types.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface ControlSummary {
  /** JSON; null: none yet. The first one counts: others lost the race to make the crawl. */
  readonly manifest: string | null;
  readonly policy: { readonly version: number; readonly json: string } | null;
}

export async function readControl(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  crawl: string,
): Promise<ControlSummary> {
  let manifest: string | null = null;
  let policy: ControlSummary['policy'] = null;
  const topic = `${crawl}.control`;
  const { start, end } = await log.offsets(topic, 0);
  for await (const { value } of recordsOf(log, topic, 0, start, end)) {
    const event = await decoded(codec, value);
    if (event?.kind === 'manifest') manifest ??= event.payload;
    if (event?.kind === 'policy' && event.version > (policy?.version ?? 0)) {
      policy = { version: event.version, json: event.payload };
    }
  }
  return { manifest, policy };
}

/** Undefined for what nobody can read: the frontier dead-letters it. */
async function decoded(codec: RecordCodec, value: Buffer): Promise<Control | undefined> {
  await codec.prepare('control', value);
  try {
    return codec.decode('control', value);
  } catch {
    return undefined;
  }
}

/** An event with all fields but the given ones at their "does not apply". */
export function controlEvent(event: Partial<Control> & Pick<Control, 'kind' | 'atMs' | 'by'>): Control {
  return { partition: -1, hostKey: '', version: 0, amount: 0, wanted: 0, payload: '', id: '', ...event };
}
