/** The Secret in which Helm keeps a release. Its client sends it as protobuf, and takes JSON as the answer. */
import protobuf from 'protobufjs';
import type { Manifest } from './tools.ts';

/** What is read of Kubernetes's definitions, by their field numbers. */
const { root } = protobuf.parse(`
  syntax = "proto2";
  message Unknown { optional bytes raw = 2; }
  message Meta { optional string name = 1; optional string namespace = 3; map<string, string> labels = 11; }
  message Secret { optional Meta metadata = 1; map<string, bytes> data = 2; optional string type = 3; }
`);
const magic = Buffer.from('k8s\0');

export function isProtobuf(body: Buffer): boolean {
  return body.subarray(0, magic.length).equals(magic);
}

export function releaseSecret(body: Buffer): Manifest {
  const { raw } = root.lookupType('Unknown').decode(body.subarray(magic.length)) as unknown as { raw: Uint8Array };
  const type = root.lookupType('Secret');
  const secret = type.toObject(type.decode(raw), { bytes: String }) as Pick<Manifest, 'metadata'>;
  return { apiVersion: 'v1', kind: 'Secret', ...secret };
}
