/** The frontiers of a crawl as text: a line for each, whatever the number of partitions. */
import { noFetcher } from '../../runtime/crawl/fetcher-count.ts';
import type { FrontierMember } from '../../runtime/crawl/frontier-members.ts';

/** `null`: they are sharing out the partitions. */
export function membersText(members: readonly FrontierMember[] | null, partitions: number): string {
  if (members === null) return '  frontiers are rebalancing partitions: retry in a moment';
  const owned = new Set(members.flatMap((member) => member.owned));
  const nobodys = Array.from({ length: partitions }, (_, partition) => partition).filter((one) => !owned.has(one));
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  const lines = members.map(
    (member) => `  ${member.name.padEnd(width)}  owns ${ranges(member.owned)}${copiesText(member)}`,
  );
  if (nobodys.length > 0) lines.push(`  partitions without an owner: ${ranges(nobodys)}: start a frontier`);
  return lines.join('\n');
}

/** One line, or an empty text. `null`: fetchers are rebalancing partitions. */
export function fetchersText(fetchers: number | null | undefined): string {
  if (fetchers === undefined) return '';
  if (fetchers === null) return '  fetchers are rebalancing partitions\n';
  return fetchers === 0 ? `  ${noFetcher}\n` : `  ${fetchers} fetcher${fetchers === 1 ? '' : 's'}\n`;
}

function copiesText({ standbys }: FrontierMember): string {
  if (standbys.length === 0) return '';
  const stale = standbys.map(({ staleMs }) => staleMs ?? Number.POSITIVE_INFINITY);
  const worst = Math.max(...stale);
  const behind =
    worst === Number.POSITIVE_INFINITY ? 'not all have started' : `${(worst / 1000).toFixed(1)} s behind, at most`;
  return `  keeps copies of ${ranges(standbys.map(({ partition }) => partition))}, ${behind}`;
}

/** Writes numbers as ranges, for example 0-3, 7. */
function ranges(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i]!;
    while (sorted[i + 1] === sorted[i]! + 1) i++;
    parts.push(first === sorted[i] ? `${first}` : `${first}-${sorted[i]}`);
  }
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
