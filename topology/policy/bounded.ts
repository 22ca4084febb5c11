/** A memory that starts over when it is full. */
export function bounded<T>(most: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    let value = kept.get(key);
    if (value !== undefined) return value;
    if (kept.size >= most) kept.clear();
    kept.set(key, (value = make()));
    return value;
  };
}
