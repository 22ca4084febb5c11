/** Links between pages lead somewhere: the file is there, and so is the heading. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { anchorsOf, markdownFiles, proseLines } from './markdown.ts';
import { root } from './written-commands.ts';

/** What is wrong with a link of `page`; undefined: nothing, or it leads to the web. */
function problemOf(page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (file.startsWith('..')) return 'leads out of the project';
  if (!existsSync(join(root, file))) return `there is no ${file}`;
  if (anchor === undefined || !statSync(join(root, file)).isFile() || !file.endsWith('.md')) return undefined;
  return anchorsOf(file).has(anchor) ? undefined : `${file} has no heading #${anchor}`;
}

for (const page of markdownFiles()) {
  test(`links of ${page} lead somewhere`, () => {
    const problems = proseLines(page).flatMap(({ line, text }) =>
      [...text.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
        const problem = problemOf(page, target!);
        return problem === undefined ? [] : [`${page}:${line}: (${target}): ${problem}`];
      }),
    );
    assert.deepEqual(problems, []);
  });
}

/** Of history: what it names need not be there any more. */
const ofHistory = 'CHANGELOG.md';
/** A file or folder in backticks, from the root. What is left to the reader is in capitals. */
const namedFile = /`((?:topology|services|schemas|lab|test|docs|deploy|examples)\/[^`\s]*)`/g;

for (const page of markdownFiles().filter((name) => name !== ofHistory)) {
  test(`files that ${page} names exist`, () => {
    const missing = proseLines(page).flatMap(({ line, text }) =>
      [...text.matchAll(namedFile)]
        .map(([, path]) => path!.replace(/[:,].*$/, ''))
        .filter((path) => !/[A-Z]{4}|[*…<{]/.test(path.replace(/[A-Z]+\.md$/, '')) && !existsSync(join(root, path)))
        .map((path) => `${page}:${line}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });
}

test('every page of docs/ can be reached from the README', () => {
  const reached = new Set<string>();
  const next = ['README.md'];
  for (let page = next.pop(); page !== undefined; page = next.pop()) {
    if (reached.has(page) || !page.endsWith('.md') || !existsSync(join(root, page))) continue;
    reached.add(page);
    for (const { text } of proseLines(page))
      for (const [, target] of text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g))
        next.push(normalize(join(dirname(page), decodeURIComponent(target!))));
  }
  const lost = markdownFiles('docs').filter((page) => !reached.has(page));
  assert.deepEqual(lost, []);
});

test('the README fits on a few screens: 150 lines', () => {
  const lines = proseLines('README.md').at(-1)!.line;
  assert.ok(lines <= 150, `${lines} lines`);
});
