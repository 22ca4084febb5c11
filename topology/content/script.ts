/**
 * The script of a text, by its letters (Unicode blocks).
 *
 * A letter's weight is its share of a word: an ideograph or a syllable of Hangul says as much as several letters.
 * Letters outside Latin also weigh more, because Latin words appear in texts of all languages, while other scripts
 * seldom appear by chance.
 */
export type Script = 'latin' | 'cjk' | 'hangul' | (typeof alphabets)[number]['script'];

export interface ScriptFound {
  /** Empty: the text has no letters. */
  readonly script: Script | '';
  readonly han: number;
  readonly kana: number;
  readonly latin: number;
  /** Number of Latin letters that only Vietnamese has. */
  readonly vietnamese: number;
}

/** Each block by its first code and the first code after it. */
const alphabets = [
  { script: 'greek', from: 0x370, to: 0x400 },
  { script: 'cyrillic', from: 0x400, to: 0x530 },
  { script: 'armenian', from: 0x530, to: 0x590 },
  { script: 'hebrew', from: 0x590, to: 0x600 },
  { script: 'arabic', from: 0x600, to: 0x780 },
  { script: 'devanagari', from: 0x900, to: 0x980 },
  { script: 'bengali', from: 0x980, to: 0xa00 },
  { script: 'gurmukhi', from: 0xa00, to: 0xa80 },
  { script: 'gujarati', from: 0xa80, to: 0xb00 },
  { script: 'oriya', from: 0xb00, to: 0xb80 },
  { script: 'tamil', from: 0xb80, to: 0xc00 },
  { script: 'telugu', from: 0xc00, to: 0xc80 },
  { script: 'kannada', from: 0xc80, to: 0xd00 },
  { script: 'malayalam', from: 0xd00, to: 0xd80 },
  { script: 'sinhala', from: 0xd80, to: 0xe00 },
  { script: 'thai', from: 0xe00, to: 0xe80 },
  { script: 'lao', from: 0xe80, to: 0xf00 },
  { script: 'tibetan', from: 0xf00, to: 0x1000 },
  { script: 'burmese', from: 0x1000, to: 0x10a0 },
  { script: 'georgian', from: 0x10a0, to: 0x1100 },
  { script: 'ethiopic', from: 0x1200, to: 0x13a0 },
  { script: 'khmer', from: 0x1780, to: 0x1800 },
] as const;

/** Block of 16 codes → its alphabet, or none. */
const alphabetOf = new Int8Array(0x1800 >> 4).fill(-1);
for (const [at, { from, to }] of alphabets.entries()) alphabetOf.fill(at, from >> 4, to >> 4);

const alphabetWeight = 2;
const ideographWeight = 4;

export function scriptOf(texts: readonly string[]): ScriptFound {
  const counts = new Uint32Array(alphabets.length);
  let [latin, vietnamese, han, kana, hangul] = [0, 0, 0, 0, 0];
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x250) {
        const lower = code | 0x20;
        if (lower >= 0x61 && (lower <= 0x7a || code >= 0xc0)) latin += 1;
      } else if (code < 0x1800) {
        const at = alphabetOf[code >> 4]!;
        if (at >= 0) counts[at]! += 1;
      } else if (code >= 0x1e00 && code < 0x1f00) {
        latin += 1;
        if (code >= 0x1ea0) vietnamese += 1;
      } else if (code >= 0x3040 && code < 0x3100) kana += 1;
      else if (code >= 0x4e00 && code < 0xa000) han += 1;
      else if (code >= 0xac00 && code < 0xd7b0) hangul += 1;
    }
  }
  let script: Script | '' = latin > 0 ? 'latin' : '';
  let most = latin;
  const weigh = (name: Script, weight: number) => {
    if (weight > most) [script, most] = [name, weight];
  };
  weigh('cjk', (han + kana) * ideographWeight);
  weigh('hangul', hangul * ideographWeight);
  for (const [at, { script: name }] of alphabets.entries()) weigh(name, counts[at]! * alphabetWeight);
  return { script, han, kana, latin, vietnamese };
}
