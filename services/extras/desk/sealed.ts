/**
 * Tokens that the service gives out and verifies by its secret, so that it stores nothing: each purpose has separate
 * seals.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type Purpose = 'challenge' | 'visit' | 'form';

export interface Sealer {
  /** Returns 43 characters of base64url. Parts may contain any character but NUL. */
  seal(purpose: Purpose, ...parts: readonly string[]): string;
  /** In constant time. */
  isSealOf(given: string, purpose: Purpose, ...parts: readonly string[]): boolean;
}

/** `secret`: at least 16 characters that cannot be guessed. */
export function createSealer(secret: string): Sealer {
  const seal = (purpose: Purpose, ...parts: readonly string[]) =>
    createHmac('sha256', secret)
      .update([`crawlstream desk ${purpose}`, ...parts].join('\0'))
      .digest('base64url');
  return {
    seal,
    isSealOf(given, purpose, ...parts) {
      const [a, b] = [Buffer.from(given), Buffer.from(seal(purpose, ...parts))];
      return a.length === b.length && timingSafeEqual(a, b);
    },
  };
}
