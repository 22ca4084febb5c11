/** Keeps the newest added keys, up to a number. */
export class BoundedSet {
  readonly #max: number;
  readonly #keys = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.add(key);
    if (this.#keys.size > this.#max) this.#keys.delete(this.#keys.values().next().value!);
  }
}
