/** Blocks of shell of a page, as commands: a line each, lines that end in a backslash joined. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WrittenLine {
  readonly line: number;
  readonly text: string;
}

export type Block = readonly WrittenLine[];

export function blocksOf(root: string, page: string): Block[] {
  const blocks: WrittenLine[][] = [];
  let open: WrittenLine[] | undefined;
  let isOther = false;
  let before = '';
  for (const [at, text] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    if (text.startsWith('```')) {
      if (open !== undefined) open = undefined;
      else if (isOther) isOther = false;
      else if (text === '```sh') blocks.push((open = []));
      else isOther = true;
      continue;
    }
    if (open === undefined) continue;
    const whole = before + text;
    before = whole.endsWith('\\') ? whole.slice(0, -1) : '';
    if (before === '' && whole.trim() !== '' && !whole.startsWith('#')) open.push({ line: at + 1, text: whole });
  }
  return blocks.filter((block) => block.length > 0);
}
