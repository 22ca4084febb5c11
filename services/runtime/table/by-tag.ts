/** Results of a crawl's URLs, by the tags of their seeds. A URL with several tags counts under each. */
import type { Table } from './table.ts';

export interface TagCounts {
  /** Empty: URLs without tags. */
  readonly tag: string;
  readonly urls: number;
  /** URLs that are pages. */
  readonly pages: number;
  /** Bytes of their newest answers. */
  readonly bytes: number;
  /** Number of URLs by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

const pageOutcomes: ReadonlySet<string> = new Set(['fetched', 'notModified']);

/** `urls`: rows of `urlsTable`. Tags are ordered by their number of URLs; URLs without tags come last. */
export async function countByTag({ columns, rows }: Table): Promise<TagCounts[]> {
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const [outcomeAt, bytesAt, tagsAt] = [at('outcome'), at('bytes'), at('tags')];
  const counts = new Map<string, { urls: number; pages: number; bytes: number; outcomes: Record<string, number> }>();
  for await (const row of rows) {
    const outcome = `${row[outcomeAt]}`;
    for (const tag of tagsIn(row[tagsAt] ?? null)) {
      let of = counts.get(tag);
      if (of === undefined) counts.set(tag, (of = { urls: 0, pages: 0, bytes: 0, outcomes: {} }));
      of.urls += 1;
      of.bytes += Number(row[bytesAt] ?? 0);
      of.outcomes[outcome] = (of.outcomes[outcome] ?? 0) + 1;
      if (pageOutcomes.has(outcome)) of.pages += 1;
    }
  }
  const order = (a: TagCounts, b: TagCounts) =>
    Number(a.tag === '') - Number(b.tag === '') || b.urls - a.urls || (a.tag < b.tag ? -1 : 1);
  return [...counts].map(([tag, of]) => ({ tag, ...of })).sort(order);
}

function tagsIn(cell: unknown): readonly string[] {
  return typeof cell === 'string' ? (JSON.parse(cell) as string[]) : [''];
}
