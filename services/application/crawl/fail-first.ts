/**
 * Waits for one thing after another, beside something that lasts as long and may fail. `Promise.race` on it would leave
 * a reaction there for each wait, with what was waited for: over months, gigabytes.
 */
export type FailFirst = <T>(wait: Promise<T>) => Promise<T>;

/** What it gives resolves as `wait` does, or rejects with the failure if that comes first. */
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
