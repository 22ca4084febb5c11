/**
 * The two ways to find texts that may be nearly the same, behind one interface. The evidence decides which of them are.
 */
import type { DuplicateMethod } from '../../../schemas/types.ts';
import { type Simhash, simhashOfDistinct } from '../../../topology/content/simhash.ts';
import type { CommonSlots } from '../../../topology/extras/dedup/common-slots.ts';
import type { Minhash } from '../../../topology/extras/dedup/minhash.ts';
import { MinhashIndex } from '../../../topology/extras/dedup/minhash-index.ts';
import { SimhashIndex } from '../../../topology/extras/dedup/simhash-index.ts';

export type NearMethod = Extract<DuplicateMethod, 'simhash' | 'minhash'>;

export interface Likeness<Signature = unknown> {
  readonly method: NearMethod;
  signature(text: string, minhash: Minhash): Signature;
  /** `common`: common values of the host's pages. */
  near(signature: Signature, common: CommonSlots): number[];
  add(signature: Signature, node: number): void;
  /** The bytes of a node's row for this method, in addition to the evidence. */
  bytes(signature: Signature): Buffer;
  read(bytes: Buffer, minhash: Minhash): Signature;
}

/** `seed`: the crawl's secret number, so that others cannot choose signatures. */
export function createLikeness(method: NearMethod, seed: number): Likeness {
  return (method === 'simhash' ? bySimhash(seed) : byMinhash()) as Likeness;
}

function bySimhash(seed: number): Likeness<Simhash> {
  const index = new SimhashIndex();
  return {
    method: 'simhash',
    signature: (text) => simhashOfDistinct(text, seed),
    near: (signature) => {
      const found: number[] = [];
      index.near(signature, (node) => found.push(node));
      return found;
    },
    add: (signature, node) => index.add(signature, node),
    bytes: ({ hi, lo }) => {
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeUInt32BE(hi, 0);
      bytes.writeUInt32BE(lo, 4);
      return bytes;
    },
    read: (bytes) => ({ hi: bytes.readUInt32BE(0), lo: bytes.readUInt32BE(4) }),
  };
}

function byMinhash(): Likeness<Minhash> {
  const index = new MinhashIndex();
  return {
    method: 'minhash',
    signature: (_, minhash) => minhash,
    near: (signature, common) => {
      const found: number[] = [];
      index.near(signature, (node) => found.push(node), common);
      return found;
    },
    add: (signature, node) => index.add(signature, node),
    bytes: () => Buffer.alloc(0),
    read: (_, minhash) => minhash,
  };
}
