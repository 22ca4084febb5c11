/** Converts a value thrown by external code to an error, because JavaScript can throw anything, even `undefined`. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`threw ${describe(thrown)}, which is not an Error`);
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
