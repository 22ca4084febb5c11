/**
 * The signature of a page's main text: its SimHash, 16 hexadecimal digits. A visit compares signatures to see whether
 * the page has changed. A rotating advertisement, a date or a counter changes at most `nearBits` bits; another
 * article changes more.
 */
import { fnv1a } from '../url/fnv.ts';
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

/** Begins the signature of a text that has a hash only. */
const hashed = '=';

/** As `textSignature`; of little text, a hash, which is equal for equal texts. Empty: no text. */
export function wholeSignature(text: string): string {
  const signature = textSignature(text);
  if (signature !== '' || text.trim() === '') return signature;
  return `${hashed}${fnv1a(text).toString(16).padStart(8, '0')}${text.length.toString(16)}`;
}

/** Returns whether the texts are the same, apart from rotating parts. False if there is too little text in either. */
export function sameText(a: string, b: string): boolean {
  return textDistance(a, b) <= nearBits;
}

/** The bits in which two signatures differ, 0 to 64. 64 if there is too little text in either. */
export function textDistance(a: string, b: string): number {
  if (a === '' || b === '' || a.startsWith(hashed) || b.startsWith(hashed)) return 64;
  return a === b ? 0 : hamming(parse(a), parse(b));
}

function parse(signature: string): Simhash {
  return { hi: Number.parseInt(signature.slice(0, 8), 16), lo: Number.parseInt(signature.slice(8), 16) };
}
