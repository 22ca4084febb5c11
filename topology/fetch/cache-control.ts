/**
 * How long a response stays fresh by its `max-age` (RFC 9111 §5.2.2.1), ms; 0 if it has none, or has `no-cache` or
 * `no-store`.
 */
export function maxAgeMs(cacheControl: string): number {
  const directives = cacheControl.toLowerCase().split(',', directivesMax);
  if (directives.some((one) => /^\s*(?:no-cache|no-store)\s*$/.test(one))) return 0;
  for (const one of directives) {
    const seconds = /^\s*max-age\s*=\s*"?(\d{1,10})"?\s*$/.exec(one);
    if (seconds !== null) return Number(seconds[1]) * 1_000;
  }
  return 0;
}

/**
 * Freshness left when a response arrives from a cache, ms: `max-age` minus `Age` (RFC 9111 §4.2.3). `age` is empty if
 * absent.
 */
export function freshForMs(cacheControl: string, age: string): number {
  const seconds = /^\s*(\d{1,10})\s*$/.exec(age);
  return Math.max(0, maxAgeMs(cacheControl) - (seconds === null ? 0 : Number(seconds[1]) * 1_000));
}

const directivesMax = 32;
