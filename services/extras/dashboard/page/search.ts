/** The search of indexed pages; absent without an index. */
import type { CrawlStatus, SearchStatus } from '../status.ts';
import { byId, cell, el, heading, rowOf, scrolled } from './element.ts';
import { urlLink } from './links.ts';
import { askSearch } from './requests.ts';

export function showSearch(): (status: CrawlStatus) => void {
  const [panel, form, field] = [byId('search'), byId<HTMLFormElement>('search-form'), byId<HTMLInputElement>('words')];
  const button = form.querySelector('button')!;
  const place = byId('found');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      place.replaceChildren(tableOf((await askSearch(field.value.trim())).hits));
    } catch (error) {
      place.replaceChildren(el('p', { class: 'failure' }, (error as Error).message));
    } finally {
      button.disabled = false;
    }
  });
  return ({ canSearch = false }) => {
    panel.hidden = !canSearch;
  };
}

/** Titles and texts of sites are isolated: their characters may turn the direction of what follows. */
function tableOf(hits: SearchStatus['hits']): HTMLElement {
  if (hits.length === 0) return el('p', { class: 'empty' }, 'No page has these words.');
  const rows = hits.map(({ url, title, snippet }) =>
    rowOf(
      el('td', { class: 'url' }, el('bdi', {}, title), el('span', { class: 'detail mono' }, urlLink(url))),
      cell(el('bdi', {}, snippet)),
    ),
  );
  const head = el('thead', {}, rowOf(heading('Page'), heading('Text')));
  return scrolled('Pages found', el('table', { class: 'found' }, head, el('tbody', {}, ...rows)));
}
