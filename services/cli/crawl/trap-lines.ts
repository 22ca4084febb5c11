/** The report's lines about traps: where URLs wait, why, and how to release them. */
import type { HeldTrap } from '../../frontier/own/held-traps.ts';
import { counted } from '../../runtime/counted.ts';
import { ownName } from '../../runtime/own-name.ts';

/** Most traps that are named, the largest first; `hosts` and `explain` show the others. */
const namedMax = 10;

/** Lists traps that contain URLs. `place`: the options that name the crawl to other commands. */
export function trapLines(traps: readonly HeldTrap[], place: string): readonly string[] {
  const holding = traps
    .filter(({ urls }) => urls > 0)
    .sort((a, b) => b.urls - a.urls || (a.hostKey < b.hostKey ? -1 : 1));
  if (holding.length === 0) return [];
  const lines = holding.slice(0, namedMax).map(({ hostKey, pattern, reason, detail, urls }) => {
    const what = `${counted(urls, 'URL', number(urls))} of ${hostKey} under ${pattern}`;
    return `${what} (${reason}: ${detail})`;
  });
  const rest = holding.slice(namedMax).reduce((sum, { urls }) => sum + urls, 0);
  if (rest > 0)
    lines.push(`${counted(rest, 'URL', number(rest))} in ${counted(holding.length - namedMax, 'other trap')}`);
  const { hostKey, pattern } = holding[0]!;
  lines.push(`to fetch these URLs: ${ownName()} release ${hostKey} ${quoted(pattern)} ${place}`);
  return lines;
}

function quoted(pattern: string): string {
  return `'${pattern.replaceAll("'", "'\\''")}'`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
