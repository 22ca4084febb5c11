/** A count with its noun: "1 URL", "2 URLs". `text`: the count as printed, as with separators of thousands. */
export function counted(count: number, noun: string, text = String(count)): string {
  return `${text} ${noun}${count === 1 ? '' : 's'}`;
}
