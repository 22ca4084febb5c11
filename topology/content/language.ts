/**
 * The language of a text, as an ISO 639-1 code. If only one language uses its script, the script decides; otherwise
 * the trigrams of its prose (franc; Cavnar & Trenkle, "N-gram-based text categorization", 1994), with the page's
 * declared language as a prior.
 *
 * Windows spread over the whole text are read, because pages begin with menus. Words that are not prose (options,
 * paths, names in capitals, identifiers) are left out of the trigrams: manuals in any language are full of English
 * ones.
 *
 * Measured on Debian's translated manuals by `npm run bench -- language`.
 */
import { francAll } from 'franc';
import { declaredCode, greaterRelative, isWrittenIn, onlyLanguage, trigramLanguages } from './language-codes.ts';
import { type Script, scriptOf } from './script.ts';

/** Number of windows read of a text, and their length in characters; a shorter text is read whole. */
const windows = 16;
const windowChars = 600;
/** Characters of prose to compare (franc reads at most 2,048), an equal share from each window. */
const proseCharsMax = 1_024;
/** With fewer characters of prose, trigrams decide nothing. */
const proseCharsMin = 40;
/**
 * The best language scores 1, relatives of it somewhat less. Many templates declare what their authors speak: a
 * declaration decides among relatives only.
 */
const declaredShare = 0.985;
/** Letters that a language lacks, but its nearest relative has. */
const foreignLetters: Readonly<Record<string, RegExp>> = { bg: /[ыэё]/, ru: /[іїєґљњћџ]/ };
/** A text is Vietnamese if more than one letter in this many is unique to the language. */
const vietnameseLetters = 20;

/** The ISO 639-1 code; empty if unknown. `declared`: the value of `<html lang>` (BCP 47); empty: none. */
export function languageOf(text: string, declared = ''): string {
  const prior = declaredCode(declared);
  const parts = spread(text);
  const { script, han, kana, latin, vietnamese } = scriptOf(parts);
  if (script === '') return '';
  // Japanese mixes both; a text of ideographs alone is Chinese.
  if (script === 'cjk') return kana * 10 > han || (prior === 'ja' && kana > 0) ? 'ja' : 'zh';
  if (script === 'latin' && vietnamese * vietnameseLetters > latin) return 'vi';
  const languages = trigramLanguages[script];
  if (languages === undefined) return onlyLanguage[script] ?? '';
  // Trigrams cannot recognise this language, so the declaration decides.
  if (!Object.values(languages).includes(prior) && isWrittenIn(prior, script)) return prior;
  return byTrigrams(proseOf(parts, script), languages, prior);
}

function spread(text: string): string[] {
  const step = Math.max(windowChars, Math.ceil(text.length / windows));
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += step) parts.push(text.slice(at, at + windowChars));
  return parts;
}

function byTrigrams(prose: string, languages: Readonly<Record<string, string>>, prior: string): string {
  const isKnown = Object.values(languages).includes(prior);
  if (prose.length < proseCharsMin) return isKnown ? prior : '';
  const scores = new Map<string, number>();
  for (const [code, score] of francAll(prose, { only: Object.keys(languages) })) {
    const language = languages[code];
    if (language !== undefined && !scores.has(language)) scores.set(language, score);
  }
  if ((scores.get(prior) ?? 0) >= declaredShare) return prior;
  for (const [language, score] of scores) {
    if (score <= 0 || foreignLetters[language]?.test(prose) === true) continue;
    const greater = greaterRelative[language];
    return greater !== undefined && (scores.get(greater) ?? 0) >= declaredShare ? greater : language;
  }
  return '';
}

/** No language has longer words, and the cost of looking at one grows with the square of its length. */
const wordCharsMax = 100;
/** Words of the script with nothing around them but punctuation, and with no capitals except at the start. */
const proseWord = /^[("'«„“‘¿¡[]*(?!\p{Lu}{2})[\p{L}\p{M}](?:(?!\p{Lu})[\p{L}\p{M}'’-])*[)\]"'»”“’.,;:!?…،؟।]*$/u;
const notLetters = /[^\p{L}\p{M}'’ ]+/gu;
const ofScript: Readonly<Partial<Record<Script, RegExp>>> = {
  latin: /\p{Script=Latin}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  arabic: /\p{Script=Arabic}/u,
  devanagari: /\p{Script=Devanagari}/u,
};

function proseOf(parts: readonly string[], script: Script): string {
  const letter = ofScript[script]!;
  const share = proseCharsMax / parts.length;
  let prose = '';
  for (const part of parts) {
    const words = part.split(/\s+/);
    let chars = 0;
    // The first and the last word of a window may be cut.
    for (let i = parts.length > 1 ? 1 : 0; i < words.length - (parts.length > 1 ? 1 : 0); i++) {
      const word = words[i]!;
      if (chars >= share) break;
      if (word.length > wordCharsMax || !letter.test(word) || !proseWord.test(word)) continue;
      prose += `${word.replace(notLetters, '')} `;
      chars += word.length + 1;
    }
  }
  return prose;
}
