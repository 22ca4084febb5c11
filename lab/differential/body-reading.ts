/** Title and links in the bytes of a body, for readers that do not parse it. */
import { endMark, startMark } from './draft.ts';
import type { Reading } from './reading.ts';

/** UTF-16 is recognised by its letters apart from the zero bytes between them. */
export function bodyReading(body: Buffer): Reading {
  const text = body.toString('latin1').replaceAll('\0', '');
  if (!text.includes(startMark)) return { got: 'nothing' };
  return { got: text.includes(endMark) ? 'whole' : 'part' };
}
