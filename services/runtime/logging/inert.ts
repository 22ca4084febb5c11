/**
 * Makes foreign text (titles, URLs, headers) safe for a terminal: control characters are shown as `\\u001b`, not
 * obeyed.
 *
 * These are C0 except line feed and tab, DEL, C1 (a lone 0x9b begins a sequence too), and characters that set the
 * direction of text: marks (U+061C, U+200E, U+200F), embeddings, overrides and isolates. In JSON the same spelling is
 * an escape, so programs read the original text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function inert(text: string): string {
  return text.replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
