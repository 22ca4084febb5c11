/**
 * Makes elements without markup. Crawled text stays text: nothing here parses a string as markup, or sets an attribute
 * that runs one.
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

/** Writes only changed text, so that screen readers do not repeat it. */
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

/** A panel with nothing to show is one line. `inside`: something in it. */
export function fold(inside: HTMLElement, isEmpty: boolean): void {
  inside.closest('.panel')?.classList.toggle('folded', isEmpty);
}

/**
 * A table that scrolls separately, by keyboard too; `name` is its caption. On a phone its rows are cards, by the style:
 * each cell carries the name of its column, and all carry the roles that another `display` takes from them.
 */
export function scrolled(name: string, table: HTMLTableElement): HTMLElement {
  table.prepend(el('caption', { class: 'unseen' }, name));
  table.classList.add('cards');
  const label = () => labelCells(table);
  new MutationObserver(label).observe(table, { childList: true, subtree: true });
  label();
  const place = el('section', { class: 'scroll', tabindex: 0, 'aria-label': `${name}, scrollable` }, table);
  new ResizeObserver(() => endWithRow(place, table)).observe(table);
  return place;
}

/** Ends the place with the last whole row that fits into the height of the style: a row that is cut looks like the end. */
function endWithRow(place: HTMLElement, table: HTMLTableElement): void {
  const { scrollTop } = place;
  place.style.maxBlockSize = '';
  if (place.scrollHeight > place.clientHeight) {
    const top = table.getBoundingClientRect().top;
    const ends = [...table.rows].map((row) => row.getBoundingClientRect().bottom - top);
    const last = ends.findLast((end) => end > 0 && end <= place.clientHeight);
    if (last !== undefined) place.style.maxBlockSize = `${last}px`;
  }
  place.scrollTop = scrollTop;
}

function labelCells(table: HTMLTableElement): void {
  table.setAttribute('role', 'table');
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => head.textContent ?? '');
  for (const part of [table.tHead, ...table.tBodies]) part?.setAttribute('role', 'rowgroup');
  for (const row of table.rows) {
    row.setAttribute('role', 'row');
    for (const [column, one] of [...row.cells].entries()) {
      const isHead = one.tagName === 'TH';
      one.setAttribute('role', isHead ? (one.scope === 'row' ? 'rowheader' : 'columnheader') : 'cell');
      if (row.parentElement !== table.tHead) one.dataset['label'] = names[column] ?? '';
    }
  }
}
