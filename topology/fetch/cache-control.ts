/** How long a response says it is good for (RFC 9111 §5.2.2.1), ms; 0: it does not say, or wants to be asked each time. */
export function maxAgeMs(cacheControl: string): number {
  const directives = cacheControl.toLowerCase().split(',', directivesMax);
  if (directives.some((one) => /^\s*(?:no-cache|no-store)\s*$/.test(one))) return 0;
  for (const one of directives) {
    const seconds = /^\s*max-age\s*=\s*"?(\d{1,10})"?\s*$/.exec(one);
    if (seconds !== null) return Number(seconds[1]) * 1_000;
  }
  return 0;
}

const directivesMax = 32;
