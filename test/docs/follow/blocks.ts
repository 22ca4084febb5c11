/** Blocks of shell of a page, as commands: a line each, lines that end in a backslash joined. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WrittenLine {
  readonly line: number;
  readonly text: string;
}

export type Block = readonly WrittenLine[];

/** What the commands of a block of shell print, as the page says behind it in a block of text: lines of it, with its place. */
export function printedAfter(root: string, page: string): ReadonlyMap<number, readonly WrittenLine[]> {
  const printed = new Map<number, WrittenLine[]>();
  let last = 0;
  let open: 'sh' | 'text' | 'other' | undefined;
  for (const [at, text] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    if (text.startsWith('```')) {
      const kind = text === '```sh' ? 'sh' : text === '```text' ? 'text' : 'other';
      open = open === undefined ? kind : undefined;
    } else if (open === 'sh') last = at + 1;
    else if (open === 'text' && text.trim() !== '') {
      printed.set(last, [...(printed.get(last) ?? []), { line: at + 1, text }]);
    }
  }
  return printed;
}

/** Is it a line of the output? Numbers may differ, and `…` stands for anything. */
export function isPrinted(text: string, output: string): boolean {
  const parts = text.split(/(…|\d+(?:[.,]\d+)*)/).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ {2,}/g, ' {2,}');
    return part === '…' ? '.*' : '\\d+(?:[.,]\\d+)*';
  });
  return new RegExp(`^${parts.join('')}`, 'm').test(output);
}

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
