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
export const nearBits = 3;

/** The signature; empty if there is too little text. */
export function textSignature(text: string): string {
  const signature = simhash(text, seed);
  if (signature === null) return '';
  return [signature.hi, signature.lo].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Begins the signature of a text that has a hash only. */
const hashed = '=';
/** Stands between the signature of the text and a hash of the page's head. */
const headMark = '.';

/**
 * The signature of a page: that of its text, and a hash of its head (title, description, canonical). Little text has
 * a hash, too, which is equal for equal texts. Empty: no text.
 */
export function pageSignature(text: string, head: readonly string[]): string {
  const signature = textSignature(text);
  if (signature === '' && text.trim() === '') return '';
  const own = signature === '' ? `${hashed}${hex(fnv1a(text))}${text.length.toString(16)}` : signature;
  return `${own}${headMark}${hex(fnv1a(head.join('\n')))}`;
}

/** Has the page too little text for a signature? */
export function hasLittleText(signature: string): boolean {
  return signature === '' || signature.startsWith(hashed);
}

/** Returns whether two signatures of pages have the same title, description and canonical. */
export function sameHead(a: string, b: string): boolean {
  return headOf(a) === headOf(b);
}

function headOf(signature: string): string {
  return signature.slice(signature.indexOf(headMark) + 1);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

/** Returns whether the texts are the same, apart from rotating parts. False if there is too little text in either. */
export function sameText(a: string, b: string): boolean {
  return textDistance(a, b) <= nearBits;
}

/** The bits in which two signatures differ, 0 to 64. 64 if there is too little text in either. */
export function textDistance(a: string, b: string): number {
  if (hasLittleText(a) || hasLittleText(b)) return 64;
  return a === b ? 0 : hamming(parse(a), parse(b));
}

function parse(signature: string): Simhash {
  return { hi: Number.parseInt(signature.slice(0, 8), 16), lo: Number.parseInt(signature.slice(8), 16) };
}
