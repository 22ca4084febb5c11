/** The explain box: what a crawl makes of one URL, in the words of `crawlstream explain`. */
import { byId, el } from './element.ts';
import { askExplain } from './requests.ts';

export interface ExplainBox {
  /** Fills the box in, and asks. */
  explain(url: string): void;
}

export function showExplain(): ExplainBox {
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
    place.replaceChildren(el('p', { class: 'empty' }, 'Reading what the crawl has written of it …'));
    try {
      const { lines } = await askExplain(url);
      const facts = lines.flatMap(([name, value]) => [el('dt', {}, name.trim()), el('dd', { class: 'mono' }, value)]);
      const story = `page/story.html?${new URLSearchParams({ url })}`;
      place.replaceChildren(
        el('dl', { class: 'facts explained' }, ...facts),
        el('p', { class: 'more' }, el('a', { href: story }, 'Its whole story, event by event')),
      );
    } catch (error) {
      place.replaceChildren(el('p', { class: 'failure' }, (error as Error).message));
    } finally {
      button.disabled = false;
      place.removeAttribute('aria-busy');
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
  return {
    explain(url) {
      field.value = url;
      byId('explain').scrollIntoView();
      field.focus();
      void ask();
    },
  };
}
