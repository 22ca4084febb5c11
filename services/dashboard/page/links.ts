/** Links to pages of a host and of a URL, by the name in the address. Shown values stay text. */
import { type Child, el } from './element.ts';

/** True if this page is itself below `page/`. */
const isBelow = location.pathname.endsWith('.html');
const pages = isBelow ? '' : 'page/';
/** Address of the service, as seen from here. */
export const service = isBelow ? '../' : '';

export function hostLink(host: string): HTMLAnchorElement {
  return el(
    'a',
    { href: `${pages}host.html?${new URLSearchParams({ host })}`, title: 'State and queue of this host' },
    host,
  );
}

export function urlLink(url: string): HTMLAnchorElement {
  return el('a', { href: `${pages}story.html?${new URLSearchParams({ url })}`, title: 'History of this URL' }, url);
}

/** The text, with the URLs in it as links to their stories. */
export function linkedText(text: string): Child[] {
  return text.split(/(https?:\/\/\S+?)(?=[,;]?(?:\s|$))/).map((part, at) => (at % 2 === 0 ? part : urlLink(part)));
}
