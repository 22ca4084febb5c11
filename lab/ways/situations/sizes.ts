/** Bodies at the edges of the limit on a page (2 MiB), on the wire and behind their coding. */
import { gzipSync } from 'node:zlib';
import { html, ok, pageOutcome, pageText } from './answers.ts';
import type { Answer, Situation } from './situation.ts';

const limit = 2 * 1024 * 1024;
/** A page of so many bytes. */
function sized(bytes: number): Buffer {
  const text = pageText();
  return Buffer.from(text.replace('<p>Words', `${' '.repeat(bytes - Buffer.byteLength(text))}<p>Words`));
}
const size = (name: string, body: Buffer, expects: string, more: Partial<Answer> = {}): Situation => ({
  ...{ group: 'size', name, page: [ok({ body, ...more })], expects, outcomeOf: pageOutcome, isSlow: true },
});
const zipped: Partial<Answer> = { fields: [html, ['Content-Encoding', 'gzip']] };
const whole = 'fetched 200, whole';
const part = 'fetched 200, a part, marked as cut';

export const sizes: readonly Situation[] = [
  size('2 MiB', sized(limit), whole),
  size('2 MiB in chunks', sized(limit), whole, { framing: 'chunks' }),
  size('2 MiB and 100 bytes', sized(limit + 100), part),
  size('2 MiB and 100 bytes, in chunks', sized(limit + 100), part, { framing: 'chunks' }),
  size('2 MiB, gzip', gzipSync(sized(limit)), whole, zipped),
  size('2 MiB and 100 bytes, gzip', gzipSync(sized(limit + 100)), part, zipped),
  size('one byte', Buffer.from('x'), 'fetched 200, no text'),
];
