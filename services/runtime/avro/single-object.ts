/**
 * Avro's single-object encoding: two marker bytes, the schema's CRC-64-AVRO fingerprint in 8 bytes little-endian, the
 * body. Source: Avro 1.11, "Single object encoding" and "Schema fingerprints".
 *
 * Without a registry, records have a fingerprint instead of an id: each schema has a different fingerprint.
 */
import type { Type } from 'avsc';
import { canonicalForm, typeOf } from './avro-types.ts';

export const singleObjectHeaderBytes = 10;

const marker = [0xc3, 0x01] as const;
const emptyFingerprint = 0xc15d213aa4d7a795n;

const table = Array.from({ length: 256 }, (_, byte) => {
  let fingerprint = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) fingerprint = (fingerprint >> 1n) ^ (fingerprint & 1n ? emptyFingerprint : 0n);
  return fingerprint;
});

const fingerprints = new WeakMap<Type, string>();

/** CRC-64-AVRO of the schema's Parsing Canonical Form, which has neither docs nor defaults; 16 hexadecimal digits. */
export function fingerprint64(schema: object): string {
  const type = typeOf(schema);
  const fingerprint = fingerprints.get(type) ?? computeFingerprint(schema);
  fingerprints.set(type, fingerprint);
  return fingerprint;
}

function computeFingerprint(schema: object): string {
  let fingerprint = emptyFingerprint;
  for (const byte of Buffer.from(canonicalForm(schema))) {
    fingerprint = (fingerprint >> 8n) ^ (table[Number((fingerprint ^ BigInt(byte)) & 0xffn)] as bigint);
  }
  return fingerprint.toString(16).padStart(16, '0');
}

/** The first bytes of a record with this fingerprint of its schema. */
export function singleObjectHeader(fingerprint: string): Buffer {
  const header = Buffer.alloc(singleObjectHeaderBytes);
  header.set(marker);
  header.writeBigUInt64LE(BigInt(`0x${fingerprint}`), marker.length);
  return header;
}

/**
 * Returns the fingerprint of a record; undefined if it is not in single-object encoding. A record that begins with
 * `usual`, as nearly all do, has the fingerprint `usually`, which is returned without decoding.
 */
export function fingerprintIn(bytes: Buffer, usual?: Buffer, usually?: string): string | undefined {
  if (bytes.length < singleObjectHeaderBytes || bytes[0] !== marker[0] || bytes[1] !== marker[1]) return undefined;
  if (usual?.compare(bytes, 0, singleObjectHeaderBytes) === 0) return usually;
  return bytes.readBigUInt64LE(marker.length).toString(16).padStart(16, '0');
}
