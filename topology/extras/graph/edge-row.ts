/**
 * Encodes one page's links as a row, about 15 bytes a link. The key orders pages by host. The value has the targets
 * sorted and front-coded: each as the length of its shared prefix with the previous target, and its rest.
 *
 *   key     'E' <host key> 0x00 <URL>
 *   value   <fetched at, ms, u48> <links, varint> then per link: <shared, varint> <rest, varint> <rest, UTF-8>
 */
export interface PageEdges {
  /** Host key of the page. */
  readonly host: string;
  readonly url: string;
  readonly fetchedAtMs: number;
  /** Sorted by their bytes, each once. */
  readonly targets: readonly string[];
}

const space = 0x45;

/** All rows of edges: `gte <= key < lt`. */
export const edgeRange = { gte: Uint8Array.of(space), lt: Uint8Array.of(space + 1) };

/** The rows of one host's pages. */
export function edgesOfHost(host: string): { readonly gte: Uint8Array; readonly lt: Uint8Array } {
  return { gte: encoder.encode(`E${host}\0`), lt: encoder.encode(`E${host}\u0001`) };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function edgeKey(host: string, url: string): Uint8Array {
  return encoder.encode(`E${host}\0${url}`);
}

export function edgeValue(fetchedAtMs: number, targets: Iterable<string>): Uint8Array {
  const sorted = [...new Set(targets)].map((target) => encoder.encode(target)).sort(compare);
  const bytes: number[] = [];
  for (let i = 40, rest = fetchedAtMs; i >= 0; i -= 8) {
    const digit = Math.floor(rest / 2 ** i);
    bytes.push(digit);
    rest -= digit * 2 ** i;
  }
  pushVarint(bytes, sorted.length);
  let before: Uint8Array = new Uint8Array(0);
  for (const target of sorted) {
    let shared = 0;
    while (shared < before.length && shared < target.length && before[shared] === target[shared]) shared += 1;
    pushVarint(bytes, shared);
    pushVarint(bytes, target.length - shared);
    for (let i = shared; i < target.length; i++) bytes.push(target[i]!);
    before = target;
  }
  return Uint8Array.from(bytes);
}

/** Throws RangeError if the row does not come from `edgeKey` and `edgeValue`. */
export function readEdges(key: Uint8Array, value: Uint8Array): PageEdges {
  const split = key.indexOf(0);
  if (key[0] !== space || split < 0 || value.length < 7) throw new RangeError('not a row of edges');
  let fetchedAtMs = 0;
  for (let i = 0; i < 6; i++) fetchedAtMs = fetchedAtMs * 256 + value[i]!;
  let at = 6;
  const varint = () => {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = value[at++];
      if (byte === undefined) throw new RangeError('a row of edges ends early');
      number += (byte & 0x7f) * factor;
      if (byte < 0x80) return number;
    }
  };
  const count = varint();
  const targets: string[] = [];
  let before = new Uint8Array(0);
  for (let i = 0; i < count; i++) {
    const shared = varint();
    const rest = varint();
    if (shared > before.length || at + rest > value.length) throw new RangeError('a row of edges ends early');
    const target = new Uint8Array(shared + rest);
    target.set(before.subarray(0, shared));
    target.set(value.subarray(at, at + rest), shared);
    at += rest;
    targets.push(decoder.decode(target));
    before = target;
  }
  return {
    host: decoder.decode(key.subarray(1, split)),
    url: decoder.decode(key.subarray(split + 1)),
    fetchedAtMs,
    targets,
  };
}

function pushVarint(bytes: number[], number: number): void {
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
