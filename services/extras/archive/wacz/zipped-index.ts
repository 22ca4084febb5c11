/**
 * The index of a WACZ as ZipNum: lines in gzip members of `linesPerMember`, and a second index with the position of
 * each member, so that a reader finds a URL with two reads, however long the index is. Source: pywb, "ZipNum sharded
 * CDX".
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sha256Of } from './sha256.ts';

const compress = promisify(gzip);
/** The same number as in other tools. */
const linesPerMember = 3_000;

export const indexName = 'index.cdx.gz';

/** Yields the members; `places` is complete once all of them have been taken. */
export async function* zippedIndex(lines: AsyncIterable<{ readonly text: string }>, places: string[]) {
  places.push(`!meta 0 ${JSON.stringify({ format: 'cdxj-gzip-1.0', filename: indexName })}`);
  let offset = 0;
  let held: string[] = [];
  const member = async () => {
    const bytes = await compress(held.map((text) => `${text}\n`).join(''));
    const [key, time] = held[0]!.split(' ', 2);
    const place = { offset, length: bytes.length, digest: sha256Of(bytes), filename: indexName };
    places.push(`${key} ${time} ${JSON.stringify(place)}`);
    offset += bytes.length;
    held = [];
    return bytes;
  };
  for await (const { text } of lines) {
    held.push(text);
    if (held.length === linesPerMember) yield await member();
  }
  if (held.length > 0) yield await member();
}
