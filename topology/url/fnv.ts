/**
 * FNV-1a (Fowler, Noll & Vo 1991) of a text's UTF-16 code units: 32 bits, unsigned.
 *
 * For spreads and sketches, where a collision costs little and benefits no attacker. Where an attacker might benefit,
 * use the keyed fingerprint (fingerprint.ts). Results are part of recorded decisions and of signatures: never change
 * them.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
