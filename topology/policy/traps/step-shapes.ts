/**
 * Chains of one shape: each page leads to the next, one step deeper, and to nothing else that is new. This
 * distinguishes an endless calendar from an honest archive: a month of an archive, or page 7 of a shop, brings posts
 * and products. URLs below the chain's own shape (the days of its months) are no yield unless they have a title, nor
 * is another chain. Each new URL from a page sets the chain one step back, so that productive chains never get far.
 */

import { dateIn } from './calendar.ts';
import { shapeOf } from './shape.ts';
import type { Admitted } from './step.ts';
import type { ShapeStat } from './summary.ts';
import { trapLimits } from './trap-limits.ts';

export function stepShapes(before: readonly ShapeStat[], event: Admitted, shape: string, met: number): ShapeStat[] {
  const source = event.sourceUrl === undefined ? null : shapeOf(event.sourceUrl);
  const at = before.findIndex((stat) => stat.shape === shape);
  const chained = at >= 0 && before[at]!.steps >= trapLimits.chainFrom;
  // Most events change nothing but the shape's own row: the list is copied once, and its other rows are shared.
  const after = before.slice();
  if (at >= 0) after[at] = advanced(before[at]!, event, source, met);
  if (!chained) {
    for (let i = 0; i < before.length; i++) {
      const stat = before[i]!;
      if (i !== at && isYield(stat, event.depth, shape, source)) after[i] = { ...stat, brought: stat.brought + 1 };
    }
  }
  if (at < 0) {
    if (after.length >= trapLimits.shapesMax) after.splice(leastDistinct(after), 1);
    const date = dateIn(event.url);
    after.push({ shape, met, depth: event.depth, width: 1, brought: 0, steps: 0, date, calendar: date !== null });
  }
  return after;
}

function advanced(stat: ShapeStat, event: Admitted, source: string | null, met: number): ShapeStat {
  const { depth } = event;
  if (depth < stat.depth) return { ...stat, met };
  if (depth === stat.depth) return { ...stat, met, width: stat.width + 1 };
  const goesOn =
    depth === stat.depth + 1 &&
    stat.width <= trapLimits.chainWidthMax &&
    (source === null || source.startsWith(stat.shape));
  const steps = goesOn ? Math.max(0, stat.steps + 1 - stat.brought) : 0;
  // Messages of one month, and pages of one day, are numbered within a date that does not change.
  const date = dateIn(event.url);
  const calendar = date !== null && (goesOn ? stat.calendar && date !== stat.date : true);
  return { ...stat, met, depth, width: 1, brought: 0, steps, date, calendar };
}

/**
 * Without a source, decides by depth, because a page's other links come before and after the next step of the chain.
 */
function isYield(stat: ShapeStat, depth: number, shape: string, source: string | null): boolean {
  // A larger number would change nothing, since the next step starts from zero anyway.
  if (stat.brought > stat.steps || stat.width > trapLimits.chainWidthMax) return false;
  // Days and views of a month are more of the chain; titles below it are posts.
  if (shape.startsWith(stat.shape) && !shape.includes('*', stat.shape.length)) return false;
  return source === null ? depth === stat.depth || depth === stat.depth + 1 : source.startsWith(stat.shape);
}

function leastDistinct(stats: readonly ShapeStat[]): number {
  let least = 0;
  const worth = ({ met, steps }: ShapeStat) => met + steps * trapLimits.eventsPerStep;
  for (let i = 1; i < stats.length; i++) if (worth(stats[i]!) < worth(stats[least]!)) least = i;
  return least;
}
