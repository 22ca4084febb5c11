/**
 * Elements made by hand. What a crawl met is text and stays text: there is no way here to make markup of a string, and no
 * attribute that runs one.
 */
type Attributes = Readonly<Record<string, string | number | boolean>>;
export type Child = Node | string | null;

/** `false` leaves an attribute out; null is no child. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** The element of the page's own markup that has this id. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as Type;
}

/** Writes only what is news, so that readers of the screen and of the accessibility tree are left alone. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Share of its track that a bar fills, 0 to 1. */
export function bar(share: number, kind = ''): HTMLElement {
  const fill = el('span', { class: `bar-fill ${kind}` });
  fill.style.inlineSize = `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;
  return el('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
}

export function rowOf(...cells: readonly Child[]): HTMLTableRowElement {
  return el('tr', {}, ...cells);
}

/** A heading of a column; `number`: its values are right-aligned. */
export function heading(text: string, isNumber = false): HTMLTableCellElement {
  return el('th', { scope: 'col', class: isNumber ? 'number' : '' }, text);
}

export function cell(child: Child, isNumber = false): HTMLTableCellElement {
  return el('td', { class: isNumber ? 'number' : '' }, child);
}

/** A table that scrolls by itself, by keyboard too; `name` is its caption. */
export function scrolled(name: string, table: HTMLTableElement): HTMLElement {
  table.prepend(el('caption', { class: 'unseen' }, name));
  return el('section', { class: 'scroll', tabindex: 0, 'aria-label': `${name}, scrollable` }, table);
}
