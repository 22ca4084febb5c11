/** Every page with commands to type is followed by `docs:check`, or says why it is not. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf } from './follow/blocks.ts';
import { followedPages, onlyParsed, referencePages } from './follow/pages.ts';
import { promises } from './follow/promises.ts';
import { markdownFiles } from './markdown.ts';
import { root } from './written-commands.ts';

test('a page with blocks of shell is followed, or named with the reason why it is only parsed', () => {
  const unlisted = markdownFiles().filter(
    (page) => blocksOf(root, page).length > 0 && !followedPages.includes(page) && !(page in onlyParsed),
  );
  assert.deepEqual(unlisted, []);
});

test('pages that are listed are there, and have commands', () => {
  const listed = [...followedPages, ...referencePages, ...Object.keys(onlyParsed)];
  const empty = listed.filter((page) => !existsSync(join(root, page)) || blocksOf(root, page).length === 0);
  assert.deepEqual(empty, []);
});

test('what a page promises is of a page that is followed', () => {
  const others = promises.map(({ page }) => page).filter((page) => !followedPages.includes(page));
  assert.deepEqual(others, []);
});

test('what a page promises stands in it, word for word', () => {
  const gone = promises.filter(({ page, sentence }) => !readFileSync(join(root, page), 'utf8').includes(sentence));
  assert.deepEqual(
    gone.map(({ page, sentence }) => `${page}: ${sentence}`),
    [],
  );
});
