/** The two ways to find texts that are nearly the same, behind one shape. */
import type { DuplicateMethod } from '../../schemas/types.ts';
import { minhash, slots } from '../../topology/content/minhash.ts';
import { MinhashIndex } from '../../topology/content/minhash-index.ts';
import { simhash } from '../../topology/content/simhash.ts';
import { SimhashIndex } from '../../topology/content/simhash-index.ts';

export type NearMethod = Extract<DuplicateMethod, 'simhash' | 'minhash'>;

export interface Alike {
  readonly node: number;
  /** The very same signature. */
  readonly same: boolean;
}

export interface Likeness {
  readonly method: NearMethod;
  /** Null: too little text to compare. */
  signature(text: string): Buffer | null;
  near(signature: Buffer): Alike[];
  add(signature: Buffer, node: number): void;
}

/** `seed`: the crawl's own, so that nobody else can choose signatures. */
export function createLikeness(method: NearMethod, seed: number): Likeness {
  return method === 'simhash' ? bySimhash(seed) : byMinhash(seed);
}

function bySimhash(seed: number): Likeness {
  const index = new SimhashIndex();
  const read = (signature: Buffer) => ({ hi: signature.readUInt32BE(0), lo: signature.readUInt32BE(4) });
  return {
    method: 'simhash',
    signature: (text) => {
      const made = simhash(text, seed);
      if (made === null) return null;
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeUInt32BE(made.hi, 0);
      bytes.writeUInt32BE(made.lo, 4);
      return bytes;
    },
    near: (signature) => {
      const found: Alike[] = [];
      index.near(read(signature), (node, distance) => found.push({ node, same: distance === 0 }));
      return found;
    },
    add: (signature, node) => index.add(read(signature), node),
  };
}

function byMinhash(seed: number): Likeness {
  const index = new MinhashIndex();
  const read = (signature: Buffer) => {
    const made = new Uint16Array(slots);
    for (let slot = 0; slot < slots; slot++) made[slot] = signature.readUInt16BE(2 * slot);
    return made;
  };
  return {
    method: 'minhash',
    signature: (text) => {
      const made = minhash(text, seed);
      if (made === null) return null;
      const bytes = Buffer.allocUnsafe(2 * slots);
      for (let slot = 0; slot < slots; slot++) bytes.writeUInt16BE(made[slot]!, 2 * slot);
      return bytes;
    },
    near: (signature) => {
      const found: Alike[] = [];
      index.near(read(signature), (node, same) => found.push({ node, same }));
      return found;
    },
    add: (signature, node) => index.add(read(signature), node),
  };
}
