/** Text and links of a .docx file: its paragraphs, and its notes. Source: ECMA-376 part 1, §17. */
import type { Gathered } from './gathered.ts';
import { readProperties, scanPart } from './gathered.ts';
import { relationsOf } from './relations.ts';
import type { ZipParts } from './zip-parts.ts';

const main = 'word/document.xml';
const notes = ['word/footnotes.xml', 'word/endnotes.xml'];
const fieldCharsMax = 10_000;

export function readDocx(parts: ZipParts, gathered: Gathered): void {
  if (!parts.has(main)) throw new Error('this DOCX file has no document part');
  readProperties(parts, 'docProps/core.xml', gathered);
  for (const part of [main, ...notes]) readParagraphs(parts, part, gathered);
}

function readParagraphs(parts: ZipParts, part: string, gathered: Gathered): void {
  const relations = relationsOf(parts, part, gathered);
  let inText = false;
  /** An instruction of a field, as HYPERLINK "…"; it may come in pieces. */
  let field: string | null = null;
  scanPart(parts, part, gathered, {
    open(_, name, value) {
      inText = name === 't';
      if (name === 'tab' || name === 'br' || name === 'cr') gathered.add(' ');
      else if (name === 'instrtext') field ??= '';
      else if (name === 'fldsimple') linkOfField(value('w:instr'), gathered);
      else if (name === 'hyperlink') {
        const relation = relations.get(value('r:id'));
        if (relation?.isExternal === true) gathered.link(relation.target);
      }
    },
    text(text) {
      if (inText) gathered.add(text);
      else if (field !== null && field.length < fieldCharsMax) field += text;
    },
    close(_, name) {
      inText = false;
      if (name !== 'p') return;
      if (field !== null) linkOfField(field, gathered);
      field = null;
      gathered.endLine();
    },
  });
}

function linkOfField(instruction: string, gathered: Gathered): void {
  for (const [, href] of instruction.matchAll(/\bHYPERLINK\s+"([^"]*)"/gi)) gathered.link(href!);
}
