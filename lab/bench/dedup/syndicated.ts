/**
 * Articles on two sites: how many copies the dedup finds if each site sets its own navigation, advertisements and
 * footer around the articles, and how many pages it takes for copies that are none.
 *
 *   npm run bench -- syndicated [--json]
 *
 * The articles are real texts: pages of manuals in Debian packages (manuals.ts), as whole pages or their first words.
 * Site A has all of them, site B a copy of every second one, and as many other articles. Both are read through the
 * parser, as a fetcher does: with `main` the dedup gets the main text, without it the text of the whole page.
 */
import { readFileSync } from 'node:fs';
import type { NearMethod } from '../../../services/extras/dedup/likeness.ts';
import { decodePage } from '../../../topology/parse/charset.ts';
import { parsePage } from '../../../topology/parse/page.ts';
import { readRichPage } from '../../../topology/parse/rich/rich-page.ts';
import { judgedDedup } from '../../pages/judged-dedup.ts';
import type { LabelledPage } from '../../pages/labelled-pages.ts';
import { editedText } from '../../pages/prose.ts';
import { numbers } from '../../web/random.ts';
import { type Manual, manuals, pagesOf } from '../content/manuals.ts';
import { templateText } from '../content/template-text.ts';

const drawn = ['git-doc', 'postgresql-doc-15', 'sqlite3-doc', 'apache2-doc'];
const articlesEach = 40;
const wordsMin = 150;
const wordsMost = 600;
const adWords = 60;

interface Article {
  readonly title: string;
  readonly words: readonly string[];
}

interface Case {
  readonly name: string;
  readonly navigation: number;
  readonly edited: number;
  /** Elements with meaning (`nav`, `aside`, `article`), or `div` alone. */
  readonly markup: 'elements' | 'divs';
}

const cases: readonly Case[] = [
  ...[0, 40, 120, 200].flatMap((navigation) =>
    [0, 0.1].flatMap((edited) =>
      (['elements', 'divs'] as const).map((markup) => ({
        ...{ navigation, edited, markup },
        name: `navigation ${navigation}, ${100 * edited} % edited, ${markup}`,
      })),
    ),
  ),
];

export async function run(args: readonly string[]): Promise<void> {
  const articles = manuals.filter((manual) => drawn.includes(manual.package)).flatMap(articlesOf);
  const reported: Record<string, Record<string, { readonly recall: number; readonly precision: number }>> = {};
  process.stdout.write(
    `${articles.length} articles of ${wordsMin} to ${wordsMost} words; advertisements of ${adWords}\n`,
  );
  for (const one of cases) {
    const cells: string[] = [];
    reported[one.name] = {};
    for (const method of ['simhash', 'minhash'] as const satisfies readonly NearMethod[]) {
      for (const main of [false, true]) {
        const { recall, precision } = await judgedDedup(method, sites(articles, one, main));
        const name = `${method}${main ? ', main' : ''}`;
        reported[one.name]![name] = { recall, precision };
        cells.push(`${name} ${recall.toFixed(3)} ${precision.toFixed(3)}`);
      }
    }
    process.stdout.write(`${one.name.padEnd(42)} recall, precision:  ${cells.join('   ')}\n`);
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ articles: articles.length, reported })}\n`);
}

function articlesOf(manual: Manual): Article[] {
  return pagesOf(manual, 3 * articlesEach)
    .flatMap((file) => {
      const { text: html } = decodePage(readFileSync(file), null);
      const title = /<title>([^<]*)<\/title>/i.exec(html)?.[1]?.trim() ?? '';
      const words = (templateText(html, manual) ?? '').split(/\s+/).filter(Boolean);
      return words.length < wordsMin ? [] : [{ title, words: words.slice(0, wordsMost) }];
    })
    .slice(0, articlesEach);
}

function sites(articles: readonly Article[], { navigation, edited, markup }: Case, main: boolean): LabelledPage[] {
  const next = numbers(17);
  // Words of the texts themselves, so that navigation is in their language.
  const words = articles.flatMap((article) => article.words);
  const some = (count: number) => Array.from({ length: count }, () => words[next() % words.length]!);
  const frames = [some(navigation), some(navigation)];
  const pageOf = (site: number, n: number, family: string, { title, words: own }: Article): LabelledPage => {
    const url = `http://${'ab'[site]}.test/${n}`;
    const html = pageHtml({
      title: `${title} - Site ${'AB'[site]}`,
      navigation: frames[site]!,
      own,
      ads: some(adWords),
      markup,
    });
    return { url, ...textsOf(html, url, main), family, isCopy: family !== url };
  };
  const copied = articles.filter((_, n) => n % 2 === 0);
  const onA = copied.map((article, n) => pageOf(0, n, `http://a.test/${n}`, article));
  const others = articles.filter((_, n) => n % 2 === 1);
  const onB = [
    ...copied.map(({ title, words: own }, n) => {
      const copy = edited === 0 ? own : editedText(own.join(' '), edited, next).split(' ');
      return pageOf(1, n, `http://a.test/${n}`, { title, words: copy });
    }),
    ...others.map((article, n) => pageOf(1, copied.length + n, `http://b.test/${copied.length + n}`, article)),
  ];
  // As a crawl of both fetches them.
  return onB.flatMap((page, n) => (onA[n] === undefined ? [page] : [onA[n]!, page]));
}

interface PageParts {
  readonly title: string;
  readonly navigation: readonly string[];
  readonly own: readonly string[];
  readonly ads: readonly string[];
  readonly markup: Case['markup'];
}

function pageHtml({ title, navigation, own, ads, markup }: PageParts): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const [nav, aside, article] = markup === 'elements' ? ['nav', 'aside', 'article'] : ['div', 'div', 'div'];
  // Menus have entries of a few words, texts have paragraphs.
  const links = chunks(navigation, 3).map((entry, n) => `<li><a href="/m${n}">${escaped(entry.join(' '))}</a></li>`);
  const paragraphs = chunks(own, 80).map((words) => `<p>${escaped(words.join(' '))}</p>`);
  const offers = chunks(ads, 20).map((words, n) => `<p><a href="/ad${n}">${escaped(words.join(' '))}</a></p>`);
  paragraphs.splice(Math.ceil(paragraphs.length / 2), 0, `<${aside} class="ad">${offers.join('')}</${aside}>`);
  return `<title>${escaped(title)}</title><body><${nav} class="menu"><ul>${links.join('')}</ul></${nav}>
<${article} class="text"><h1>${escaped(title)}</h1>${paragraphs.join('')}</${article}></body>`;
}

function chunks(words: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(words.length / size) }, (_, n) => words.slice(n * size, (n + 1) * size));
}

const wanted = {
  ...{ mainText: true, markdown: false, language: false, metadata: false, tidyMarkup: false },
  mediaLinks: { images: false, scripts: false, data: false },
};

function textsOf(html: string, url: string, main: boolean): Pick<LabelledPage, 'title' | 'text' | 'mainText'> {
  const { text, title } = parsePage(html, {
    ...{ url, contentType: 'text/html', robotsTags: [], productToken: 'bench', linksMax: 0, textCharsMax: 1e6 },
    ...{ byteBudget: 1e7, expired: () => false },
  });
  return { title, text, mainText: main ? readRichPage(html, wanted, url, () => false).mainText : '' };
}
