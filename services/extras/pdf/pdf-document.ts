/**
 * A PDF's text, title and links, by pdf.js without a canvas. The only file that knows unpdf.
 *
 * Runs in a worker that is killed when it takes too long: pdf.js is a large interpreter, and PDFs can be hostile. Its
 * own compiler and the machine's fonts are off.
 */
import { extractLinks, getDocumentProxy, getMeta } from 'unpdf';
import { headerDirectives } from '../../../topology/parse/directives.ts';
import { resolveHttp } from '../../../topology/parse/hrefs.ts';
import type { ParsedPage, ParseOptions } from '../../../topology/parse/page.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { collapseBlanks, cut } from '../../../topology/parse/text.ts';

/** Rejects if the file is not a PDF, or needs a password. */
export async function read(body: Uint8Array, options: ParseOptions): Promise<ParsedPage> {
  // pdf.js takes the memory it is given for its own.
  const document = await getDocumentProxy(Uint8Array.from(body), {
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: 0,
  });
  const robots = headerDirectives(options.robotsTags, options.productToken);
  const pieces: string[] = [];
  let chars = 0;
  let number = 1;
  for (; number <= document.numPages && chars < options.textCharsMax && !options.expired(); number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = collapseBlanks(
      items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''),
    );
    page.cleanup();
    chars += text.length + 1;
    pieces.push(text);
  }
  const complete = number > document.numPages;
  const hrefs = robots.nofollow || !complete ? [] : (await extractLinks(document)).links;
  const links = new Set(hrefs.map((href) => resolveHttp(href, options.url)).filter((url) => url !== null));
  const { info } = await getMeta(document);
  return {
    links: [...links].slice(0, options.linksMax),
    nofollowed: [],
    linksDropped: Math.max(links.size - options.linksMax, 0),
    title: cut(collapseBlanks(textOf(info['Title'])), parseLimits.titleCharsMax),
    description: cut(collapseBlanks(textOf(info['Subject'])), parseLimits.descriptionCharsMax),
    text: cut(pieces.join('\n').trim(), options.textCharsMax),
    canonical: '',
    base: options.url,
    metaRefresh: null,
    robots,
    declaredLanguage: '',
    charset: '',
    complete,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
