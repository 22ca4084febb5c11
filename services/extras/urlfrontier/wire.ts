/**
 * The messages of URLFrontier's API, to and from bytes.
 *
 * Metadata is kept as its entries' own bytes: on the wire a map is a list of entries, and code that only stores it
 * does not decode it.
 */
import { urlfrontierProto } from '../../../schemas/urlfrontier.ts';
import { codecsOf, type Proto, type ProtoType } from '../../runtime/grpc/codec.ts';

/** Returns the codec of a type by name. Absent fields have the default of their type. */
export const codecOf = codecsOf(opaqueMetadata(urlfrontierProto as Proto), 'urlfrontier');

export interface UrlInfo {
  readonly url: string;
  readonly key: string;
  /** Entries of the map, each as bytes. */
  readonly metadata: readonly Uint8Array[];
  readonly crawlID: string;
}

export interface UrlItem {
  readonly discovered: { readonly info: UrlInfo | null } | null;
  readonly known: { readonly info: UrlInfo | null; readonly refetchable_from_date: Whole } | null;
  readonly ID: string;
}

export interface DiscoveredBatch {
  readonly ID: string;
  readonly items: readonly UrlInfo[];
}

export interface Ack {
  readonly ID: string;
  readonly status: number;
  readonly reason?: string;
}

export interface BatchAck {
  readonly ID: string;
  readonly statuses: readonly number[];
  readonly reasons?: readonly string[];
}

/** A 64-bit whole number, as read or written. */
export type Whole = number | { readonly low: number; readonly high: number; toNumber(): number };

/** Beyond 2^53, the last digits are lost. */
export function numberOf(value: Whole): number {
  return typeof value === 'number' ? value : value.toNumber();
}

/** `map<string, StringList> metadata = 3`, read as `repeated bytes metadata = 3`: the same bytes. */
function opaqueMetadata(proto: Proto): Proto {
  const copy = structuredClone(proto);
  const types = (copy.nested!.urlfrontier as Proto).nested!;
  (types.URLInfo as ProtoType).fields.metadata = { rule: 'repeated', type: 'bytes', id: 3 };
  return copy;
}
