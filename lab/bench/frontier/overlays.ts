/**
 * `npm run bench -- overlays [--pairs N] [--pages N] [--json]`
 *
 * What overlays cost the frontier a page: links of which half are new, leases and results, in memory, by a policy with none
 * and by one with so many, in turns. Of each pair, CPU with over without. One with none at all is in there, too: what it
 * differs by is noise, and what the others differ by beyond it is theirs.
 */
import { parseArgs } from 'node:util';
import type { OverlayConfig } from '../../../topology/policy/overlay-config.ts';
import { Hand } from '../../model/hand.ts';

const linksPerPage = 20;
const hosts = 200;

const none: readonly OverlayConfig[] = [];
const byHost = (count: number): readonly OverlayConfig[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `o${n}`,
    match: { hosts: [`other${n}.test`] },
    set: { delayMs: 2_000, maxDepth: 3 },
  }));
const policies: Readonly<Record<string, readonly OverlayConfig[] | undefined>> = {
  'none again': undefined,
  'a list of none': none,
  'one, of another host': byHost(1),
  '100, of other hosts': byHost(100),
  'one by pattern': [{ name: 'p', match: { patterns: ['/never/'] }, set: { frontQueue: 5 } }],
};

export function run(args: readonly string[]): void {
  const options = { pairs: { type: 'string' }, pages: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [pairs, pages] = [Number(values.pairs ?? 7), Number(values.pages ?? 4_000)];
  microsPerPage(undefined, pages); // What is compiled on the way is not measured.
  const rows = Object.entries(policies).map(([overlays, config]) => {
    const measured = Array.from({ length: pairs }, (_, n) => {
      const first = n % 2 === 0 ? microsPerPage(undefined, pages) : undefined;
      const other = microsPerPage(config, pages);
      return { without: first ?? microsPerPage(undefined, pages), other };
    });
    const ratios = measured.map(({ without, other }) => other / without).sort((a, b) => a - b);
    const [least, median, most] = [ratios[0]!, ratios[ratios.length >> 1]!, ratios.at(-1)!].map((one) =>
      Number(one.toFixed(3)),
    );
    const middle = measured.map(({ other }) => other).sort((a, b) => a - b)[measured.length >> 1]!;
    return { overlays, microsPerPage: Number(middle.toFixed(1)), least, median, most };
  });
  console.table(rows);
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'overlays', pairs, pages, rows })}\n`);
}

/** CPU, µs a page that was fetched. */
function microsPerPage(overlays: readonly OverlayConfig[] | undefined, pages: number): number {
  const hand = new Hand({ delayMs: 1, ...(overlays && { overlays }) });
  const before = process.cpuUsage();
  let at = 0;
  for (let page = 0; page < pages; page++) {
    const host = `h${page % hosts}.test`;
    // The second half of what one page of a host leads to is the first half of the next.
    const from = Math.floor(page / hosts) * (linksPerPage / 2);
    hand.links(host, linksPerPage, { from });
    if (page % 8 < 7) continue;
    for (const task of hand.grant(1_000, 8)) {
      at += task.urls.length;
      hand.report(task);
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / Math.max(1, at);
}
