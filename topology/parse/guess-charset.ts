/**
 * Guesses the encoding of a page that declares none and is not UTF-8 (HTML standard §13.2.3.2, "autodetection"). It
 * uses chardet, a port of ICU's detector: first the structure of multi-byte encodings, then the letters of the
 * languages of single-byte ones.
 *
 * It never guesses UTF-16 or UTF-32, because other pages have such bytes by chance, nor encodings that look like
 * ASCII (ISO-2022), which could hide markup.
 */
import { analyse } from 'chardet';

/** Bytes of text to compare: at most about 3 ms, on the few pages that need a guess. */
const textBytesMax = 8_192;
/** With fewer bytes beyond ASCII, the standard's fallback is as good as a guess. */
const evidenceBytesMin = 8;

/** chardet's names → the Encoding standard's; its decoders also read similar encodings. */
const encodings: Readonly<Record<string, string>> = {
  'UTF-8': 'utf-8',
  Shift_JIS: 'shift_jis',
  'EUC-JP': 'euc-jp',
  'EUC-KR': 'euc-kr',
  Big5: 'big5',
  GB18030: 'gb18030',
  'KOI8-R': 'koi8-r',
  'ISO-8859-2': 'iso-8859-2',
  'ISO-8859-5': 'iso-8859-5',
  'ISO-8859-6': 'iso-8859-6',
  'ISO-8859-7': 'iso-8859-7',
  'ISO-8859-8': 'iso-8859-8',
  'ISO-8859-9': 'windows-1254',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
};

/** Null: nothing suggests an encoding other than the standard's fallback. */
export function guessCharset(body: Uint8Array): string | null {
  const { text, beyondAscii } = foreignRuns(body);
  if (beyondAscii < evidenceBytesMin) return null;
  const best = analyse(text)[0]?.name;
  return best === undefined ? null : (encodings[best] ?? null);
}

/** The runs of text between tags with non-ASCII bytes, since menus in English say nothing. */
function foreignRuns(body: Uint8Array): { readonly text: Uint8Array; readonly beyondAscii: number } {
  const text = new Uint8Array(textBytesMax);
  let length = 0;
  let beyondAscii = 0;
  let start = 0;
  while (start < body.length && length < textBytesMax) {
    const found = body.indexOf(0x3c, start);
    const end = found < 0 ? body.length : found;
    let foreign = 0;
    for (let at = start; at < end; at++) if (body[at]! >= 0x80) foreign += 1;
    if (foreign > 0) {
      const run = body.subarray(start, Math.min(end, start + textBytesMax - length));
      text.set(run, length);
      length += run.length;
      beyondAscii += foreign;
      if (length < textBytesMax) text[length++] = 0x20;
    }
    if (found < 0) break;
    const close = body.indexOf(0x3e, found);
    if (close < 0) break;
    start = close + 1;
  }
  return { text: text.subarray(0, length), beyondAscii };
}
