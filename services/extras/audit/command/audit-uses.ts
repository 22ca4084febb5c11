/** `crawlstream audit --uses`: prints a summary of the consent ledger, and can write the whole ledger to a file. */

import type { ReadableCrawl } from '../../../hosting/connect/open-crawl.ts';
import { counted } from '../../../runtime/counted.ts';
import { writingLines } from '../../../runtime/lines/line-writer.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { rows } from '../../../runtime/rows-text.ts';
import { type LedgerPage, runLedger } from '../usage-ledger.ts';

export interface UsesAudit {
  readonly uses: readonly string[];
  readonly fromMs: number;
  readonly ledger: string | undefined;
  readonly json: boolean | undefined;
}

/** Pages printed that are barred, and that have wrong records. */
const shownMax = 5;

export async function auditUses({ log, codec, topics }: ReadableCrawl, asked: UsesAudit): Promise<void> {
  const { crawl, partitions } = topics;
  const { uses, fromMs } = asked;
  const barred: LedgerPage[] = [];
  const wrong: LedgerPage[] = [];
  const counts = await writingLines(asked.ledger, (file) =>
    runLedger(
      { log, codec, crawl, partitions },
      {
        uses,
        fromMs,
        async onPage(page) {
          if (barred.length < shownMax && uses.some((use) => page.uses[use]?.preference === 'deny')) barred.push(page);
          if (wrong.length < shownMax && page.wrong.length > 0) wrong.push(page);
          file?.write(lineOf(page));
          await file?.flush();
        },
      },
    ),
  );
  const table = rows([
    ['pages', counts.pages],
    ...uses.map((use): [string, string] => {
      const { allow, deny, unknown } = counts.byUse[use]!;
      return [use, `${allow} allowed, ${deny} barred, ${unknown} without a stated preference`];
    }),
    ['not provable', counts.unproven === 0 ? null : `${counted(counts.unproven, 'page')} without a stored robots.txt`],
    ['unreadable', counts.unreadable === 0 ? null : `${counted(counts.unreadable, 'record')}`],
    ['wrong', counts.wrong],
    ['ledger', asked.ledger ?? null],
  ]);
  const lines = [
    ...barred.flatMap(({ url, uses: found }) =>
      uses.flatMap((use) =>
        found[use]?.preference === 'deny' ? [`barred  ${url}\n  ${use} by ${found[use].by}`] : [],
      ),
    ),
    ...wrong.map(({ url, wrong: why }) => `wrong  ${url}\n  ${why.join('\n  ')}`),
  ];
  toStdout(`${lines.length === 0 ? '' : `${lines.join('\n')}\n\n`}${table}\n`);
  if (asked.json) toStdout(`${JSON.stringify(counts)}\n`);
  if (counts.wrong > 0) process.exitCode = 1;
}

/** A line of JSON for each page. */
function lineOf({ fetchedAtMs, changesAtMs, ...page }: LedgerPage): string {
  const fetchedAt = new Date(fetchedAtMs).toISOString();
  return JSON.stringify({
    ...page,
    fetchedAt,
    changesAt: changesAtMs === null ? null : new Date(changesAtMs).toISOString(),
  });
}
