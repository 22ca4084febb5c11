/** Removes C0 controls and spaces at both ends of a URL (WHATWG URL Standard, §4.4, first steps). */
export function withoutEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end);
}
