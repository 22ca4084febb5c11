/** Text and links of an .odt file. Source: OASIS OpenDocument 1.3 part 3, §5 and §6; part 2, §4 (encryption). */
import type { Gathered } from './gathered.ts';
import { readProperties, scanPart } from './gathered.ts';
import type { ZipParts } from './zip-parts.ts';

const content = 'content.xml';
/** Its text is not the document's. */
const apart = new Set(['tracked-changes', 'annotation', 'forms']);

export function readOdt(parts: ZipParts, gathered: Gathered): void {
  if (!parts.has(content)) throw new Error('this OpenDocument file has no content part');
  if (isEncrypted(parts, gathered)) throw new Error('it is encrypted');
  readProperties(parts, 'meta.xml', gathered);
  let depth = 0;
  let apartDepth = 0;
  scanPart(parts, content, gathered, {
    open(_, name, value) {
      if (apart.has(name)) apartDepth += 1;
      if (name === 'p' || name === 'h') depth += 1;
      else if (apartDepth > 0) return;
      else if (name === 's' || name === 'tab' || name === 'line-break') gathered.add(' ');
      else if (name === 'a') gathered.link(value('xlink:href'));
    },
    text(text) {
      if (depth > 0 && apartDepth === 0) gathered.add(text);
    },
    close(_, name) {
      if (apart.has(name)) apartDepth -= 1;
      if (name !== 'p' && name !== 'h') return;
      depth -= 1;
      if (apartDepth === 0) gathered.endLine();
    },
  });
}

function isEncrypted(parts: ZipParts, gathered: Gathered): boolean {
  let found = false;
  scanPart(parts, 'META-INF/manifest.xml', gathered, {
    open(_, name) {
      found ||= name === 'encryption-data';
    },
  });
  return found;
}
