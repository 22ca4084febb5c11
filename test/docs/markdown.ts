/** The pages of the project, and what of a page is prose: its headings and links, without blocks and code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './written-commands.ts';

const left = new Set(['node_modules', 'dist', '.git', '.cache']);

/** Every `.md` file below the root, as a path from there. */
export function markdownFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

export interface ProseLine {
  readonly line: number;
  readonly text: string;
}

/** Lines outside fenced blocks. */
export function proseLines(page: string): ProseLine[] {
  let isBlock = false;
  return readFileSync(join(root, page), 'utf8')
    .split('\n')
    .map((text, at) => ({ line: at + 1, text }))
    .filter(({ text }) => {
      if (text.startsWith('```')) isBlock = !isBlock;
      return !isBlock && !text.startsWith('```');
    });
}

/** The anchors that GitHub gives a page's headings. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const { text } of proseLines(page)) {
    const title = /^#{1,6} +(.*?)(?: +#+)?$/.exec(text)?.[1];
    if (title === undefined) continue;
    const slug = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}
