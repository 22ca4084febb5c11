/**
 * How much of what trafilatura takes for a page's main text ours takes too, and nothing else, on manuals of Debian packages.
 *
 *   npm run bench -- main-text [--json] [--worst]
 *
 * Trafilatura comes from Python's package index into an environment of its own, with its defaults. F1 of the words of both
 * texts, each as often as it stands there; the mean over the pages of a kind. Pages that trafilatura finds nothing in are
 * left out, and counted where we find nothing in a page that it has text of. `--worst` names the pages furthest apart.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePage } from '../../../topology/parse/charset.ts';
import { readRichPage } from '../../../topology/parse/rich/rich-page.ts';
import { debianPackage, htmlFiles } from './debian-package.ts';
import { pythonEnvironment } from './python-environment.ts';

interface Kind {
  readonly name: string;
  readonly folder: () => string;
}

const kinds: readonly Kind[] = [
  { name: 'Sphinx (Python)', folder: () => join(debianPackage('python3.11-doc'), 'usr/share/doc/python3.11/html') },
  {
    name: 'DocBook (PostgreSQL)',
    folder: () => join(debianPackage('postgresql-doc-15'), 'usr/share/doc/postgresql-doc-15/html'),
  },
  {
    name: 'Publican (Debian handbook)',
    folder: () => join(debianPackage('debian-handbook'), 'usr/share/doc/debian-handbook/html/en-US'),
  },
  { name: 'XSLT (httpd)', folder: () => join(debianPackage('apache2-doc'), 'usr/share/doc/apache2-doc/manual/en') },
  { name: 'rustdoc (std)', folder: () => join(debianPackage('rust-doc'), 'usr/share/doc/rust-doc/html/std') },
  { name: 'mdBook (Rust book)', folder: () => join(debianPackage('rust-doc'), 'usr/share/doc/rust-doc/html/book') },
];

/** Evenly over a manual. */
const pagesEach = 60;
const worstNamed = 5;

const script = `
import json, sys, trafilatura
for path in json.load(sys.stdin):
    with open(path, 'rb') as file:
        text = trafilatura.extract(file.read())
    print(json.dumps(text or ''))
`;

export function run(args: readonly string[]): void {
  const python = join(pythonEnvironment('trafilatura', ['trafilatura==2.*', 'lxml_html_clean']), 'bin/python');
  const results: Record<string, { pages: number; f1: number; precision: number; recall: number; empty: number }> = {};
  for (const { name, folder } of kinds) {
    const all = htmlFiles(folder());
    const step = Math.max(1, all.length / pagesEach);
    const files = Array.from({ length: Math.min(pagesEach, all.length) }, (_, n) => all[Math.floor(n * step)]!);
    const theirs = execFileSync(python, ['-c', script], { input: JSON.stringify(files), maxBuffer: 1 << 28 })
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as string);
    const compared = files.flatMap((file, n) => {
      const wanted = theirs[n]!;
      const found = ours(file);
      return wanted === '' ? [] : [{ file, isEmpty: found === '', ...agreement(words(wanted), words(found)) }];
    });
    const mean = (of: (one: (typeof compared)[number]) => number) =>
      compared.reduce((sum, one) => sum + of(one), 0) / compared.length;
    const row = {
      ...{ pages: compared.length, f1: mean(({ f1 }) => f1), precision: mean(({ precision }) => precision) },
      ...{ recall: mean(({ recall }) => recall), empty: compared.filter(({ isEmpty }) => isEmpty).length },
    };
    results[name] = row;
    process.stdout.write(
      `${name}: ${row.pages} pages, F1 ${row.f1.toFixed(3)}, precision ${row.precision.toFixed(3)}, ` +
        `recall ${row.recall.toFixed(3)}, empty ${row.empty}\n`,
    );
    if (!args.includes('--worst')) continue;
    const worst = compared.sort((a, b) => a.f1 - b.f1).slice(0, worstNamed);
    for (const { file, f1, precision, recall } of worst)
      process.stdout.write(`  ${f1.toFixed(3)} (${precision.toFixed(2)}, ${recall.toFixed(2)}) ${file}\n`);
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(results)}\n`);
}

function ours(file: string): string {
  const { text: html } = decodePage(readFileSync(file), null);
  const wanted = {
    ...{ mainText: true, language: false, metadata: false, tidyMarkup: false },
    mediaLinks: { images: false, scripts: false },
  };
  return readRichPage(html, wanted, () => false).mainText;
}

function words(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function agreement(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>) {
  const sizeOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  let both = 0;
  for (const [word, count] of wanted) both += Math.min(count, found.get(word) ?? 0);
  const precision = both / Math.max(1, sizeOf(found));
  const recall = both / Math.max(1, sizeOf(wanted));
  return { precision, recall, f1: both === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
