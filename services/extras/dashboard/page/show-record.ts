/** The stored page of one URL: its facts, its text and its links, all as text, and its screenshot as a picture. */
import type { RecordStatus } from '../status.ts';
import { byId, cell, el, fold, heading, rowOf, scrolled, setText } from './element.ts';
import { urlLink } from './links.ts';
import { count } from './numbers.ts';

/** null: none is shown. */
export function showRecord(record: Partial<RecordStatus> | null): void {
  const {
    facts = [],
    text = '',
    textChars = 0,
    screenshot = '',
    links = [],
    linkCount = 0,
    missing = '',
    areAllLinksRead = true,
  } = record ?? {};
  const lines = facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', { class: 'mono' }, value)]);
  fill(
    'record',
    missing === '' ? el('dl', { class: 'facts explained' }, ...lines) : el('p', { class: 'empty' }, missing),
  );
  if (screenshot !== '') byId('record').append(pictureOf(screenshot));
  fill('text', text === '' ? null : scrolledText(text));
  fill('links', links.length === 0 ? null : tableOf(links));
  const shown = (of: number, all: number, what: string) => `${of < all ? `the first ${count(of)} of ` : ''}${what}`;
  setText(byId('text-size'), text === '' ? '' : shown(text.length, textChars, `${count(textChars)} characters`));
  const linksText = shown(
    links.length,
    linkCount,
    `${count(linkCount)} that its newest visit was among the first to show`,
  );
  const more = areAllLinksRead ? '' : '; the search for more ended at its limit';
  setText(byId('links-size'), links.length === 0 && more === '' ? '' : `${linksText}${more}`);
}

function fill(id: string, child: HTMLElement | null): void {
  byId(id).replaceChildren(...(child === null ? [] : [child]));
  fold(byId(id), child === null);
}

function pictureOf(screenshot: string): HTMLElement {
  const alt = 'Screenshot of the page in the browser that rendered it, without pictures';
  return el('img', { class: 'screenshot', src: `data:image/jpeg;base64,${screenshot}`, alt });
}

function scrolledText(text: string): HTMLElement {
  return el('section', { class: 'scroll', tabindex: 0, 'aria-label': 'Text, scrollable' }, el('pre', {}, text));
}

function tableOf(links: RecordStatus['links']): HTMLElement {
  const rows = links.map(({ url, verdict }) => rowOf(el('td', { class: 'mono url' }, urlLink(url)), cell(verdict)));
  const head = el('thead', {}, rowOf(heading('URL'), heading('Policy now')));
  return scrolled('Links', el('table', { class: 'events' }, head, el('tbody', {}, ...rows)));
}
