/** Fingerprints as a keyed hash makes them: spread evenly, the same for the same number. */
import { fingerprint } from '../../../../topology/url/fingerprint.ts';

const words = new Uint32Array(2);

export function fingerprintOf(n: number): [hi: number, lo: number] {
  fingerprint(`${n}`, 1, 2, words);
  return [words[0]!, words[1]!];
}
