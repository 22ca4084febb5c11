/** One crawl of a fleet in detail: its facts, and its pages in the order of their fetching. */
import { byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { askPages, type FleetCrawl } from './fleet-requests.ts';
import { bytes, clock, count } from './numbers.ts';

export function showOne() {
  const panel = byId('one');
  const body = el('tbody');
  const head = el('thead', {}, rowOf(heading('Page'), heading('Title')));
  byId('one-pages').append(scrolled('Pages of this crawl', el('table', {}, head, body)));
  const more = byId<HTMLButtonElement>('one-more');
  const dashboard = byId<HTMLAnchorElement>('one-dashboard');
  let name = '';
  let cursor = '0';
  let isRunning = false;
  let isOperators = false;
  /** The page of a URL, while a process can answer about it, for the operator: owners may not ask. */
  const linked = (url: string) => {
    const story = `../crawls/${name}/dashboard/page/story.html?${new URLSearchParams({ url })}`;
    return isRunning && isOperators ? el('a', { href: story, title: 'Record and history of this URL' }, url) : url;
  };
  const readOn = async () => {
    const asked = name;
    const { pages, next } = await askPages(asked, cursor);
    // Another one may have been opened meanwhile.
    if (asked !== name) return;
    cursor = next;
    body.append(...pages.map(({ url, title }) => rowOf(el('th', { scope: 'row' }, linked(url)), cell(title))));
    // An answer is also bounded by its bytes: only an empty one is the last.
    const isLast = pages.length === 0;
    more.hidden = isLast && !isRunning;
    setText(more, isLast ? 'Look for new pages' : 'More pages');
  };
  const show = (crawl: FleetCrawl) => {
    if (crawl.name !== name) return;
    const { counts, seeds, createdAtMs, failure, noPage, data, state } = crawl;
    dashboard.href = `../crawls/${name}/dashboard/`;
    isRunning = state === 'running';
    // Only an operator learns where the data are.
    isOperators = data !== undefined;
    dashboard.hidden = !isRunning;
    const facts = [
      `created ${clock(createdAtMs)} from ${count(seeds)} seed${seeds === 1 ? '' : 's'}`,
      `${count(counts.pages)} pages, ${bytes(counts.bytes)}, ${count(counts.leased)} in progress, ${count(counts.denied + counts.failed + counts.deadLettered)} without a page`,
      failure === null ? '' : `failure: ${failure}`,
      noPage === null ? '' : `nothing was fetched: ${noPage}`,
      data === undefined ? '' : `full dashboard: crawlstream dashboard --data ${data}`,
    ];
    setText(byId('one-text'), facts.filter((fact) => fact !== '').join('; '));
  };
  byId('one-close').addEventListener('click', () => {
    panel.hidden = true;
    name = '';
  });
  more.addEventListener('click', () => void readOn().catch((error) => setText(byId('one-text'), `${error.message}`)));
  return {
    show,
    async open(crawl: FleetCrawl): Promise<void> {
      name = crawl.name;
      cursor = '0';
      body.replaceChildren();
      panel.hidden = false;
      setText(byId('one-title'), crawl.name);
      show(crawl);
      panel.focus();
      await readOn();
    },
  };
}
