/** Text and links of an .xlsx file: the cells of its sheets that are not hidden, a line a row. Source: ECMA-376 part 1, §18. */
import type { Gathered } from './gathered.ts';
import { readProperties, scanPart } from './gathered.ts';
import { relationsOf } from './relations.ts';
import type { ZipParts } from './zip-parts.ts';

const workbook = 'xl/workbook.xml';

export function readXlsx(parts: ZipParts, gathered: Gathered): void {
  if (!parts.has(workbook)) throw new Error('this XLSX file has no workbook part');
  readProperties(parts, 'docProps/core.xml', gathered);
  const relations = relationsOf(parts, workbook, gathered);
  const sheets: { readonly name: string; readonly part: string }[] = [];
  scanPart(parts, workbook, gathered, {
    open(_, name, value) {
      const part = name === 'sheet' ? relations.get(value('r:id'))?.target : undefined;
      if (part !== undefined && !/hidden/i.test(value('state'))) sheets.push({ name: value('name'), part });
    },
  });
  const strings = sharedStrings(parts, gathered);
  for (const { name, part } of sheets) {
    gathered.add(name);
    gathered.endLine();
    readSheet(parts, part, strings, gathered);
  }
}

/** Strings that cells name by number; no more of them than text is kept. */
function sharedStrings(parts: ZipParts, gathered: Gathered): string[] {
  const strings: string[] = [];
  const reading = new CellText();
  let chars = 0;
  scanPart(parts, 'xl/sharedStrings.xml', gathered, {
    ...reading.events,
    close(_, name) {
      reading.events.close(_, name);
      if (name !== 'si') return;
      const text = reading.take();
      // Later ones have their place, but no text: a file may hold more than is ever shown.
      strings.push(chars > 10 * gathered.options.textCharsMax ? '' : text);
      chars += text.length;
    },
  });
  return strings;
}

function readSheet(parts: ZipParts, part: string, strings: readonly string[], gathered: Gathered): void {
  const relations = relationsOf(parts, part, gathered);
  const reading = new CellText();
  let type = '';
  scanPart(parts, part, gathered, {
    open(prefix, name, value) {
      reading.events.open(prefix, name);
      if (name === 'c') type = value('t');
      else if (name === 'hyperlink') {
        const relation = relations.get(value('r:id'));
        if (relation?.isExternal === true) gathered.link(relation.target);
      }
    },
    text: reading.events.text,
    close(prefix, name) {
      reading.events.close(prefix, name);
      if (name === 'row') gathered.endLine();
      if (name !== 'c') return;
      const text = reading.take();
      gathered.add(type === 's' ? (strings[Number(text)] ?? '') : text);
      gathered.endCell();
    },
  });
}

/** The text of `t` and `v`, without pronunciation hints (`rPh`). */
class CellText {
  #text = '';
  #isText = false;
  #isSound = false;

  readonly events = {
    open: (_: string, name: string) => {
      this.#isSound ||= name === 'rph';
      this.#isText = name === 't' || name === 'v';
    },
    text: (text: string) => {
      // A cell holds 32,767 characters.
      if (this.#isText && !this.#isSound && this.#text.length < 65_536) this.#text += text;
    },
    close: (_: string, name: string) => {
      if (name === 'rph') this.#isSound = false;
      this.#isText = false;
    },
  };

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
