/** The explain box: the crawl's decisions about one URL, in the words of `crawlstream explain`. */
import type { ExplainStatus } from '../status.ts';
import { byId, el } from './element.ts';
import { linkedText } from './links.ts';
import { askExplain } from './requests.ts';

/** `add`: adds the typed URL to the crawl. */
export function showExplain(add: (url: string) => Promise<void>): void {
  const [form, field, place] = [
    byId<HTMLFormElement>('explain-form'),
    byId<HTMLInputElement>('explain-url'),
    byId('explained'),
  ];
  const button = form.querySelector('button')!;
  const ask = async () => {
    const url = field.value.trim();
    if (url === '') return;
    button.disabled = true;
    place.setAttribute('aria-busy', 'true');
    place.replaceChildren(el('p', { class: 'empty' }, 'Reading the records of this URL …'));
    try {
      const facts = explainedFacts((await askExplain(url)).lines);
      const timeline = el('a', { href: `page/story.html?${new URLSearchParams({ url })}` }, 'All events of this URL');
      place.replaceChildren(facts, el('p', { class: 'more' }, timeline));
    } catch (error) {
      place.replaceChildren(el('p', { class: 'failure' }, (error as Error).message));
    } finally {
      button.disabled = false;
      place.removeAttribute('aria-busy');
    }
  };
  byId('seed-add').addEventListener('click', () => {
    if (form.reportValidity()) void add(field.value.trim());
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
}

export function explainedFacts(lines: ExplainStatus['lines']): HTMLElement {
  const facts = lines.flatMap(([name, value]) => [
    el('dt', {}, name.trim()),
    el('dd', { class: 'mono' }, ...linkedText(value)),
  ]);
  return el('dl', { class: 'facts explained' }, ...facts);
}
