/**
 * Waits for one thing after another while something else goes on that may fail. `Promise.race` would leave a reaction
 * on the lasting promise for each wait, with the result of the wait: over months, gigabytes.
 */
export type FailFirst = <T>(wait: Promise<T>) => Promise<T>;

/** The promise returned resolves as `wait` does, or rejects with the failure if that comes first. */
export function failFirst(failed: Promise<unknown>): FailFirst {
  const waiting = new Set<(error: unknown) => void>();
  let failure: { readonly error: unknown } | undefined;
  failed.catch((error) => {
    failure = { error };
    for (const reject of waiting) reject(error);
  });
  return async (wait) => {
    let stop!: (error: unknown) => void;
    const ends = new Promise<never>((_, reject) => {
      stop = reject;
    });
    waiting.add(stop);
    if (failure !== undefined) stop(failure.error);
    try {
      return await Promise.race([wait, ends]);
    } finally {
      waiting.delete(stop);
    }
  };
}
