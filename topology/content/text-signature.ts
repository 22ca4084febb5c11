/**
 * The signature of a page's main text: its SimHash, 16 hexadecimal digits. A visit compares signatures to see whether
 * the page has changed. A rotating advertisement, a date or a counter changes at most `nearBits` bits; another
 * article changes more.
 */
import { hamming, type Simhash, simhash } from './simhash.ts';

/** No secret, because signatures are compared only with each other. */
const seed = 0x5eed;
/** Most bits that may differ: 3 of 64, from Manku, Jain & Das Sarma (WWW 2007). */
const nearBits = 3;

/** The signature; empty if there is too little text. */
export function textSignature(text: string): string {
  const signature = simhash(text, seed);
  if (signature === null) return '';
  return [signature.hi, signature.lo].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Returns whether the texts are the same, apart from rotating parts. False if either is empty. */
export function sameText(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  return a === b || hamming(parse(a), parse(b)) <= nearBits;
}

function parse(signature: string): Simhash {
  return { hi: Number.parseInt(signature.slice(0, 8), 16), lo: Number.parseInt(signature.slice(8), 16) };
}
