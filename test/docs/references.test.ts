/** What comments and pages refer to is there: files by name, sections by number. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../run/files.ts';

const folders = ['topology', 'services', 'schemas', 'lab', 'test', 'docs', 'deploy', 'examples', 'clients'];
const files = [
  ...readdirSync(root).filter((name) => /\.(md|json|yml)$/.test(name)),
  ...folders.flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[]).map((name) => `${folder}/${name}`),
  ),
];
const known = new Set(files.flatMap((name) => name.split('/').map((_, from, parts) => parts.slice(from).join('/'))));

/** Names that stand for any, beside those in capitals. */
const examples = new Set(['x.test.ts', 'x.integration.test.ts']);

/** Lines of pages, and comments of sources. A changelog tells of what is gone. */
function* texts(): Generator<{ readonly place: string; readonly text: string }> {
  for (const file of files) {
    if (!/\.(ts|md)$/.test(file) || file === 'CHANGELOG.md') continue;
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    for (const [number, text] of lines.entries()) {
      const said = file.endsWith('.md') ? text : (/^\s*(?:\/\*\*|\*|\/\/)(.*)|\/\*\*(.*)\*\//.exec(text)?.[0] ?? '');
      if (said !== '') yield { place: `${file}:${number + 1}`, text: said };
    }
  }
}

test('a source that a comment or a page names exists', () => {
  const missing: string[] = [];
  let found = 0;
  for (const { place, text } of texts()) {
    for (const [name] of text.matchAll(
      /(?<![\w./:@…-])(?:[\w-]+\/)*\w[\w-]*(?:\.test|\.integration\.test)?\.(?:ts|avsc|proto)\b/g,
    )) {
      found += 1;
      if (!known.has(name) && !examples.has(name) && !/[A-Z]{4}/.test(name)) missing.push(`${place}: ${name}`);
    }
  }
  assert.ok(found > 200, `${found} names`);
  assert.deepEqual(missing, []);
});

test('a name that a page says is in a source is defined there', () => {
  const missing: string[] = [];
  let found = 0;
  for (const { place, text } of texts()) {
    for (const [, names, file] of text.matchAll(/((?:`\w+`(?:,| and)? )+)in `([\w/-]+\.ts)`/g)) {
      const source = known.has(file!) ? readFileSync(join(root, file!), 'utf8') : '';
      for (const [, name] of names!.matchAll(/`(\w+)`/g)) {
        found += 1;
        if (
          !new RegExp(`\\b(?:function|const|class|interface|type) ${name}\\b|^ +(?:async )?#?${name}\\(`, 'm').test(
            source,
          )
        )
          missing.push(`${place}: ${name} in ${file}`);
      }
    }
  }
  assert.ok(found >= 4, `${found} names`);
  assert.deepEqual(missing, []);
});

test('a page of docs/ that is cited by section has that section', () => {
  const missing: string[] = [];
  let found = 0;
  for (const { place, text } of texts()) {
    for (const [, page, sections = ''] of text.matchAll(
      /\b(docs\/[\w-]+\.md)((?:,? §[\d.]+\d|,? §\d|–\d[\d.]*\d)*)/g,
    )) {
      const source = known.has(page!) ? readFileSync(join(root, page!), 'utf8') : null;
      if (source === null) missing.push(`${place}: ${page}`);
      for (const [section] of source === null ? [] : sections.matchAll(/\d[\d.]*\d|\d/g)) {
        found += 1;
        if (!new RegExp(`^#+ ${section.replaceAll('.', '\\.')}\\.? `, 'm').test(source!))
          missing.push(`${place}: ${page} §${section}`);
      }
    }
  }
  assert.ok(found > 30, `${found} sections`);
  assert.deepEqual(missing, []);
});
