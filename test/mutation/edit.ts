/** A small edit of one source file, of the kind that a reviewer might miss. */
export interface Edit {
  /** From the project's root. */
  readonly file: string;
  /** Stands in the file exactly once; or, with `at`, at that place. */
  readonly find: string;
  readonly replace: string;
  /** Where `find` begins, in UTF-16 code units. */
  readonly at?: number;
}

/** Throws where the edit does not fit the text: whoever rewrites a line moves its mutants along. */
export function edited(text: string, { file, find, replace, at }: Edit): string {
  const place = at ?? text.indexOf(find);
  if (text.slice(place, place + find.length) !== find || place < 0) throw new Error(`${file} does not hold: ${find}`);
  if (at === undefined && text.indexOf(find, place + 1) >= 0) throw new Error(`${file} holds more than once: ${find}`);
  return text.slice(0, place) + replace + text.slice(place + find.length);
}
