/**
 * The signature of a page's main text, by which a visit finds out whether the page has changed: its SimHash, 16
 * hexadecimal digits. A rotating advertisement, a date or a counter leaves it within `nearBits` of the old one; another
 * article does not.
 */
import { hamming, type Simhash, simhash } from './simhash.ts';

/** Not a secret: it is compared with itself only. */
const seed = 0x5eed;
/** Manku, Jain & Das Sarma (WWW 2007): 3 of 64. */
const nearBits = 3;

/** Empty: too little text to compare. */
export function textSignature(text: string): string {
  const signature = simhash(text, seed);
  if (signature === null) return '';
  return [signature.hi, signature.lo].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Are the texts the same, apart from what rotates? False where either is empty. */
export function sameText(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  return a === b || hamming(parse(a), parse(b)) <= nearBits;
}

function parse(signature: string): Simhash {
  return { hi: Number.parseInt(signature.slice(0, 8), 16), lo: Number.parseInt(signature.slice(8), 16) };
}
