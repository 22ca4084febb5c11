/**
 * The URLs of a crawl that gave no page, each with its newest answer and the reason, from `results`, as far back as it
 * reaches. URLs that were fetched later are not included.
 */
import type { Outcome, Result } from '../../../schemas/types.ts';
import { isNotRead } from '../../../topology/fetch/outcome.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { inShell } from '../terminal/in-shell.ts';
import { ownName } from '../terminal/own-name.ts';
import type { WriteLine } from '../terminal/pager.ts';
import { printNotice } from '../terminal/restore-text.ts';
import { causeOf } from './outcome-cause.ts';

const fine: ReadonlySet<string> = new Set(['fetched', 'notModified', 'redirect']);

export async function printFailures(
  { log, codec, topics }: ReadableCrawl,
  asJson: boolean,
  write: WriteLine,
  /** The options that name the crawl to other commands. */
  place: string,
): Promise<void> {
  const topic = `${topics.crawl}.results`;
  let count = 0;
  let first = '';
  let notRead = 0;
  for (let partition = 0; partition < topics.partitions; partition++) {
    const failed = new Map<string, Outcome>();
    const { start, end } = await log.offsets(topic, partition);
    if (start > 0) printNotice(`${topic}/${partition}: what was before offset ${start} is trimmed, and not told`);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result: Result | undefined = await readRecord(codec, 'results', value, () => {});
      for (const outcome of result?.outcomes ?? []) {
        // The outcome of a URL that was not started tells nothing of it.
        if (outcome.kind === 'returned') continue;
        if (fine.has(outcome.kind)) failed.delete(outcome.url);
        else failed.set(outcome.url, outcome);
      }
    }
    for (const outcome of failed.values()) {
      const { url, kind, status, detail } = outcome;
      const isLeft = isNotRead(kind, status);
      const named = isLeft ? 'notRead' : kind;
      const line = asJson
        ? JSON.stringify({ url, kind: named, status, detail })
        : `${named}  ${url}  ${causeOf(outcome)}`;
      if (isLeft) notRead += 1;
      else count += 1;
      if (first === '' && !isLeft) first = url;
      if (!(await write(line))) return;
    }
  }
  if (asJson) return;
  const left = notRead === 0 ? '' : `, and ${notRead} ${notRead === 1 ? 'was' : 'were'} not read`;
  const more = () => `${ownName()} explain ${inShell(first)} ${place}`;
  printNotice(
    count === 0
      ? `no URL has failed${left}`
      : `${count} URL${count === 1 ? '' : 's'}${left}; the rest of the first: ${more()}`,
  );
}
