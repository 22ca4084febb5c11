/** Reads the comments of an interface's fields from its TypeScript source, the one place that explains them. */
import { readFileSync } from 'node:fs';

/** `file`: from the root. Throws an Error if the file has no such interface. */
export function interfaceComments(file: string, name: string): Readonly<Record<string, string>> {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const body = new RegExp(`export interface ${name}[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  const comments: Record<string, string> = {};
  let comment = '';
  for (const [, text, field] of body.matchAll(/\/\*\*([\s\S]*?)\*\/|readonly (\w+)\??:/g)) {
    if (text !== undefined) comment = text.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
    else if (field !== undefined) {
      if (comment !== '') comments[field] = comment;
      comment = '';
    }
  }
  return comments;
}
