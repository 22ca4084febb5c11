/** Policies as large as a fleet takes them, and larger. */

/** Lists in lists. */
export function deep(levels: number): unknown {
  let value: unknown = 'x';
  // Deeper ones cannot be written as JSON.
  for (let level = 0; level < Math.min(levels, 2_000); level++) value = [value];
  return value;
}

/** All that may be given at once (services/extras/fleet/policy-size-limits.ts), each part as dear as it may be. */
export function policyAtBound(): object {
  const patterns = Array.from({ length: 400 }, (_, at) => `a{1,30}[ab]*${at}(x|y|z)*`);
  return {
    filters: { exclude: patterns },
    overlays: Array.from({ length: 200 }, (_, at) => ({
      name: `o${at}`,
      match: { patterns: [`a*${at}b`], hosts: Array.from({ length: 80 }, (_, n) => `h${n}.o${at}.test`) },
      set: { maxDepth: 3 },
    })),
    metadata: Array.from({ length: 100 }, (_, at) => ({ name: `m${at}`, url: `(a*${at})` })),
  };
}
