/**
 * Text and links of a book: its chapters in their order, each read as the page that it is. Source: W3C EPUB 3.3, §4.2.6
 * (container), §5 (package document), §4.2.6.3.2 (encryption).
 */
import { parsePage } from '../../../topology/parse/page.ts';
import type { Gathered } from './gathered.ts';
import { readProperties, scanPart } from './gathered.ts';
import { partNamed } from './relations.ts';
import type { ZipParts } from './zip-parts.ts';

/** Chapters have no address; links among them do not lead out of the book. */
const inside = 'http://parts.invalid/';

export function readEpub(parts: ZipParts, gathered: Gathered): void {
  const book = packageOf(parts, gathered);
  if (book === '' || !parts.has(book)) throw new Error('this EPUB has no package document');
  readProperties(parts, book, gathered);
  const encrypted = encryptedParts(parts, gathered);
  let read = 0;
  for (const chapter of chaptersOf(parts, book, gathered)) {
    if (encrypted.has(chapter)) continue;
    if (gathered.isFull || gathered.options.expired()) {
      gathered.isCut = true;
      return;
    }
    const body = parts.read(chapter);
    if (body === undefined) continue;
    read += 1;
    const url = inside + chapter.split('/').map(encodeURIComponent).join('/');
    const page = parsePage(body, { ...gathered.options, url, contentType: null, byteBudget: body.length });
    for (const link of page.links) if (!link.startsWith(inside)) gathered.link(link);
    for (const line of page.text.split('\n')) {
      gathered.add(line);
      gathered.endLine();
    }
    gathered.isCut ||= !page.complete;
  }
  if (read === 0) throw new Error('this EPUB has no readable chapter');
}

function packageOf(parts: ZipParts, gathered: Gathered): string {
  let found = '';
  scanPart(parts, 'META-INF/container.xml', gathered, {
    open(_, name, value) {
      if (name === 'rootfile') found ||= value('full-path');
    },
  });
  return found;
}

/** Names of parts, in the order of the spine. */
function chaptersOf(parts: ZipParts, book: string, gathered: Gathered): Set<string> {
  const items = new Map<string, string>();
  const spine: string[] = [];
  scanPart(parts, book, gathered, {
    open(_, name, value) {
      if (name === 'item' && /html/i.test(value('media-type'))) items.set(value('id'), partNamed(value('href'), book));
      else if (name === 'itemref') spine.push(value('idref'));
    },
  });
  return new Set(spine.map((id) => items.get(id) ?? '').filter((part) => part !== ''));
}

function encryptedParts(parts: ZipParts, gathered: Gathered): Set<string> {
  const found = new Set<string>();
  scanPart(parts, 'META-INF/encryption.xml', gathered, {
    open(_, name, value) {
      if (name === 'cipherreference') found.add(partNamed(value('uri'), ''));
    },
  });
  return found;
}
