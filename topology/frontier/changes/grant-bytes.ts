/** A grant as bytes, of whatever kind: part of the changelog's format. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Change } from './changes.ts';

type Grant = Omit<Change & { readonly kind: 'grant' }, 'kind'>;

export function writeGrant(writer: ByteWriter, grant: Grant): void {
  writer.uint(grant.leaseId);
  writer.string(grant.hostKey);
  writer.uint(grant.again);
  writer.uint(grant.frontQueues.length);
  for (const [frontQueue, count] of grant.frontQueues) {
    writer.byte(frontQueue);
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
    frontQueues: readFrontQueues(reader),
    deadlineMs: reader.uint(),
    delayMs: reader.uint(),
  };
}

function readFrontQueues(reader: ByteReader): (readonly [number, number])[] {
  const frontQueues: (readonly [number, number])[] = [];
  for (let left = reader.uint(); left > 0; left--) frontQueues.push([reader.byte(), reader.uint()]);
  return frontQueues;
}
