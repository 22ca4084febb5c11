/** Every page with commands to type is followed by `docs:check`, or says why it is not. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, isPrinted, printedAfter } from './follow/blocks.ts';
import { followedPages, onlyParsed, referencePages } from './follow/pages.ts';
import { promises } from './follow/promises.ts';
import { markdownFiles } from './markdown.ts';
import { root } from './written-commands.ts';

test('a page with shell blocks is executed, or listed with the reason why it is only parsed', () => {
  const unlisted = markdownFiles().filter(
    (page) => blocksOf(root, page).length > 0 && !followedPages.includes(page) && !(page in onlyParsed),
  );
  assert.deepEqual(unlisted, []);
});

test('listed pages exist, and have commands', () => {
  const listed = [...followedPages, ...referencePages, ...Object.keys(onlyParsed)];
  const empty = listed.filter((page) => !existsSync(join(root, page)) || blocksOf(root, page).length === 0);
  assert.deepEqual(empty, []);
});

test('a page’s expected output belongs to an executed page', () => {
  const others = promises.map(({ page }) => page).filter((page) => !followedPages.includes(page));
  assert.deepEqual(others, []);
});

test('a page’s expected output stands in it, word for word', () => {
  const gone = promises.filter(({ page, sentence }) => !readFileSync(join(root, page), 'utf8').includes(sentence));
  assert.deepEqual(
    gone.map(({ page, sentence }) => `${page}: ${sentence}`),
    [],
  );
});

test('a page’s output is compared line by line: numbers may differ, words may not', () => {
  const output = '  a  owns 2-3  keeps copies of 0-1\n1 seeds sent to crawl news in 0.7 s\n';
  for (const [text, is] of [
    ['  a  owns 0-1  keeps …', true],
    ['1 seeds sent to crawl news in 12 s', true],
    ['  b  owns 0-1', false],
    ['sent to crawl news', false],
  ] as const)
    assert.equal(isPrinted(text, output), is, text);
});

test('expected output stands behind the commands that print it', () => {
  for (const page of followedPages) {
    const ends = new Set(blocksOf(root, page).map((block) => block.at(-1)!.line));
    for (const [after, [first]] of printedAfter(root, page)) {
      assert.ok(ends.has(after), `${page}:${first!.line}: no block of shell is before it`);
    }
  }
});
