/** The dead letters of a crawl: on its topic, and in the stores of consumers in its data folder. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DeadLetter } from '../../schemas/types.ts';
import type { ReadableCrawl } from '../hosting/connect/open-crawl.ts';
import { printNotice } from '../hosting/progress/restore-text.ts';
import { readRecord } from '../runtime/avro/read-record.ts';
import { readGroupDeadLetters } from '../runtime/consumer/group-folder.ts';
import { recordsOf } from '../runtime/log/records-of.ts';

export interface FoundDeadLetter {
  /** `partition/offset` on the topic, `group#number` in a data folder. */
  readonly id: string;
  readonly deadLetter: DeadLetter;
  readonly replayed: boolean;
}

/** Oldest first within each place. Marks of replays are not letters: `replayed` is set by them. */
export async function* deadLettersOf(
  { log, codec, topics }: ReadableCrawl,
  data: string | undefined,
): AsyncGenerator<FoundDeadLetter> {
  const topic = `${topics.crawl}.dead-letters`;
  const found: { readonly id: string; readonly deadLetter: DeadLetter }[] = [];
  const replayed = new Set<string>();
  for (let partition = 0; partition < topics.partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
      const deadLetter = await readRecord(codec, 'dead-letters', value, (why) =>
        printNotice(`${topic}/${partition}, offset ${offset}, was skipped: ${why}`),
      );
      if (deadLetter === undefined) continue;
      if (deadLetter.reason === 'replayed') replayed.add(deadLetter.detail);
      else found.push({ id: `${partition}/${offset}`, deadLetter });
    }
  }
  for (const group of await groupsOf(data)) {
    const deadLetters = await readGroupDeadLetters(join(resolve(data!), 'consumers', group));
    found.push(...deadLetters.map((deadLetter, number) => ({ id: `${group}#${number}`, deadLetter })));
  }
  for (const one of found) yield { ...one, replayed: replayed.has(one.id) };
}

async function groupsOf(data: string | undefined): Promise<string[]> {
  const folder = data === undefined ? undefined : join(resolve(data), 'consumers');
  return folder === undefined || !existsSync(folder) ? [] : (await readdir(folder)).sort();
}
