/**
 * Numbers for values: equal values have one number. So parts of states are compared by number, and results computed for
 * them are computed once.
 */
export class Interner<Value> {
  readonly #numbers = new Map<string, number>();
  readonly #values: Value[] = [];

  /** The number of the value with the text `text`; `make` is called if it is new. */
  number(text: string, make: () => Value): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#values.length;
    this.#values.push(make());
    this.#numbers.set(text, number);
    return number;
  }

  at(number: number): Value {
    return this.#values[number]!;
  }

  get size(): number {
    return this.#values.length;
  }
}
