/** Pages, sitemaps and feeds. */

import { createSitemapAgenda } from '../../services/fetcher/sitemaps/agenda.ts';
import { feedSignature } from '../../topology/content/feed-signature.ts';
import { createJsonFeedReader } from '../../topology/parse/json-feed.ts';
import { type ParseOptions, parsePage } from '../../topology/parse/page.ts';
import { parseLimits } from '../../topology/parse/parse-limits.ts';
import { htmlRequisites } from '../../topology/parse/requisites.ts';
import { createSitemapReader, parseSitemap } from '../../topology/parse/sitemap.ts';
import { type BoundaryTable, cutAt, tuning, upTo } from './boundary.ts';
import { urlOf } from './url.ts';

const options: ParseOptions = {
  url: 'http://a.test/',
  contentType: 'text/html; charset=utf-8',
  robotsTags: [],
  productToken: 'x',
  linksMax: 2,
  textCharsMax: 10 * parseLimits.textCharsMax,
  byteBudget: 64 * 1024 * 1024,
  expired: () => false,
};
export const pageOf = (html: string) => parsePage(html, options);
const page = pageOf;

export const clientUrl = {
  url: 'http://a.test/s.xml',
  hostKey: 'a.test',
  depth: 0,
  origin: 'http://a.test',
  namedAtMs: 1,
  trusted: false,
  hop: 0,
  nesting: 0,
  tries: 0,
};

export const parseBoundaries: BoundaryTable<typeof parseLimits> = {
  sliceChars: tuning('how often the deadline is looked at'),
  // Spellings of one page beyond what is remembered are counted as dropped, not looked at: the last is another page.
  hrefsPerLink: upTo((n) => {
    const spellings = Array.from({ length: n * options.linksMax - 1 }, (_, i) => `<a href="${'./'.repeat(i)}p">`);
    return page(`${spellings.join('')}<a href="q">`).links.includes('http://a.test/q');
  }),
  hrefCharsMax: upTo((n) => {
    const dots = './'.repeat(Math.floor((n - 2) / 2));
    const inPage = page(`<a href="${dots}${'x'.repeat(n - dots.length)}">`).links.length === 1;
    const listed = parseSitemap(Buffer.from(urlOf(n)), null, 'http://a.test/s.txt').entries.length === 1;
    const mapped = `<urlset><url><loc>${urlOf(n)}</loc></url></urlset>`;
    return inPage && listed && parseSitemap(Buffer.from(mapped), null, 'http://a.test/s.xml').entries.length === 1;
  }),
  requisitesMax: cutAt(parseLimits.requisitesMax, (n) => {
    const pictures = Array.from({ length: n }, (_, i) => `<img src=${i}.png>`);
    return htmlRequisites(pictures.join(''), options.url).length;
  }),
  requisiteTagChars: upTo((n) => {
    const tag = `<img alt="${'x'.repeat(n - 16)}" src=p`;
    return htmlRequisites(`${tag}>`, options.url).length === 1;
  }),
  textCharsMax: cutAt(parseLimits.textCharsMax, (n) => page(`<p>${'x'.repeat(n)}</p>`).text.length),
  titleCharsMax: cutAt(parseLimits.titleCharsMax, (n) => page(`<title>${'x'.repeat(n)}</title>`).title.length),
  descriptionCharsMax: cutAt(
    parseLimits.descriptionCharsMax,
    (n) => page(`<meta name=description content="${'x'.repeat(n)}">`).description.length,
  ),
  sitemapEntriesMax: cutAt(parseLimits.sitemapEntriesMax, (n) => {
    const lines = Array.from({ length: n }, (_, i) => `http://a.test/${i}`).join('\n');
    return parseSitemap(Buffer.from(lines), null, 'http://a.test/s.txt').entries.length;
  }),
  // The sitemap ends in a URL of two characters after its slash; of the last, one byte is beyond the bound.
  sitemapBytesMax: upTo(
    (n) => {
      const reader = createSitemapReader(null, 'http://a.test/s.txt');
      const last = '\nhttp://a.test/ab';
      reader.write(Buffer.alloc(1024 * 1024, ' '));
      reader.write(Buffer.from('http://a.test/first'));
      for (let left = n - 1024 * 1024 - 19 - last.length; left > 0; left -= 1024 * 1024) {
        reader.write(Buffer.alloc(Math.min(left, 1024 * 1024), '\n'));
      }
      reader.write(Buffer.from(last));
      reader.end();
      return reader
        .take()
        .map(({ url }) => url.slice(-2))
        .at(-1);
    },
    'ab',
    '/a',
  ),
  sitemapNestingMax: upTo((n) => {
    const agenda = createSitemapAgenda();
    agenda.add({ ...clientUrl, nesting: n });
    return agenda.waiting('a.test') === 1;
  }),
  jsonFeedCharsMax: upTo((n) => {
    const feed = '{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"http://a.test/1"}],"x":"';
    const reader = createJsonFeedReader();
    reader.write(feed);
    reader.write('x'.repeat(n - feed.length - 2));
    reader.write('"}');
    reader.end();
    return reader.take().length === 1 && reader.form === 'feed';
  }),
  entryMarksMax: upTo((n) => {
    const urls = Array.from({ length: n }, (_, i) => `http://a.test/${i}`);
    return feedSignature(urls, 0).length === 'feed/0/'.length + n * 8;
  }),
};
