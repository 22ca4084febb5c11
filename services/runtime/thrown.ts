/** What code of others threw, as an error: JavaScript lets it throw anything, `undefined` too. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`threw ${describe(thrown)}, which is no Error`);
}

function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return JSON.stringify(thrown);
  try {
    return String(thrown);
  } catch {
    // An object without a prototype, or with a throwing toString.
    return 'an object';
  }
}
