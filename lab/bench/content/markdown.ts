/**
 * How much of a page's structure its Markdown keeps, on manuals of Debian packages, with trafilatura's Markdown for
 * comparison.
 *
 *   npm run bench -- markdown [--json] [--only NAME]
 *
 * The truth is the content of the element of the manual's template (manuals.ts): headings, list items, code blocks,
 * table rows, links to other pages. markdown-it reads both Markdowns, and the elements that it finds are counted. The
 * score is, for each kind and page, the share of the truth's elements that are there, at most 1. Rows of layout tables
 * do not count.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import MarkdownIt from 'markdown-it';
import { decodePage } from '../../../topology/parse/charset.ts';
import { readRichPage } from '../../../topology/parse/rich/rich-page.ts';
import { type Manual, manuals, pagesOf } from './manuals.ts';
import { pythonEnvironment } from './python-environment.ts';

const pagesEach = 40;
const kinds = ['headings', 'items', 'code', 'rows', 'links'] as const;
type Counts = Record<(typeof kinds)[number], number>;

const script = `
import json, sys, trafilatura
for path in json.load(sys.stdin):
    with open(path, 'rb') as file:
        text = trafilatura.extract(file.read(), url='http://localhost/docs/page.html', output_format='markdown',
            include_links=True, include_tables=True, include_formatting=True)
    print(json.dumps(text or ''))
`;

export function run(args: readonly string[]): void {
  const python = join(pythonEnvironment('trafilatura', ['trafilatura==2.*', 'lxml_html_clean']), 'bin/python');
  const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '').toLowerCase() : '';
  const [truths, own, other] = [blank(), blank(), blank()];
  let pages = 0;
  let cpuUs = 0;
  for (const manual of manuals.filter(({ name }) => name.toLowerCase().includes(only))) {
    const read = pagesOf(manual, pagesEach).flatMap((file) => {
      const { text: html } = decodePage(readFileSync(file), null);
      const truth = truthOf(html, manual);
      return truth === null ? [] : [{ file, html, truth }];
    });
    const files = read.map(({ file }) => file);
    const theirs = execFileSync(python, ['-c', script], { input: JSON.stringify(files), maxBuffer: 1 << 28 })
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as string);
    const before = process.cpuUsage();
    const ours = read.map(({ html }) => markdownOf(html));
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
    pages += read.length;
    read.forEach(({ truth }, n) => {
      const [found, theirsFound] = [countsOf(ours[n]!), countsOf(theirs[n]!)];
      for (const kind of kinds) {
        truths[kind] += truth[kind];
        own[kind] += Math.min(truth[kind], found[kind]);
        other[kind] += Math.min(truth[kind], theirsFound[kind]);
      }
    });
  }
  const share = (counts: Counts, kind: keyof Counts) => counts[kind] / Math.max(1, truths[kind]);
  for (const kind of kinds)
    process.stdout.write(
      `${kind}: ${truths[kind]}, kept ${(100 * share(own, kind)).toFixed(1)} %, ` +
        `trafilatura ${(100 * share(other, kind)).toFixed(1)} %\n`,
    );
  process.stdout.write(`${pages} pages, ${(cpuUs / 1000 / Math.max(1, pages)).toFixed(2)} ms a page\n`);
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ pages, truths, own, other })}\n`);
}

function blank(): Counts {
  return { headings: 0, items: 0, code: 0, rows: 0, links: 0 };
}

function truthOf(html: string, { text, less }: Manual): Counts | null {
  const { document } = parseHTML(html);
  const held = text.map((selector) => document.querySelector(selector)).find((element) => element !== null);
  if (held === undefined) return null;
  for (const element of [...held.querySelectorAll(`${less}, script, style, template`)]) element.remove();
  const hasText = (element: { readonly textContent: string | null }) => (element.textContent ?? '').trim() !== '';
  const all = (selector: string) => [...held.querySelectorAll(selector)].filter(hasText);
  const isData = (table: ReturnType<typeof held.closest>) =>
    table !== null &&
    table.querySelector('table, h1, h2, h3, h4, pre') === null &&
    table.querySelectorAll('tr').length > 1 &&
    [...table.querySelectorAll('tr')].some((row) => row.children.length > 1);
  return {
    headings: all('h1, h2, h3, h4, h5, h6').length,
    items: all('li').length,
    code: all('pre').length,
    rows: all('tr').filter((row) => isData(row.closest('table'))).length,
    links: all('a[href]').filter((link) => !/^(#|$|javascript:|mailto:)/.test(link.getAttribute('href') ?? '')).length,
  };
}

function markdownOf(html: string): string {
  const wanted = {
    ...{ mainText: false, markdown: true, language: false, metadata: false, tidyMarkup: false },
    mediaLinks: { images: false, scripts: false },
  };
  return readRichPage(html, wanted, 'http://localhost/docs/page.html', () => false).markdown;
}

const reader = new MarkdownIt();
const tokens: Readonly<Record<string, keyof Counts>> = {
  ...{ heading_open: 'headings', list_item_open: 'items', fence: 'code', code_block: 'code' },
  ...{ tr_open: 'rows', link_open: 'links' },
};

function countsOf(markdown: string): Counts {
  const counts = blank();
  for (const token of reader.parse(markdown, {})) {
    for (const { type } of [token, ...(token.children ?? [])]) {
      const kind = tokens[type];
      if (kind !== undefined) counts[kind] += 1;
    }
  }
  return counts;
}
