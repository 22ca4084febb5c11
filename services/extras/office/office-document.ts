/**
 * Reads text, title and links of office files and books: ZIP files of XML, with our parsers for both. A file that is
 * damaged, encrypted, or too large when unpacked fails alone. It runs in a worker that is killed when it takes too
 * long.
 *
 * A DTD is skipped and none of its entities is expanded (topology/parse/xml.ts); only parts within the file are read,
 * and nothing is loaded from outside.
 */
import { headerDirectives } from '../../../topology/parse/directives.ts';
import type { ParsedPage, ParseOptions } from '../../../topology/parse/page.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { collapseBlanks, cut } from '../../../topology/parse/text.ts';
import { Gathered } from './gathered.ts';
import { type OfficeFormat, officeFormatOf } from './office-format.ts';
import { readDocx } from './read-docx.ts';
import { readEpub } from './read-epub.ts';
import { readOdt } from './read-odt.ts';
import { readXlsx } from './read-xlsx.ts';
import { ZipParts } from './zip-parts.ts';

const readers: Readonly<Record<OfficeFormat, (parts: ZipParts, gathered: Gathered) => void>> = {
  docx: readDocx,
  xlsx: readXlsx,
  odt: readOdt,
  epub: readEpub,
};

/** Throws an Error if the file cannot be read. The media type decides on the format. */
export function read(body: Uint8Array, options: ParseOptions): ParsedPage {
  const format = officeFormatOf(options.contentType ?? '');
  if (format === null) throw new Error('this office format is not supported');
  const gathered = new Gathered(options);
  readers[format](new ZipParts(body), gathered);
  gathered.endLine();
  const robots = headerDirectives(options.robotsTags, options.productToken);
  const links = robots.nofollow ? [] : [...gathered.links];
  const { text } = gathered;
  return {
    links: links.slice(0, options.linksMax),
    nofollowed: [],
    linksDropped: Math.max(links.length - options.linksMax, 0),
    title: cut(collapseBlanks(gathered.title), parseLimits.titleCharsMax),
    description: cut(collapseBlanks(gathered.description), parseLimits.descriptionCharsMax),
    text: cut(text, options.textCharsMax),
    canonical: '',
    base: options.url,
    metaRefresh: null,
    robots,
    declaredLanguage: /^[a-z]{2,3}(-[a-z0-9-]+)?$/.test(gathered.language) ? gathered.language : '',
    charset: '',
    complete: !gathered.isCut && text.length <= options.textCharsMax,
  };
}
