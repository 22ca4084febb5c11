/**
 * Shapes of sentences that stop a reader, counted by pattern in documents, help, messages, test titles and comments. A
 * count may only fall: where a rewrite lowers one, lower its number here. CONTRIBUTING.md says how we write.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { markdownFiles, proseLines } from '../docs/markdown.ts';
import { root } from '../run/files.ts';

/** History, and the details of a release as they were written then. */
const ofHistory = /^(?:CHANGELOG\.md|docs\/releases\/|node_modules\/)/;
/** Longer sentences are read twice. */
const wordsMax = 30;
/** Longer cells of a table are paragraphs. */
const cellWordsMax = 40;

const patterns: Readonly<Record<string, RegExp>> = {
  'told, tells': /\b(?:told|tells?)\b/gi,
  whose: /\bwhose\b/gi,
  anew: /\banew\b/gi,
  'of its own': /\bof (?:its|their|one's) own\b/gi,
  'by itself': /\bby (?:itself|themselves)\b/gi,
  'comes to': /\b(?:comes|came) to\b/gi,
  'is of': /\b(?:is|are) of\b/gi,
  'may be had': /\b(?:may|can|cannot) be had\b/gi,
  'as one of': /\bas one of\b/gi,
  'such as was': /\bsuch as (?:was|were)\b/gi,
  'it held': /\bit (?:held|had|stood)\b/gi,
};

/** The words of the glossary's left column, and others of one meaning too many, in documents and help. */
const words = /\b(?:errand|heed(?:s|ed)?|taker|sight|letter to)\b/gi;

/** A title that begins so is the rest of the one around it: each is read alone, as a failure prints it. */
const restOfTitle =
  /^(?:is|are|was|were|has|have|does|and|nor|that|which|who|whose|where|gives|goes|says|tells|takes|keeps) /;

/** Shapes of comments. A docstring begins with a verb or a noun, and a condition with `if`. */
const ofComments: Readonly<Record<string, RegExp>> = {
  'begins with a question word': /^\/\*\*\s+(?:What|Whose|Which|Where|Who)\b/g,
  'told, tells': patterns['told, tells']!,
  whose: patterns['whose']!,
  anew: patterns['anew']!,
  'of its own': patterns['of its own']!,
  'may be had': patterns['may be had']!,
  'comes to': patterns['comes to']!,
  'such as was': patterns['such as was']!,
  'that which': /\bthat which\b/gi,
  whoever: /\bwho(?:m)?ever\b/gi,
  'where there is none':
    /\bwhere (?:none|nobody|nothing|there (?:is|are|was|were)|it (?:cannot|has|knows|leads|meets|went))\b/gi,
  'stands, lies': /\b(?:stands?|stood|lies|lay) (?:at|before|behind|beside|in|on|under)\b/gi,
};

/** Folders with plain comments. */
const plainFolders = ['clients', 'lab', 'services', 'topology'];

/** The remaining counts. */
const most: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  documents: { whose: 2, 'of its own': 1, words: 1, 'long cells': 1 },
  'help and messages': { 'told, tells': 1, whose: 1 },
  'errors of the core': {},
};

function countsOf(texts: readonly string[]): Record<string, number> {
  const all = texts.join('\n');
  const counts = Object.entries(patterns).map(([name, shape]) => [name, [...all.matchAll(shape)].length] as const);
  return { ...Object.fromEntries(counts), words: [...all.matchAll(words)].length };
}

function longSentences(text: string): number {
  const sentences = text.replaceAll(/`[^`]*`/g, 'X').split(/(?<=[.!?:])\s+|\n\s*\n|\n(?=[-*#|]|\d+\. )/);
  return sentences.filter((one) => !one.startsWith('|') && one.split(/\s+/).length > wordsMax).length;
}

function longCells(text: string): number {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) => row.split('|')).filter((cell) => cell.trim().split(/\s+/).length > cellWordsMax).length;
}

function sourcesOf(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[];
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

/** Texts of sources: what is in quotes and has several words. */
function saidBy(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return [...source.matchAll(/'((?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*)'|`([^`\n]* [^`\n]*)`/g)].map(
    ([, a, b]) => a ?? b!,
  );
}

function titlesOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^\s*(?:await )?(?:t\.)?(?:test|it|describe)\(\s*(['"`])(.*?)\1/gm)].map(
    ([, , title]) => title!,
  );
}

/** Comments, each as one text without its frame: a block, or consecutive lines. */
function commentsOf(source: string): string[] {
  const comments = source.matchAll(/^[ \t]*(\/\*\*?[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm);
  return [...comments].map(([, text]) => text!.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/) ?/g, ' '));
}

function countsOfComments(comments: readonly string[]): Record<string, number> {
  const count = (shape: RegExp) => comments.reduce((total, text) => total + [...text.matchAll(shape)].length, 0);
  return Object.fromEntries(Object.entries(ofComments).map(([name, shape]) => [name, count(shape)]));
}

function assertNoMore(place: string, counts: Readonly<Record<string, number>>): void {
  const allowed = most[place] ?? {};
  const more = Object.entries(counts).filter(([name, count]) => count > (allowed[name] ?? 0));
  assert.deepEqual(
    more.map(([name, count]) => `${name}: ${count}, at most ${allowed[name] ?? 0}`),
    [],
    `${place}: rewrite the new sentence; test/style/plain-english.test.ts has the shapes`,
  );
}

test('documents have no new hard-to-read sentences', () => {
  const pages = markdownFiles().filter((page) => !ofHistory.test(page));
  const texts = pages.map((page) =>
    proseLines(page)
      .map(({ text }) => text.replaceAll(/`[^`]*`/g, 'X'))
      .join('\n'),
  );
  const sum = (count: (text: string) => number) => texts.reduce((total, text) => total + count(text), 0);
  assertNoMore('documents', {
    ...countsOf(texts),
    'long sentences': sum(longSentences),
    'long cells': sum(longCells),
  });
});

for (const [place, folder] of [
  ['help and messages', 'services/'],
  ['errors of the core', 'topology/'],
  ['texts of the lab', 'lab/'],
] as const) {
  test(`${place} have no new hard-to-read sentences`, () => {
    const files = sourcesOf(folder);
    assert.ok(files.length > 50, `${files.length} files`);
    assertNoMore(place, countsOf(files.flatMap(saidBy)));
  });
}

test('test titles have their subject, and no more sentences that stop a reader than before', () => {
  const titles = sourcesOf('test/')
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap(titlesOf);
  assert.ok(titles.length > 5_000, `${titles.length} titles`);
  const { 'told, tells': told } = countsOf(titles);
  assertNoMore('test titles', { 'told, tells': told! });
  assert.deepEqual(
    titles.filter((title) => restOfTitle.test(title)),
    [],
    'name the subject: a title is read alone',
  );
});

test('comments of the plain folders have no new hard-to-read sentences', () => {
  const files = plainFolders.flatMap(sourcesOf);
  assert.ok(files.length > 1_200, `${files.length} files`);
  const comments = files.flatMap((file) => commentsOf(readFileSync(join(root, file), 'utf8')));
  assertNoMore('comments', countsOfComments(comments));
});

test('a new hard-to-read sentence is counted', () => {
  const counts = countsOf(['a page that is told of, whose host it had anew']);
  assert.deepEqual([counts['told, tells'], counts['whose'], counts['anew'], counts['it held']], [1, 1, 1, 1]);
  assert.equal(longSentences(`${'word '.repeat(wordsMax + 1)}.`), 1);
  assert.equal(longCells(`| ${'word '.repeat(cellWordsMax + 1)} |`), 1);
  const comments = commentsOf('/** Whose host it is,\n * as it is told. */\nlet a = 1;\n  // That\n  // which was.\n');
  assert.equal(comments.length, 2);
  const ofThese = countsOfComments(comments);
  assert.deepEqual([ofThese['begins with a question word'], ofThese['told, tells'], ofThese['that which']], [1, 1, 1]);
});
