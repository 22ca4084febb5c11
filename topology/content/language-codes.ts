/** Names of languages: ISO 639-3, which franc speaks, and ISO 639-1, which records do; and which script holds which. */
import type { Script } from './script.ts';

/** Scripts that, with few exceptions, only one language of the web uses. */
export const onlyLanguage: Readonly<Partial<Record<Script, string>>> = {
  hangul: 'ko',
  greek: 'el',
  armenian: 'hy',
  hebrew: 'he',
  bengali: 'bn',
  gurmukhi: 'pa',
  gujarati: 'gu',
  oriya: 'or',
  tamil: 'ta',
  telugu: 'te',
  kannada: 'kn',
  malayalam: 'ml',
  sinhala: 'si',
  thai: 'th',
  lao: 'lo',
  tibetan: 'bo',
  burmese: 'my',
  georgian: 'ka',
  ethiopic: 'am',
  khmer: 'km',
};

/**
 * For scripts with many languages: the languages to distinguish, from ISO 639-3 to ISO 639-1. franc knows more
 * languages, but each one that is rare on the web would be assigned pages of its relatives. franc does not know
 * Icelandic, Latvian, Basque, Maltese, Welsh and Irish, and takes them for relatives. Both written forms of Norwegian
 * are `no`.
 */
export const trigramLanguages: Readonly<Partial<Record<Script, Readonly<Record<string, string>>>>> = {
  latin: {
    ...{ eng: 'en', deu: 'de', fra: 'fr', spa: 'es', ita: 'it', por: 'pt', nld: 'nl', cat: 'ca', glg: 'gl', ron: 'ro' },
    ...{ swe: 'sv', dan: 'da', nob: 'no', nno: 'no', fin: 'fi', ekk: 'et', lit: 'lt' },
    ...{ pol: 'pl', ces: 'cs', slk: 'sk', slv: 'sl', hrv: 'hr', hun: 'hu', als: 'sq', tur: 'tr', azj: 'az' },
    ...{ ind: 'id', zlm: 'ms', vie: 'vi', tgl: 'tl', swh: 'sw', afr: 'af', epo: 'eo' },
  },
  cyrillic: { rus: 'ru', ukr: 'uk', bel: 'be', bul: 'bg', mkd: 'mk', srp: 'sr', kaz: 'kk' },
  arabic: { arb: 'ar', pes: 'fa', urd: 'ur', pbu: 'ps' },
  devanagari: { hin: 'hi', mar: 'mr', npi: 'ne' },
};

/** ISO 639-3, of macrolanguages if there is one, for the ISO 639-1 codes of detected languages. */
const threeLetters: Readonly<Record<string, string>> = {
  ...{ en: 'eng', de: 'deu', fr: 'fra', es: 'spa', it: 'ita', pt: 'por', nl: 'nld', ca: 'cat', gl: 'glg', ro: 'ron' },
  ...{ sv: 'swe', da: 'dan', no: 'nor', is: 'isl', fi: 'fin', et: 'est', lv: 'lav', lt: 'lit', eu: 'eus', pl: 'pol' },
  ...{ cs: 'ces', sk: 'slk', sl: 'slv', hr: 'hrv', hu: 'hun', sq: 'sqi', tr: 'tur', az: 'aze', mt: 'mlt', id: 'ind' },
  ...{ ms: 'msa', vi: 'vie', tl: 'tgl', sw: 'swa', af: 'afr', cy: 'cym', ga: 'gle', eo: 'epo', ru: 'rus', uk: 'ukr' },
  ...{ be: 'bel', bg: 'bul', mk: 'mkd', sr: 'srp', kk: 'kaz', ar: 'ara', fa: 'fas', ur: 'urd', ku: 'kur', ps: 'pus' },
  ...{ hi: 'hin', mr: 'mar', ne: 'nep', ja: 'jpn', zh: 'zho', ko: 'kor', el: 'ell', hy: 'hye', he: 'heb', bn: 'ben' },
  ...{ pa: 'pan', gu: 'guj', or: 'ori', ta: 'tam', te: 'tel', kn: 'kan', ml: 'mal', si: 'sin', th: 'tha', lo: 'lao' },
  ...{ bo: 'bod', my: 'mya', ka: 'kat', am: 'amh', km: 'khm' },
};

/** ISO 639-3 of a detectable ISO 639-1 code; empty for any other. */
export function threeLetterCode(code: string): string {
  return threeLetters[code] ?? '';
}

/**
 * The ISO 639-1 code of a declared language (BCP 47): `pt-BR` gives `pt`, and `lav` gives `lv`. Empty: none declared,
 * or it has no code of two letters.
 */
export function declaredCode(declared: string): string {
  const tag = /^([a-z]{2,3})(?:[-_]|$)/i.exec(declared.trim())?.[1]?.toLowerCase() ?? '';
  const code = tag.length === 3 ? new Intl.Locale(tag).language : tag;
  return synonyms[code] ?? (code.length === 2 ? code : '');
}

/** Returns whether the language of this ISO 639-1 code is written in that script, by Unicode's data. */
export function isWrittenIn(code: string, script: Script): boolean {
  const name = code === '' ? undefined : new Intl.Locale(code).maximize().script;
  return name !== undefined && scriptCodes[script] === name;
}

/** ISO 15924, for the scripts of many languages. */
const scriptCodes: Readonly<Partial<Record<Script, string>>> = {
  latin: 'Latn',
  cyrillic: 'Cyrl',
  arabic: 'Arab',
  devanagari: 'Deva',
};

/** Withdrawn codes, and the written forms of Norwegian. */
const synonyms: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', iw: 'he', in: 'id', ji: 'yi' };

/** So near to another language, which has many times its pages, that a page is the other's unless it declares itself. */
export const greaterRelative: Readonly<Record<string, string>> = { ms: 'id', gl: 'pt' };
