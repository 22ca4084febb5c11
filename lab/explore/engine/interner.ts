/**
 * One object for equal values, with a number that depends on its content alone. So parts of states are compared by number,
 * and results computed for them are computed once.
 */
import { hashText } from './hash.ts';

export class Interner<Value extends { readonly id: number }> {
  readonly #values = new Map<string, Value>();

  /** The value with the text `text`; `make` is called if it is new. */
  one(text: string, make: (id: number) => Value): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = make(hashText(text));
    this.#values.set(text, value);
    return value;
  }
}
