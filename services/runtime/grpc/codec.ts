/** Converts gRPC messages to and from bytes. The only file that uses protobufjs. */
import protobuf from 'protobufjs/light.js';

export interface Codec<T> {
  encode(message: T): Buffer;
  /** Throws an Error if the bytes are not a message of this type. */
  decode(bytes: Uint8Array): T;
}

/** A message type from `schemas/`, for callers that change it before use. */
export type Proto = protobuf.INamespace;
export type ProtoType = protobuf.IType;

/** Codecs by the name of a type in a package of the proto. Absent fields have the default of their type. */
export function codecsOf(proto: Proto, packageName: string): <T>(name: string) => Codec<T> {
  const root = protobuf.Root.fromJSON(proto);
  return <T>(name: string): Codec<T> => {
    const type = root.lookupType(`${packageName}.${name}`);
    return {
      encode: (message) => type.encode(message as Record<string, unknown>).finish() as Buffer,
      decode: (bytes) => type.decode(bytes) as unknown as T,
    };
  };
}

/**
 * Codecs for plain objects that have only the fields that were sent: enums by name, 64-bit numbers as numbers, bytes
 * in base64.
 */
export function plainCodecsOf(proto: Proto, packageName: string): <T>(name: string) => Codec<T> {
  const root = protobuf.Root.fromJSON(proto);
  const plain = {
    enums: String,
    longs: Number,
    bytes: String,
    arrays: false,
    objects: false,
    defaults: false,
  } as const;
  return <T>(name: string): Codec<T> => {
    const type = root.lookupType(`${packageName}.${name}`);
    return {
      encode: (message) => type.encode(type.fromObject(message as Record<string, unknown>)).finish() as Buffer,
      decode: (bytes) => type.toObject(type.decode(bytes), plain) as T,
    };
  };
}
