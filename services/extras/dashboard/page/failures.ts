/** URLs without a page, by reason: read once somebody wants them, and for a crawl that has ended at once. */
import type { CrawlStatus, FailuresStatus } from '../status.ts';
import { placeNames } from '../words.ts';
import { byId, el, setText } from './element.ts';
import { urlLink } from './links.ts';
import { count, whole } from './numbers.ts';
import { outcomeText } from './outcome-names.ts';
import { isEnded } from './phase-text.ts';
import { askFailures } from './requests.ts';

const places = ['failed', 'dead', 'denied'] as const;

export interface FailuresPanel {
  show(status: CrawlStatus): void;
  /** Whether calls of operators are answered now, and without a question for a token. */
  mayAsk(may: boolean): void;
}

export function showFailures(): FailuresPanel {
  const [panel, size, place] = [byId('failures'), byId('failures-size'), byId('failures-list')];
  const button = byId<HTMLButtonElement>('failures-ask');
  let [mayAsk, isAsked, sum] = [false, false, 0];
  const ask = async () => {
    isAsked = true;
    button.disabled = true;
    place.setAttribute('aria-busy', 'true');
    try {
      place.replaceChildren(...shown(await askFailures()));
    } catch (error) {
      place.replaceChildren(el('p', { class: 'failure' }, (error as Error).message));
    } finally {
      button.disabled = false;
      place.removeAttribute('aria-busy');
    }
  };
  button.addEventListener('click', () => void ask());
  return {
    show({ counts, phase }) {
      const now = places.reduce((all, name) => all + counts[name]!, 0);
      // A crawl that goes on after its end may fail elsewhere.
      if (now !== sum) isAsked = false;
      sum = now;
      const retrying = counts['retrying']!;
      panel.hidden = sum + retrying === 0;
      setText(size, sizeText(counts, retrying));
      if (isEnded(phase) && mayAsk && !isAsked && sum > 0) void ask();
    },
    mayAsk: (may) => (mayAsk = may),
  };
}

function sizeText(counts: CrawlStatus['counts'], retrying: number): string {
  const parts = places.flatMap((name) => (counts[name]! > 0 ? [`${whole(counts[name]!)} ${placeNames[name]}`] : []));
  return [...parts, ...(retrying > 0 ? [`${whole(retrying)} waiting for a retry`] : [])].join(', ');
}

/** A line for each reason, which opens to its URLs. */
function shown({ reasons, reasonsLeftOut }: FailuresStatus): HTMLElement[] {
  const lists = reasons.map((reason) => {
    const { urls, waits, count: number } = reason;
    const name = `${outcomeText(reason)}${waits ? ', waiting for a retry' : ''}`;
    const more = number > urls.length ? el('li', {}, `… and ${whole(number - urls.length)} more`) : null;
    const items = urls.map(({ url, detail }) =>
      el('li', {}, urlLink(url), detail === '' ? null : el('span', { class: 'detail' }, detail)),
    );
    const list = el('ul', { class: 'mono' }, ...items, more);
    return el('details', { class: 'reason' }, el('summary', {}, name, ' ', el('b', {}, whole(number))), list);
  });
  if (lists.length === 0) return [el('p', { class: 'empty' }, 'None is stored any more.')];
  const rest = reasonsLeftOut === 0 ? [] : [el('p', { class: 'hint' }, `${count(reasonsLeftOut)} rarer reasons`)];
  return [...lists, ...rest];
}
