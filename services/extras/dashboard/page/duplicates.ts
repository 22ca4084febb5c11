/** Clusters of duplicate pages, read once somebody wants them; absent if there are none. */
import type { CrawlStatus, DuplicateListStatus } from '../status.ts';
import { byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { urlLink } from './links.ts';
import { count, whole } from './numbers.ts';
import { askDuplicates } from './requests.ts';

export function showDuplicates(): (status: CrawlStatus) => void {
  const [panel, size, place] = [byId('duplicates'), byId('duplicates-size'), byId('duplicates-list')];
  const button = byId<HTMLButtonElement>('duplicates-ask');
  button.addEventListener('click', async () => {
    button.disabled = true;
    setText(size, 'reading all verdicts …');
    try {
      const { clusters, listed } = await askDuplicates();
      setText(
        size,
        `${count(clusters)} cluster${clusters === 1 ? '' : 's'}${listed.length < clusters ? `, the ${listed.length} largest` : ''}`,
      );
      place.replaceChildren(tableOf(listed));
    } catch (error) {
      setText(size, (error as Error).message);
    } finally {
      button.disabled = false;
    }
  });
  return ({ duplicates, canListDuplicates = false }) => {
    const { exact, near, syndicated } = duplicates ?? { exact: 0, near: 0, syndicated: 0 };
    panel.hidden = !canListDuplicates || exact + near + syndicated === 0;
  };
}

function tableOf(listed: DuplicateListStatus['listed']): HTMLElement {
  const rows = listed.map(({ representative, counts, pages }) => {
    const kinds = Object.entries(counts).filter(([, number]) => number > 0);
    const sum = kinds.reduce((all, [, number]) => all + number, 0);
    const more = sum > pages.length ? el('li', {}, `… and ${whole(sum - pages.length)} more`) : null;
    const copies = pages.map(({ url, kind }) => el('li', {}, urlLink(url), ` ${kind}`));
    return rowOf(
      el('td', { class: 'mono url' }, urlLink(representative)),
      cell(kinds.map(([kind, number]) => `${whole(number)} ${kind}`).join(', ')),
      el('td', { class: 'mono url' }, el('ul', {}, ...copies, more)),
    );
  });
  const head = el('thead', {}, rowOf(heading('Page'), heading('Duplicates'), heading('Among them')));
  return scrolled('Clusters of duplicate pages', el('table', { class: 'found' }, head, el('tbody', {}, ...rows)));
}
