/** What was given up on, and what was fetched last: lists of URLs, which are text whatever is in them. */
import type { FetchTold, LetterTold, Told } from '../told.ts';
import { outcomeName } from './breakdown.ts';
import { byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { ago, bytes, count } from './numbers.ts';

const reasonNames: Readonly<Record<string, string>> = {
  undecodable: 'record nobody could read',
  invalidUrl: 'URL that cannot be crawled',
  retriesExhausted: 'retries used up',
  robotsUnreachable: 'robots.txt unreachable',
  hostUnreachable: 'host unreachable',
  leaseExpired: 'leases ran out',
  tooManyRedirects: 'too many redirects',
  parseKilled: 'parser killed',
  blocked: 'blocked',
  consumerFailed: 'a consumer failed on it',
};

const detailMax = 200;

export function showLetters(onExplain: (url: string) => void): (told: Told) => void {
  const [size, list, fetches] = [byId('letters-size'), byId('letters-list'), byId('fetches')];
  let before = '';
  return ({ letters, counts, recent, atMs }) => {
    const records = letters?.records ?? 0;
    setText(size, records === 0 ? '' : `${count(records)} records, ${count(counts['dead']!)} URLs given up on`);
    // Ages aside, they seldom change; what is being read or focused is left alone.
    const now = JSON.stringify(letters);
    if (now !== before) {
      before = now;
      list.replaceChildren(...lettersOf(letters, atMs, onExplain));
    }
    if (!fetches.contains(document.activeElement)) fetches.replaceChildren(fetchesOf(recent.fetches, atMs));
  };
}

function lettersOf(letters: Told['letters'], nowMs: number, onExplain: (url: string) => void): HTMLElement[] {
  if (letters === null) return [el('p', { class: 'empty' }, 'They cannot be read from here.')];
  if (letters.newest.length === 0) return [el('p', { class: 'empty' }, 'None: nothing was given up on.')];
  const reasons = letters.reasons.map(({ reason, count: number }) =>
    el('li', {}, reasonNames[reason] ?? reason, ' ', el('b', {}, count(number))),
  );
  const head = rowOf(heading('When'), heading('Why'), heading('What'));
  const rows = letters.newest.map((letter) => letterRow(letter, nowMs, onExplain));
  const table = el('table', { class: 'letters' }, el('thead', {}, head), el('tbody', {}, ...rows));
  return [
    el('ul', { class: 'chips', 'aria-label': 'Reasons of the newest' }, ...reasons),
    scrolled('The newest dead letters', table),
  ];
}

function letterRow(letter: LetterTold, nowMs: number, onExplain: (url: string) => void): HTMLTableRowElement {
  const { atMs, reason, url, hostKey, attempts, lastOutcome, status, detail, id, replayed } = letter;
  const last = lastOutcome === '' ? '' : `, last: ${outcomeName(lastOutcome)}${status > 0 ? ` ${status}` : ''}`;
  const tries = attempts === 0 ? '' : `, ${count(attempts)} attempt${attempts === 1 ? '' : 's'}`;
  const why = `${reasonNames[reason] ?? reason}${tries}${last}${replayed ? ' – replayed' : ''}`;
  let what: HTMLElement = el('span', { class: 'mono' }, hostKey || id);
  if (url !== '') {
    what = el('button', { type: 'button', class: 'link mono', title: 'Explain this URL' }, url);
    what.addEventListener('click', () => onExplain(url));
  }
  const more = detail === '' ? null : el('span', { class: 'detail' }, cut(detail));
  return rowOf(cell(ago(atMs, nowMs)), cell(why), el('td', {}, what, more));
}

/** Plain words are short; what a page made of them need not be. */
function cut(detail: string): string {
  return detail.length <= detailMax ? detail : `${detail.slice(0, detailMax)} …`;
}

function fetchesOf(fetches: readonly FetchTold[], nowMs: number): HTMLElement {
  if (fetches.length === 0) return el('p', { class: 'empty' }, 'No fetch was reported in the last minute.');
  const head = rowOf(heading('When'), heading('Status', true), heading('URL'), heading('Size', true));
  const rows = fetches.map(({ atMs, url, kind, status, bytes: size }) =>
    rowOf(
      cell(ago(atMs, nowMs)),
      cell(status > 0 ? `${status}` : outcomeName(kind), true),
      el('td', { class: 'mono url' }, url),
      cell(size > 0 ? bytes(size) : '–', true),
    ),
  );
  const table = el('table', { class: 'fetches' }, el('thead', {}, head), el('tbody', {}, ...rows));
  return scrolled('Newest fetches', table);
}
