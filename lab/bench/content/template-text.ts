/** The text of a page according to its known template: the content of an element, without the named parts. */
import { parseHTML } from 'linkedom';
import { inlineNames } from '../../../topology/parse/rich/text-blocks.ts';
import type { Manual } from './manuals.ts';

interface Node {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly childNodes: Iterable<Node>;
  readonly textContent: string | null;
}

const never = 'script, style, template, noscript, [hidden], svg, iframe, button, select, form';

/** Null: the page has none of the elements, so it has another template. */
export function templateText(html: string, { text, less }: Pick<Manual, 'text' | 'less'>): string | null {
  const { document } = parseHTML(html);
  const held = text.map((selector) => document.querySelector(selector)).find((element) => element !== null);
  if (held === undefined) return null;
  for (const element of [...held.querySelectorAll(`${less}, ${never}`)]) element.remove();
  const pieces: string[] = [];
  const walk = (node: Node) => {
    if (node.nodeType === 3) pieces.push(node.textContent ?? '');
    if (node.nodeType !== 1) return;
    const apart = inlineNames.has(node.nodeName.toLowerCase()) ? '' : ' ';
    pieces.push(apart);
    for (const child of node.childNodes) walk(child);
    pieces.push(apart);
  };
  walk(held as unknown as Node);
  return pieces.join('').replace(/\s+/g, ' ').trim();
}
