/** A grant as bytes, of whatever kind: part of the changelog's format. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Change } from './changes.ts';

type Grant = Omit<Change & { readonly kind: 'grant' }, 'kind'>;

export function writeGrant(writer: ByteWriter, grant: Grant): void {
  writer.uint(grant.leaseId);
  writer.string(grant.hostKey);
  writer.uint(grant.again);
  writer.uint(grant.bands.length);
  for (const [band, count] of grant.bands) {
    writer.byte(band);
    writer.uint(count);
  }
  writer.uint(grant.deadlineMs);
  writer.uint(grant.delayMs);
}

export function readGrant(reader: ByteReader): Grant {
  return {
    leaseId: reader.uint(),
    hostKey: reader.string(),
    again: reader.uint(),
    bands: readBands(reader),
    deadlineMs: reader.uint(),
    delayMs: reader.uint(),
  };
}

function readBands(reader: ByteReader): (readonly [number, number])[] {
  const bands: (readonly [number, number])[] = [];
  for (let left = reader.uint(); left > 0; left--) bands.push([reader.byte(), reader.uint()]);
  return bands;
}
