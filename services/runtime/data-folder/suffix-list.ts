/** Identifies the public-suffix list in use: registrable domains, and so partition keys by domain, depend on it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Hash of the library that carries the list, hexadecimal. */
export function suffixListHash(): string {
  const file = createRequire(import.meta.url).resolve('tldts');
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 32);
}
