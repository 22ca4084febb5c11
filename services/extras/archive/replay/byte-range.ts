/** A part of a body (RFC 9110 §14): one range. For several ranges, or an invalid one, the whole body is sent. */

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Null: the whole body. `none`: the range is not satisfiable. */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'none' | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  if (from === '')
    return Number(to) === 0 || bytes === 0 ? 'none' : { first: Math.max(0, bytes - Number(to)), last: bytes - 1 };
  const [first, last] = [Number(from), to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)];
  if (to !== '' && Number(to) < first) return null;
  return first >= bytes ? 'none' : { first, last };
}

/** The bytes before the range are read and dropped, because the body may be compressed. */
export async function* partOf(body: AsyncIterable<Buffer>, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of body) {
    const part = piece.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at));
    at += piece.length;
    if (part.length > 0) yield part;
    if (at > last) return;
  }
}
