/** `export rates`: how often each page changes, by its visits: changes per day, one a line, within 9 %. */
import { noRate } from '../../../topology/frontier/recrawl/due-table.ts';
import type { RecrawlState } from '../../../topology/frontier/recrawl/recrawl-state.ts';
import { rateClasses, rateOfClass } from '../../../topology/policy/recrawl/rate-classes.ts';

/** Pages that were visited once have none. */
export function rateList(schedules: readonly RecrawlState[]): string[] {
  const lines: string[] = [];
  for (const { table } of schedules) {
    for (let row = 0; row < table.end; row++) {
      if (!table.inUse(row)) continue;
      const { rateClass } = table.at(row);
      if (rateClass !== noRate) lines.push(rateOfClass(rateClass % rateClasses).toPrecision(3));
    }
  }
  return lines;
}
