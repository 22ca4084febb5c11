/**
 * Progress of a restore: on a terminal a bar that ends as a line, elsewhere lines on stderr. Only restores that take a
 * while are shown.
 */
import type { RestoreProgress } from '../../frontier/restore/restore.ts';

import { say, speaksJson } from '../../runtime/logging/say.ts';
import { barText } from './work-bar.ts';

export function printRestore(
  progress: RestoreProgress,
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): void {
  const { partition, records, recordsTotal, elapsedMs, leftMs } = progress;
  const isOver = records === recordsTotal;
  if (!out.isTTY || speaksJson())
    say(restoreText(progress), 'info', { component: 'state', partition, records, recordsTotal, leftMs });
  else if (isOver) out.write(`\r${restoreText(progress)}\x1b[K\n`);
  else out.write(`\r${barText(`records of partition ${partition}`, records, recordsTotal, elapsedMs)}\x1b[K`);
}

/** The skipped starting state, and the one used instead. */
export function printNotice(text: string): void {
  say(text, 'warn', { component: 'state' });
}

export function restoreText({ partition, records, recordsTotal, urls, elapsedMs, leftMs }: RestoreProgress): string {
  const counts = `${count(records)} of ${count(recordsTotal)} records, ${count(urls)} URLs`;
  if (records === recordsTotal) return `partition ${partition} restored in ${seconds(elapsedMs)}: ${counts}`;
  const share = Math.floor((100 * records) / recordsTotal);
  return `restoring partition ${partition}: ${share} %, ${counts}, about ${seconds(leftMs)} left`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
