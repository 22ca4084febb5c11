/** Collects the content of a file with parts: lines of text and links, bounded, and its properties. */

import { decodeXml } from '../../../topology/parse/charset.ts';
import { resolveHttp } from '../../../topology/parse/hrefs.ts';
import type { ParseOptions } from '../../../topology/parse/page.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { collapseBlanks } from '../../../topology/parse/text.ts';
import { createXmlScanner, type XmlEvents } from '../../../topology/parse/xml.ts';
import type { ZipParts } from './zip-parts.ts';

export class Gathered {
  readonly options: ParseOptions;
  readonly links = new Set<string>();
  title = '';
  description = '';
  language = '';
  /** Something was left out, for its length or for the time. */
  isCut = false;
  readonly #lines: string[] = [];
  #line = '';
  #chars = 0;

  constructor(options: ParseOptions) {
    this.options = options;
  }

  /** True once the text has reached its limit. */
  get isFull(): boolean {
    return this.#chars > this.options.textCharsMax;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  add(text: string): void {
    if (this.isFull) this.isCut = true;
    // A line is no longer than all of the text may be; it is tidied at its end.
    else if (this.#line.length <= 2 * this.options.textCharsMax) this.#line += text;
  }

  /** Ends the cell of a table. */
  endCell(): void {
    this.#line = `${this.#line.trimEnd()}\t`;
  }

  endLine(): void {
    const line = this.#line.split('\t').map(collapseBlanks).join('\t').trim();
    this.#line = '';
    if (line === '') return;
    this.#lines.push(line);
    this.#chars += line.length + 1;
  }

  /** Adds absolute addresses only: a relative one leads to a place within the file. */
  link(href: string): void {
    if (!/^\s*https?:/i.test(href)) return;
    const url = resolveHttp(href, this.options.url);
    if (url !== null && this.links.size < linksHeld) this.links.add(url);
  }
}

/** Most links that are counted; only the first of them are returned. */
const linksHeld = 100_000;

/** Reads a part of XML while there is time; a missing part is empty. */
export function scanPart(parts: ZipParts, name: string, gathered: Gathered, events: Partial<XmlEvents>): void {
  const part = parts.read(name);
  if (part === undefined) return;
  const ignore = () => {};
  const scanner = createXmlScanner({ open: ignore, close: ignore, text: ignore, ...events });
  const xml = decodeXml(part, null);
  const slice = parseLimits.sliceChars;
  for (let at = 0; at < xml.length; at += slice) {
    if (gathered.options.expired()) {
      gathered.isCut = true;
      return;
    }
    scanner.write(xml.slice(at, at + slice));
  }
  scanner.end();
}

/** Reads title, description and language from Dublin Core elements. The first of each counts. */
export function readProperties(parts: ZipParts, name: string, gathered: Gathered): void {
  const found = new Map<string, string>();
  let here = '';
  scanPart(parts, name, gathered, {
    open(prefix, element) {
      here = prefix === 'dc' && !found.has(element) ? element : '';
    },
    text(text) {
      if (here !== '') found.set(here, ((found.get(here) ?? '') + text).slice(0, propertyCharsMax));
    },
    close() {
      here = '';
    },
  });
  gathered.title ||= found.get('title') ?? '';
  gathered.description ||= found.get('description') ?? found.get('subject') ?? '';
  gathered.language ||= (found.get('language') ?? '').trim().toLowerCase();
}

/** More than is kept of any. */
const propertyCharsMax = 4_000;
