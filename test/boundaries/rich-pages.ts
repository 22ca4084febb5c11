/** What is read from a page beyond links and text. */

import { extractRulesSchema } from '../../services/fetcher/pages/extract-rules.ts';
import { pageOutlinks } from '../../services/fetcher/pages/page-outlinks.ts';
import { selectFields } from '../../services/fetcher/pages/select-fields.ts';
import { type ParseOptions, parsePage } from '../../topology/parse/page.ts';
import { fieldValue } from '../../topology/parse/rich/field-value.ts';
import { createMainText } from '../../topology/parse/rich/main-text.ts';
import { readMarkup } from '../../topology/parse/rich/markup.ts';
import { metadataJson } from '../../topology/parse/rich/metadata.ts';
import { richLimits } from '../../topology/parse/rich/rich-limits.ts';
import { type RichWanted, readRichPage } from '../../topology/parse/rich/rich-page.ts';
import { createTidyMarkup } from '../../topology/parse/rich/tidy-markup.ts';
import { srcsetUrls } from '../../topology/parse/srcset.ts';
import { type BoundaryTable, cutAt, driven, from, tuning, undriven, upTo } from './boundary.ts';

const everything: RichWanted = {
  mainText: true,
  markdown: true,
  language: false,
  metadata: true,
  mediaLinks: { images: true, scripts: true },
  tidyMarkup: true,
};
const read = (html: string) => readRichPage(html, everything, 'http://a.test/', () => false);

/** Of the first element. */
function attributesOf(html: string): ReadonlyMap<string, string> {
  const found: ReadonlyMap<string, string>[] = [];
  const ignore = () => {};
  readMarkup(html, { open: (_, attributes) => found.push(attributes), close: ignore, text: ignore }, () => false);
  return found[0]!;
}

const nofollowLinks = (count: number) => Array.from({ length: count }, (_, i) => `<a rel=nofollow href=${i}>`).join('');
const pageOptions: ParseOptions = {
  ...{ url: 'http://a.test/', contentType: 'text/html', robotsTags: [], productToken: 'x' },
  ...{ linksMax: 1, textCharsMax: 1, byteBudget: 1 << 20, expired: () => false },
};
const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');

export const richBoundaries: BoundaryTable<typeof richLimits> = {
  sliceChars: tuning('how often the deadline is looked at'),
  nameCharsMax: cutAt(richLimits.nameCharsMax, (n) => [...attributesOf(`<p ${'x'.repeat(n)}=1>`).keys()][0]!.length),
  attributesMax: cutAt(richLimits.attributesMax, (n) => {
    const written = Array.from({ length: n }, (_, i) => `a${i}=1`).join(' ');
    return attributesOf(`<p ${written}>`).size;
  }),
  valueCharsMax: cutAt(richLimits.valueCharsMax, (n) => attributesOf(`<p x="${'y'.repeat(n)}">`).get('x')!.length),
  depthMax: cutAt(richLimits.depthMax, (n) => read('<div>'.repeat(n)).tidyMarkup.split('<div>').length - 1),
  // The end tag of the outermost of n elements closes them all; where it is too far up, what follows is inside.
  closeDepthMax: upTo(
    (n) => {
      const tidy = createTidyMarkup();
      const main = createMainText();
      main.open('p', new Map());
      main.text(words(60));
      main.close('p');
      tidy.open('nav', new Map());
      main.open('nav', new Map());
      for (let i = 1; i < n; i++) {
        tidy.open('div', new Map());
        main.open('div', new Map());
      }
      tidy.close('nav');
      main.close('nav');
      tidy.text('!');
      main.open('p', new Map());
      main.text(`${words(50)}!`);
      return [tidy.finish().endsWith('</nav>!'), main.finish().text.includes('!')];
    },
    [true, true],
    [false, false],
  ),
  mainWordsMin: from((n) => {
    const html = `<main><p>${words(n)}</p></main><div><p>${words(60)}!</p></div>`;
    return !read(html).mainText.includes('!');
  }),
  mainTextCharsMax: cutAt(
    richLimits.mainTextCharsMax,
    (n) => read(`<p>${'x y '.repeat(n).slice(0, n - 1)}z</p>`).mainText.length,
  ),
  // Blocks of one word, and the blank lines between them, which do not count.
  markdownCharsMax: upTo(
    (n) => {
      const half = Math.floor(n / 2);
      return read(`<p>${'x'.repeat(half)}</p><p>${'x'.repeat(n - half - 1)}!</p>`).markdown.endsWith('!');
    },
    true,
    false,
  ),
  linkCharsMax: upTo(
    (n) => read(`<p>${words(60)} <a href="${'x'.repeat(n)}">there</a></p>`).markdown.includes('](http://a.test/x'),
    true,
    false,
  ),
  metadataValuesMax: cutAt(richLimits.metadataValuesMax, (n) => {
    const { metadata } = read('<meta property="og:image" content="x">'.repeat(n));
    return metadata!.openGraph['og:image']!.length;
  }),
  jsonLdBlocksMax: cutAt(
    richLimits.jsonLdBlocksMax,
    (n) => read('<script type="application/ld+json">{}</script>'.repeat(n)).metadata!.jsonLd.length,
  ),
  jsonLdCharsMax: upTo(
    (n) => {
      const { jsonLd, jsonLdBroken } = read(`<script type="application/ld+json">"${'x'.repeat(n - 2)}"</script>`)
        .metadata!;
      return [jsonLd.length, jsonLdBroken];
    },
    [1, 0],
    [0, 1],
  ),
  jsonLdLenientCharsMax: upTo(
    (n) => read(`<script type="application/ld+json">["${'x'.repeat(n - 5)}",]</script>`).metadata!.jsonLd.length,
    1,
    0,
  ),
  metadataCharsMax: upTo(
    (n) => {
      const frame = JSON.stringify({ openGraph: {}, jsonLd: ['a', ''], jsonLdBroken: 0 }).length;
      const json = metadataJson({ openGraph: {}, jsonLd: ['a', 'x'.repeat(n - frame)], jsonLdBroken: 0 });
      return (JSON.parse(json) as { jsonLd: unknown[] }).jsonLd.length;
    },
    2,
    1,
  ),
  mediaLinksMax: cutAt(
    richLimits.mediaLinksMax,
    (n) => read(Array.from({ length: n }, (_, i) => `<img src=${i}>`).join('')).mediaLinks.length,
  ),
  nofollowedMax: cutAt(richLimits.nofollowedMax, (n) => parsePage(nofollowLinks(n), pageOptions).nofollowed.length),
  nofollowedCharsMax: upTo(
    (n) => pageOutlinks(['x'.repeat(n)], (url) => url, richLimits.nofollowedCharsMax).length,
    1,
    0,
  ),
  srcsetMax: cutAt(
    richLimits.srcsetMax,
    (n) => srcsetUrls(Array.from({ length: n }, (_, i) => `${i}.png 2x`).join(', '), richLimits.srcsetMax).length,
  ),
  tidyCharsMax: driven(
    (n) => {
      const tidy = createTidyMarkup();
      tidy.text('x'.repeat(n - 1));
      tidy.text('y');
      return tidy.finish().length;
    },
    richLimits.tidyCharsMax - 1,
    richLimits.tidyCharsMax,
    richLimits.tidyCharsMax,
  ),
  fieldsMax: upTo(
    (n) =>
      extractRulesSchema.safeParse({ fields: Array.from({ length: n }, (_, i) => ({ name: `f${i}`, selector: 'p' })) })
        .success,
  ),
  fieldValuesMax: cutAt(richLimits.fieldValuesMax, (n) => {
    const rule = { name: 'x', selector: 'p', attribute: '', type: 'string', all: true } as const;
    return selectFields('<p>x</p>'.repeat(n), 'http://a.test/', [rule])[0]!.values.length;
  }),
  fieldCharsMax: cutAt(richLimits.fieldCharsMax, (n) => {
    const field = fieldValue('x'.repeat(n), 'string', 'http://a.test/');
    return 'value' in field && field.value.length;
  }),
  fieldsCharsMax: upTo(
    (n) => {
      const field = (name: string) => ({ name, selector: name, attribute: '', type: 'string', all: true }) as const;
      const html = `${`<p>${'x'.repeat(9_990)}</p>`.repeat(100)}<h1>${'y'.repeat(n - 999_000)}</h1>`;
      return selectFields(html, 'http://a.test/', [field('p'), field('h1')])[1]!.values.length;
    },
    1,
    0,
  ),
  fieldsRestFactor: tuning('how long a site has no fields'),
  fieldsRestDoublingsMax: undriven('field-turns.test.ts has a site rest once more than that'),
  fieldSitesMax: undriven('which of ten thousand sites is forgotten first: it is unknown again'),
  outlinkCharsMax: upTo(
    (n) => {
      const half = richLimits.outlinkCharsMax / 2;
      return pageOutlinks(['x'.repeat(half), 'y'.repeat(n - half)], (url) => url).length;
    },
    2,
    1,
  ),
};
