/**
 * The newest dead letters of a crawl, and their number: the ends of `dead-letters`, read again after they have grown.
 */
import type { DeadLetter } from '../../../schemas/types.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { dashboardLimits } from './limits.ts';
import type { DeadLettersStatus } from './status.ts';

interface Tail {
  readonly end: number;
  readonly letters: readonly { readonly id: string; readonly deadLetter: DeadLetter }[];
}

export class NewestDeadLetters {
  readonly #log: Pick<Log, 'offsets' | 'reader'>;
  readonly #codec: RecordCodec;
  readonly #topic: string;
  readonly #tails: (Tail | undefined)[];

  constructor(log: Pick<Log, 'offsets' | 'reader'>, codec: RecordCodec, crawl: string, partitions: number) {
    this.#log = log;
    this.#codec = codec;
    this.#topic = `${crawl}.dead-letters`;
    this.#tails = Array.from({ length: partitions }, () => undefined);
  }

  async look(): Promise<DeadLettersStatus> {
    const counts = await Promise.all(this.#tails.map((_, partition) => this.#read(partition)));
    const all = this.#tails.flatMap((tail) => tail?.letters ?? []);
    const replayed = replayedIn(all);
    const newest = all
      .filter(({ deadLetter }) => deadLetter.reason !== 'replayed')
      .sort((a, b) => b.deadLetter.atMs - a.deadLetter.atMs)
      .slice(0, dashboardLimits.deadLettersShownMax);
    const reasons = new Map<string, number>();
    for (const { deadLetter } of newest) reasons.set(deadLetter.reason, (reasons.get(deadLetter.reason) ?? 0) + 1);
    return {
      records: counts.reduce((sum, count) => sum + count, 0),
      reasons: [...reasons].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
      newest: newest.map(({ id, deadLetter }) => {
        const { atMs, reason, url, hostKey, attempts, lastOutcome, status, detail } = deadLetter;
        return { id, atMs, reason, url, hostKey, attempts, lastOutcome, status, detail, replayed: replayed.has(id) };
      }),
    };
  }

  /** Those of the letters at the last look with these ids that were not replayed. */
  fresh(ids: readonly string[]): Tail['letters'] {
    const all = this.#tails.flatMap((tail) => tail?.letters ?? []);
    const replayed = replayedIn(all);
    return all.filter(
      ({ id, deadLetter }) => ids.includes(id) && deadLetter.reason !== 'replayed' && !replayed.has(id),
    );
  }

  /** Records that are there. */
  async #read(partition: number): Promise<number> {
    const { start, end } = await this.#log.offsets(this.#topic, partition);
    if (this.#tails[partition]?.end === end) return end - start;
    const from = Math.max(start, end - dashboardLimits.deadLettersPerPartition);
    const deadLetters: Tail['letters'][number][] = [];
    for await (const { offset, value } of recordsOf(this.#log, this.#topic, partition, from, end)) {
      const deadLetter = await readRecord(this.#codec, 'dead-letters', value);
      if (deadLetter !== undefined) deadLetters.push({ id: `${partition}/${offset}`, deadLetter });
    }
    this.#tails[partition] = { end, letters: deadLetters };
    return end - start;
  }
}

/** Ids of letters that were sent again. */
function replayedIn(letters: Tail['letters']): ReadonlySet<string> {
  return new Set(letters.flatMap(({ deadLetter }) => (deadLetter.reason === 'replayed' ? [deadLetter.detail] : [])));
}
