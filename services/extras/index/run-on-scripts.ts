/**
 * Words of languages without spaces: Chinese, Japanese, Thai and others. SQLite's tokenizer takes a run of such
 * letters for one word (UAX #29 §4). So each letter is indexed separately, and a word is searched as a phrase of its
 * letters: it is found within any run, without a dictionary.
 */

/** Separator of letters: splits for the tokenizer, and has no width when shown. */
const separator = '\u200b';
const run =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Yi}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]+/gu;

/** Separates the letters of such scripts. */
export function charactersApart(text: string): string {
  return text.replace(run, (letters) => `${separator}${[...letters].join(separator)}${separator}`);
}

/** Restores the original text. */
export function charactersTogether(text: string): string {
  return text.replaceAll(separator, '');
}
