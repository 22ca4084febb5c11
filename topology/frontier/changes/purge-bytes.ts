/** A purge as bytes: part of the changelog's format. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { type PurgedFrom, purgePlaces } from './changes.ts';
import { pick } from './url-record-bytes.ts';

interface Purge {
  readonly hostKey: string;
  readonly url: string;
  readonly from: PurgedFrom;
}

export function writePurge(writer: ByteWriter, { hostKey, url, from }: Purge): void {
  writer.string(hostKey);
  writer.string(url);
  writer.byte(purgePlaces.indexOf(from.in));
  writer.uint(from.a);
  writer.uint(from.b);
}

export function readPurge(reader: ByteReader): Purge {
  const [hostKey, url] = [reader.string(), reader.string()];
  return { hostKey, url, from: { in: pick(purgePlaces, reader.byte(), 'place'), a: reader.uint(), b: reader.uint() } };
}
