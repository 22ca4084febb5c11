/**
 * The URLs of a crawl that gave no page, each with its newest answer and why: from `results`, as far back as it reaches.
 * One that was fetched later is not among them.
 */
import { once } from 'node:events';
import type { Outcome, Result } from '../../../schemas/types.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { inert } from '../terminal/inert.ts';
import { printNotice } from '../terminal/restore-text.ts';
import { causeOf } from './outcome-cause.ts';

const fine: ReadonlySet<string> = new Set(['fetched', 'notModified', 'redirect']);

export async function printFailures({ log, codec, topics }: ReadableCrawl, asJson: boolean): Promise<void> {
  const topic = `${topics.crawl}.results`;
  let count = 0;
  for (let partition = 0; partition < topics.partitions; partition++) {
    const failed = new Map<string, Outcome>();
    const { start, end } = await log.offsets(topic, partition);
    if (start > 0) printNotice(`${topic}/${partition}: what was before offset ${start} is trimmed, and not told`);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result: Result | undefined = await readRecord(codec, 'results', value, () => {});
      for (const outcome of result?.outcomes ?? []) {
        // A URL that was not started says nothing of itself.
        if (outcome.kind === 'returned') continue;
        if (fine.has(outcome.kind)) failed.delete(outcome.url);
        else failed.set(outcome.url, outcome);
      }
    }
    for (const outcome of failed.values()) {
      const { url, kind, status, detail } = outcome;
      const line = asJson ? JSON.stringify({ url, kind, status, detail }) : `${kind}  ${url}  ${causeOf(outcome)}`;
      count += 1;
      if (!process.stdout.write(`${inert(line)}\n`)) await once(process.stdout, 'drain');
    }
  }
  if (!asJson) printNotice(count === 0 ? 'no URL has failed' : `${count} URLs; crawlstream explain URL tells the rest`);
}
