/** Links to pages of a host and of a URL, by the name in the address. Shown values stay text. */
import { type Child, el } from './element.ts';

/** True if this page is itself below `page/`. */
const isBelow = location.pathname.endsWith('.html');
const pages = isBelow ? '' : 'page/';
/** Address of the service, as seen from here. */
export const service = isBelow ? '../' : '';

/** Class of the page of a caller that is refused the calls of operators. */
const readsOnly = 'reads-only';
/** Class of links that lead to calls of operators. */
const ofOperators = 'of-operators';

export function hostLink(host: string): HTMLAnchorElement {
  return el(
    'a',
    { href: `${pages}host.html?${new URLSearchParams({ host })}`, title: 'State and queue of this host' },
    host,
  );
}

/** The URL alone for a caller that is refused the calls of its page. */
export function urlLink(url: string): HTMLElement {
  if (document.body.classList.contains(readsOnly)) return el('span', {}, url);
  const href = `${pages}story.html?${new URLSearchParams({ url })}`;
  return el('a', { href, class: ofOperators, title: 'History of this URL' }, url);
}

/** To a part of the page for operators. The text alone for a caller that is refused their calls. */
export function partLink(part: string, text: string): HTMLElement {
  if (document.body.classList.contains(readsOnly)) return el('span', {}, text);
  return el('a', { href: `#${part}`, class: ofOperators }, text);
}

/** Turns the links that were made before the rights of the caller were known into texts. */
export function showReadsOnly(isReadsOnly: boolean): void {
  document.body.classList.toggle(readsOnly, isReadsOnly);
  if (!isReadsOnly) return;
  for (const link of document.querySelectorAll(`a.${ofOperators}`)) link.replaceWith(...link.childNodes);
}

/** The text, with the URLs in it as links to their stories. */
export function linkedText(text: string): Child[] {
  return text.split(/(https?:\/\/\S+?)(?=[,;]?(?:\s|$))/).map((part, at) => (at % 2 === 0 ? part : urlLink(part)));
}
