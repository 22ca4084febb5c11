/**
 * How much of a page's main text our extraction finds, and nothing else, on manuals of Debian packages, with
 * trafilatura for comparison.
 *
 *   npm run bench -- main-text [--json] [--worst] [--only NAME]
 *
 * The truth is the manual's template (manuals.ts). The score is F1 over the words of two texts, each word as often as
 * it occurs, averaged over the pages of a manual. Trafilatura, with its defaults, comes from Python's package index
 * into a separate environment. `agreement` is our score with trafilatura's text as the truth, over the pages in which
 * it finds a text. `empty` counts the pages in which we find nothing. Pages with fewer than 20 words in their template
 * are left out. `--worst` lists the pages furthest from the truth; `--only` takes manuals with this word in their name.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePage } from '../../../topology/parse/charset.ts';
import { readRichPage } from '../../../topology/parse/rich/rich-page.ts';
import { manuals, pagesOf } from './manuals.ts';
import { pythonEnvironment } from './python-environment.ts';
import { templateText } from './template-text.ts';

/** Pages evenly spread over a manual. */
const pagesEach = 60;
const worstNamed = 5;
const truthWordsMin = 20;

const script = `
import json, sys, trafilatura
for path in json.load(sys.stdin):
    with open(path, 'rb') as file:
        text = trafilatura.extract(file.read())
    print(json.dumps(text or ''))
`;

interface Row {
  readonly pages: number;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly empty: number;
  readonly trafilatura: number;
  readonly agreement: number;
  readonly msPerPage: number;
}

export function run(args: readonly string[]): void {
  const python = join(pythonEnvironment('trafilatura', ['trafilatura==2.*', 'lxml_html_clean']), 'bin/python');
  const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '').toLowerCase() : '';
  const results: Record<string, Row> = {};
  for (const manual of manuals.filter(({ name }) => name.toLowerCase().includes(only))) {
    const pages = pagesOf(manual, pagesEach).flatMap((file) => {
      const { text: html } = decodePage(readFileSync(file), null);
      const truth = words(templateText(html, manual) ?? '');
      return sizeOf(truth) < truthWordsMin ? [] : [{ file, html, truth }];
    });
    const theirs = byTrafilatura(
      python,
      pages.map(({ file }) => file),
    );
    const before = process.cpuUsage();
    const texts = pages.map(({ html }) => ours(html));
    const { user, system } = process.cpuUsage(before);
    const compared = pages.map(({ file, truth }, n) => {
      const [found, other] = [words(texts[n]!), words(theirs[n]!)];
      return { file, ...agreement(truth, found), found, other, trafilatura: agreement(truth, other).f1 };
    });
    const known = compared.filter(({ other }) => other.size > 0);
    const row: Row = {
      ...{ pages: pages.length, f1: mean(compared, ({ f1 }) => f1) },
      ...{ precision: mean(compared, ({ precision }) => precision), recall: mean(compared, ({ recall }) => recall) },
      ...{ empty: texts.filter((text) => text === '').length, trafilatura: mean(compared, (one) => one.trafilatura) },
      agreement: mean(known, ({ found, other }) => agreement(other, found).f1),
      msPerPage: (user + system) / 1_000 / Math.max(1, pages.length),
    };
    results[manual.name] = row;
    process.stdout.write(
      `${manual.name}: ${row.pages} pages, F1 ${row.f1.toFixed(3)}, precision ${row.precision.toFixed(3)}, ` +
        `recall ${row.recall.toFixed(3)}, empty ${row.empty}; trafilatura ${row.trafilatura.toFixed(3)}, ` +
        `agreement ${row.agreement.toFixed(3)}; ${row.msPerPage.toFixed(2)} ms a page\n`,
    );
    if (!args.includes('--worst')) continue;
    for (const { file, f1, precision, recall } of compared.sort((a, b) => a.f1 - b.f1).slice(0, worstNamed))
      process.stdout.write(`  ${f1.toFixed(3)} (${precision.toFixed(2)}, ${recall.toFixed(2)}) ${file}\n`);
  }
  const all = Object.values(results);
  process.stdout.write(
    `all: F1 ${mean(all, ({ f1 }) => f1).toFixed(3)}, trafilatura ${mean(all, ({ trafilatura }) => trafilatura).toFixed(3)}, ` +
      `agreement ${mean(all, (row) => row.agreement).toFixed(3)}\n`,
  );
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(results)}\n`);
}

function byTrafilatura(python: string, files: readonly string[]): string[] {
  return execFileSync(python, ['-c', script], { input: JSON.stringify(files), maxBuffer: 1 << 28 })
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
}

function mean<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0) / Math.max(1, rows.length);
}

function ours(html: string): string {
  const wanted = {
    ...{ mainText: true, markdown: false, language: false, metadata: false, tidyMarkup: false },
    mediaLinks: { images: false, scripts: false },
  };
  return readRichPage(html, wanted, 'http://localhost/', () => false).mainText;
}

function words(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function agreement(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>) {
  let both = 0;
  for (const [word, count] of wanted) both += Math.min(count, found.get(word) ?? 0);
  const precision = both / Math.max(1, sizeOf(found));
  const recall = both / Math.max(1, sizeOf(wanted));
  return { precision, recall, f1: both === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
