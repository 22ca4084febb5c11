/** The map of the tree in the README: the folders of the crawl itself in the order to read them, and the extras. */
import { readdirSync } from 'node:fs';
import { installed } from '../extras/installed.ts';

const root = new URL('../../', import.meta.url);

/** In reading order. */
export const coreFolders = {
  topology: ['url', 'policy', 'frontier', 'robots', 'parse', 'fetch'],
  services: ['frontier', 'fetcher', 'application', 'hosting'],
} as const;

/** Replaces the text between the two marks of the README. Throws an Error if a mark is missing. */
export function withTreeMap(readme: string): string {
  const [start, end] = ['<!-- tree -->', '<!-- end -->'];
  const from = readme.indexOf(start) + start.length;
  const to = readme.indexOf(end, from);
  if (from < start.length || to === -1) throw new Error(`README.md has no ${start} with ${end}`);
  return readme.slice(0, from) + treeMap() + readme.slice(to);
}

function treeMap(): string {
  const { topology, services } = coreFolders;
  const listed = (part: string, names: readonly string[]) => names.map((name) => `\`${part}/${name}/\``).join(', ');
  const files = [...topology.map((name) => `topology/${name}`), ...services.map((name) => `services/${name}`)]
    .map(filesIn)
    .reduce((sum, count) => sum + count, 0);
  // By fifties, so that a new file seldom changes the page.
  const core = `The core is about ${Math.round(files / 50) * 50} files. Read their folders in this order: ${listed('topology', topology)}; then ${listed('services', services)}.`;
  if (installed.length === 0) return core;
  const names = installed.map(({ name }) => name).join(', ');
  return `${core} Folders that can be deleted are [extras](services/README.md#extras), which \`crawlstream extras\` lists: ${names}.`;
}

function filesIn(folder: string): number {
  const names = readdirSync(new URL(folder, root), { recursive: true }) as string[];
  return names.filter((name) => name.endsWith('.ts')).length;
}
