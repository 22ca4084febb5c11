/**
 * Relationships between the parts of Microsoft's office files. Source: ECMA-376 part 2, §9.3 (relationships), §10.2.2
 * (names of parts).
 */
import { canParse } from '../../../topology/url/can-parse.ts';
import type { Gathered } from './gathered.ts';
import { scanPart } from './gathered.ts';
import type { ZipParts } from './zip-parts.ts';

export interface Relation {
  /** The last piece of its type: `hyperlink`, `worksheet`, … */
  readonly type: string;
  /** For an external target its address as written, else the name of a part. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** By id. */
export function relationsOf(parts: ZipParts, part: string, gathered: Gathered): Map<string, Relation> {
  const found = new Map<string, Relation>();
  const at = part.lastIndexOf('/') + 1;
  scanPart(parts, `${part.slice(0, at)}_rels/${part.slice(at)}.rels`, gathered, {
    open(_, name, value) {
      if (name !== 'relationship') return;
      const isExternal = value('targetmode').toLowerCase() === 'external';
      const target = isExternal ? value('target') : partNamed(value('target'), part);
      found.set(value('id'), { type: value('type').split('/').at(-1)!, target, isExternal });
    },
  });
  return found;
}

/** The name of a part that another refers to. Empty: not the name of a part. */
export function partNamed(reference: string, from: string): string {
  const base = `http://parts.invalid/${from.split('/').map(encodeURIComponent).join('/')}`;
  if (!canParse(reference, base)) return '';
  const { pathname, host } = new URL(reference, base);
  try {
    return host === 'parts.invalid' ? decodeURIComponent(pathname.slice(1)) : '';
  } catch {
    return '';
  }
}
