/** Functions, not files, are limited: what a person reads at once is a function. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

const root = fileURLToPath(new URL('../../', import.meta.url));
const linesMax = 70;

interface Node {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number }; readonly end: { readonly line: number } } | null;
}

const isFunction = /^(?:Function|ArrowFunction|Object(?:Method)|Class(?:Private)?Method)/;

/** `FILE:LINE, N lines` of each function that is too long. */
function longFunctions(file: string): string[] {
  const found: string[] = [];
  const visit = (node: Node) => {
    const { type, loc } = node;
    if (isFunction.test(type) && loc && loc.end.line - loc.start.line + 1 > linesMax)
      found.push(`${file}:${loc.start.line}, ${loc.end.line - loc.start.line + 1} lines`);
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child === 'object' && child !== null && typeof child.type === 'string') visit(child);
  };
  visit(parse(readFileSync(root + file, 'utf8'), { sourceType: 'module', plugins: ['typescript'] }).program as Node);
  return found;
}

it('no function exceeds the length limit', () => {
  const files = ['topology', 'services'].flatMap((folder) =>
    (readdirSync(root + folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => `${folder}/${name}`),
  );
  assert.deepEqual(files.flatMap(longFunctions), []);
});
