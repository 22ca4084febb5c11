/** Dead letters and newest fetches: lists of URLs, always shown as text. */
import type { CrawlStatus, DeadLetterStatus, FetchStatus } from '../status.ts';
import { byId, cell, el, fold, heading, rowOf, scrolled, setText } from './element.ts';
import { hostLink, urlLink } from './links.ts';
import { ago, bytes, count } from './numbers.ts';
import { outcomeName, outcomeText } from './outcome-names.ts';

const reasonNames: Readonly<Record<string, string>> = {
  undecodable: 'unreadable record',
  invalidUrl: 'invalid URL',
  retriesExhausted: 'retries used up',
  robotsUnreachable: 'robots.txt unreachable',
  hostUnreachable: 'host unreachable',
  leaseExpired: 'leases expired',
  tooManyRedirects: 'too many redirects',
  parseKilled: 'parser killed',
  blocked: 'blocked',
  consumerFailed: 'consumer failed',
};

const detailMax = 200;

/** `replay`: sends the letters with these ids again. */
export function showDeadLetters(replay: (ids: readonly string[]) => Promise<void>): (status: CrawlStatus) => void {
  const button = byId('letters-replay');
  let ids: readonly string[] = [];
  button.addEventListener('click', () => void replay(ids));
  const [size, list, fetches] = [byId('letters-size'), byId('letters-list'), byId('fetches')];
  let before = '';
  return ({ letters: deadLetters, counts, recent, atMs }) => {
    const records = deadLetters?.records ?? 0;
    setText(size, records === 0 ? '' : `${count(records)} records, ${count(counts['dead']!)} URLs dead-lettered`);
    // The list seldom changes, except the ages; it is replaced only then, so a reader's place and focus stay.
    ids = (deadLetters?.newest ?? []).filter(({ replayed }) => !replayed).map(({ id }) => id);
    button.hidden = ids.length === 0;
    setText(button, ids.length === 1 ? 'Send it again' : `Send ${count(ids.length)} again`);
    const now = JSON.stringify(deadLetters);
    if (now !== before) {
      before = now;
      list.replaceChildren(...deadLettersShown(deadLetters, atMs));
      fold(list, deadLetters !== null && deadLetters.newest.length === 0);
    }
    fold(fetches, recent.fetches.length === 0);
    if (!fetches.contains(document.activeElement)) fetches.replaceChildren(fetchesOf(recent.fetches, atMs));
  };
}

function deadLettersShown(deadLetters: CrawlStatus['letters'], nowMs: number): HTMLElement[] {
  if (deadLetters === null) return [el('p', { class: 'empty' }, 'This page cannot read the dead letters.')];
  if (deadLetters.newest.length === 0) return [el('p', { class: 'empty' }, 'No dead letters.')];
  const reasons = deadLetters.reasons.map(({ reason, count: number }) =>
    el('li', {}, reasonNames[reason] ?? reason, ' ', el('b', {}, count(number))),
  );
  const head = rowOf(heading('Time'), heading('Reason'), heading('URL or host'));
  const rows = deadLetters.newest.map((deadLetter) => deadLetterRow(deadLetter, nowMs));
  const table = el('table', { class: 'letters' }, el('thead', {}, head), el('tbody', {}, ...rows));
  return [
    el('ul', { class: 'chips', 'aria-label': 'Reasons of the newest dead letters' }, ...reasons),
    scrolled('The newest dead letters', table),
  ];
}

function deadLetterRow(deadLetter: DeadLetterStatus, nowMs: number): HTMLTableRowElement {
  const { atMs, reason, url, hostKey, attempts, lastOutcome, status, detail, id, replayed } = deadLetter;
  const last = lastOutcome === '' ? '' : `, last: ${outcomeName(lastOutcome)}${status > 0 ? ` ${status}` : ''}`;
  const tries = attempts === 0 ? '' : `, ${count(attempts)} attempt${attempts === 1 ? '' : 's'}`;
  const why = `${reasonNames[reason] ?? reason}${tries}${last}${replayed ? ' – replayed' : ''}`;
  const name = url !== '' ? urlLink(url) : hostKey !== '' ? hostLink(hostKey) : id;
  const what = el('span', { class: 'mono' }, name);
  const more = detail === '' ? null : el('span', { class: 'detail' }, cut(detail));
  return rowOf(cell(ago(atMs, nowMs)), cell(why), el('td', {}, what, more));
}

/** Cuts long details: our texts are short, but those from pages may be long. */
function cut(detail: string): string {
  return detail.length <= detailMax ? detail : `${detail.slice(0, detailMax)} …`;
}

/** `none`: the text for an empty list. */
export function fetchesOf(
  fetches: readonly FetchStatus[],
  nowMs: number,
  none = 'No fetch was reported in the last minute.',
): HTMLElement {
  if (fetches.length === 0) return el('p', { class: 'empty' }, none);
  const head = rowOf(heading('Time'), heading('Outcome'), heading('URL'), heading('Size', true));
  const rows = fetches.map(({ atMs, url, kind, status, bytes: size }) =>
    rowOf(
      cell(ago(atMs, nowMs)),
      cell(kind === 'fetched' ? `${status}` : outcomeText({ kind, status })),
      el('td', { class: 'mono url' }, urlLink(url)),
      cell(size > 0 ? bytes(size) : '–', true),
    ),
  );
  const table = el('table', { class: 'fetches' }, el('thead', {}, head), el('tbody', {}, ...rows));
  return scrolled('Newest fetches', table);
}
