/**
 * What is known of a limit at its edge. Every limit of the product has an entry in one of the tables of this folder;
 * a limit without one does not compile (`BoundaryTable`), and a file of limits without a table fails the test.
 */

/** Drives the real code with the limit less one, the limit itself, and one more. */
export interface Driven {
  readonly kind: 'driven';
  readonly drive: (n: number) => unknown;
  /** What it gives below, at and above the limit. */
  readonly gives: readonly [below: unknown, at: unknown, above: unknown];
}

/** A figure that changes how fast or how often something happens, and never what: no edge to stand on. */
export interface Tuning {
  readonly kind: 'tuning';
  readonly because: string;
}

/** It has an edge that nothing here stands on yet: what it takes, or which test comes nearest. */
export interface Undriven {
  readonly kind: 'undriven';
  readonly because: string;
}

export type Boundary = Driven | Tuning | Undriven;

export type BoundaryTable<Limits> = { readonly [Name in keyof Limits]: Boundary };

export function driven(drive: (n: number) => unknown, below: unknown, at: unknown, above: unknown): Driven {
  return { kind: 'driven', drive, gives: [below, at, above] };
}

/** What is within the limit gives `within`; one more gives `beyond`. */
export function upTo(drive: (n: number) => unknown, within: unknown = true, beyond: unknown = false): Driven {
  return driven(drive, within, within, beyond);
}

/** One less than the limit gives `below`; the limit itself and more give `from`. */
export function from(drive: (n: number) => unknown, below: unknown = false, reached: unknown = true): Driven {
  return driven(drive, below, reached, reached);
}

/** `drive` gives back as much as it was given, but never more than the limit. */
export function cutAt(limit: number, drive: (n: number) => unknown): Driven {
  return driven(drive, limit - 1, limit, limit);
}

export const tuning = (because: string): Tuning => ({ kind: 'tuning', because });
export const undriven = (because: string): Undriven => ({ kind: 'undriven', because });
