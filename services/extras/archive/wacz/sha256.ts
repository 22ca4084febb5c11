import { createHash, hash } from 'node:crypto';

/** The digest in WACZ's form: `sha256:` and hexadecimal digits. */
export function sha256Of(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/** Computes the same digest of a stream, and its length. */
export class Sha256Count {
  readonly #hash = createHash('sha256');
  bytes = 0;

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  /** Once, at the end. */
  digest(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}
