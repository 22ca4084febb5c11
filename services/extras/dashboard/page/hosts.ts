/**
 * The table of hosts: the service searches and sorts all hosts. A row with the focus stays in its place until it loses
 * it.
 */
import { type CrawlStatus, type HostListStatus, type HostSort, type HostStatus, hostSorts } from '../status.ts';
import { type ActButtons, actButtons } from './act-buttons.ts';
import { byId, cell, el, fold, rowOf, scrolled, setText } from './element.ts';
import { canBeRequested, reasonText, stateText } from './host-state.ts';
import { hostLink } from './links.ts';
import { count, duration, short } from './numbers.ts';
import type { Operator } from './operate.ts';
import { askHosts } from './requests.ts';

interface Column {
  readonly name: string;
  readonly sort?: HostSort;
  readonly isNumber?: boolean;
  text(host: HostStatus, nowMs: number, status: CrawlStatus | undefined): string;
}

const columns: readonly Column[] = [
  { name: 'Host', sort: 'name', text: ({ host }) => host },
  { name: 'State', text: stateText },
  { name: 'Queued', sort: 'queued', isNumber: true, text: ({ queued }) => short(queued) },
  { name: 'Deferred', isNumber: true, text: ({ deferred }) => short(deferred) },
  { name: 'Fetched', sort: 'fetched', isNumber: true, text: ({ fetched }) => short(fetched) },
  { name: 'No page', sort: 'errors', isNumber: true, text: errorsText },
  { name: 'Delay', sort: 'delay', isNumber: true, text: ({ delayMs }) => duration(delayMs) },
  { name: 'Next contact', sort: 'ready', isNumber: true, text: readyText },
];

/** Each column's first sort order: names from A, the soonest contact, and the highest of all other values. */
const ascending: ReadonlySet<HostSort> = new Set(['name', 'ready']);

const limit = 50;
const typingMs = 250;
const everyMs = 5_000;

export interface HostsPanel {
  /** Asks again now, and from then on. */
  refresh(): Promise<void>;
}

/** `status`: the newest status of the crawl. */
export function showHosts(onAct: Operator['act'], status: () => CrawlStatus | undefined): HostsPanel {
  const [size, search] = [byId('hosts-size'), byId<HTMLInputElement>('hosts-search')];
  const body = el('tbody');
  const view = viewInAddress();
  search.value = view.searched;
  let sort = view.sort;
  let asking = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const choice = byId<HTMLSelectElement>('hosts-sort');
  choice.addEventListener('change', () => {
    sort = choice.value as HostSort;
    void refresh();
  });

  const heads = columns.map((column) =>
    headOf(column, (chosen) => {
      sort = chosen;
      void refresh();
    }),
  );
  const head = el('thead', {}, rowOf(...heads.map((one) => one.head), actionsHead()));
  const table = el('table', { class: 'hosts' }, head, body);
  const empty = el('p', { class: 'empty', hidden: true }, 'No hosts.');
  byId('hosts-list').append(scrolled('Hosts; the buttons in the head sort them', table), empty);
  setText(size, 'loading …');
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), typingMs);
  });

  const refresh = async () => {
    const asked = ++asking;
    clearTimeout(timer);
    choice.value = sort;
    for (const { column, head } of heads) {
      if (column.sort === undefined) continue;
      const order = ascending.has(column.sort) ? 'ascending' : 'descending';
      head.setAttribute('aria-sort', column.sort === sort ? order : 'none');
    }
    keepInAddress(search.value.trim(), sort);
    const beganMs = Date.now();
    try {
      const list = await askHosts({ search: search.value.trim().toLowerCase(), sort, limit });
      if (asked === asking) show(list);
    } catch (error) {
      if (asked === asking) setText(size, (error as Error).message);
    }
    // A slow listing, as of a crawl that is only read, is requested less often.
    const pauseMs = Math.max(everyMs, 5 * (Date.now() - beganMs));
    if (asked === asking) timer = setTimeout(() => void (document.hidden ? wait() : refresh()), pauseMs);
  };
  const wait = () => document.addEventListener('visibilitychange', () => void refresh(), { once: true });

  const show = ({ hosts, matched, known, missing }: HostListStatus) => {
    table.hidden = hosts.length === 0;
    empty.hidden = hosts.length > 0;
    fold(size, known === 0);
    setText(size, sizeText(hosts.length, matched, known, missing.length));
    const nowMs = Date.now();
    const rows = new Map([...body.rows].map((row) => [row.dataset['host'], row]));
    const next = hosts.map((host) => {
      const row = rows.get(host.host) ?? newRow(host, onAct);
      fill(row, host, status(), nowMs);
      return row;
    });
    if (!body.contains(document.activeElement)) body.replaceChildren(...next);
  };
  return { refresh };
}

/** Search and order are in the address, so that a view can be sent. */
function viewInAddress(): { readonly searched: string; readonly sort: HostSort } {
  const query = new URLSearchParams(location.search);
  const sort = hostSorts.find((one) => one === query.get('sort')) ?? 'queued';
  return { searched: query.get('search') ?? '', sort };
}

function keepInAddress(search: string, sort: HostSort): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value, usual] of [
    ['search', search, ''],
    ['sort', sort, 'queued'],
  ] as const) {
    if (value === usual) query.delete(name);
    else query.set(name, value);
  }
  const text = query.size === 0 ? '' : `?${query}`;
  if (text !== location.search) history.replaceState(null, '', `${location.pathname}${text}${location.hash}`);
}

function headOf(column: Column, onSort: (sort: HostSort) => void): { column: Column; head: HTMLTableCellElement } {
  const { name, sort, isNumber = false } = column;
  const head = el('th', { scope: 'col', class: isNumber ? 'number' : '' });
  if (sort === undefined) head.append(name);
  else {
    const button = el('button', { type: 'button', class: 'sort' }, name);
    button.addEventListener('click', () => onSort(sort));
    head.append(button);
  }
  return { column, head };
}

function actionsHead(): HTMLTableCellElement {
  return el('th', { scope: 'col', class: 'operators' }, 'Actions');
}

function newRow({ host }: HostStatus, onAct: Operator['act']): HTMLTableRowElement {
  const rest = columns.slice(1).map(({ isNumber = false }) => cell(null, isNumber));
  const name = el('th', { scope: 'row', class: 'mono' }, hostLink(host));
  const buttons = actButtons((act, shown) => void onAct(act, shown));
  rest[0]!.append(el('span', { class: 'state-name' }), el('span', { class: 'detail' }));
  const row = rowOf(name, ...rest, el('td', { class: 'operators' }, buttons.element));
  row.dataset['host'] = host;
  buttonsOfRows.set(row, buttons);
  return row;
}

const buttonsOfRows = new WeakMap<HTMLTableRowElement, ActButtons>();

function fill(row: HTMLTableRowElement, host: HostStatus, status: CrawlStatus | undefined, nowMs: number): void {
  buttonsOfRows.get(row)!.show(host);
  for (const [i, column] of columns.entries()) if (i > 1) setText(row.cells[i]!, column.text(host, nowMs, status));
  const [name, why] = row.cells[1]!.children as unknown as [HTMLElement, HTMLElement];
  setText(name, stateText(host));
  setText(why, reasonText(host, status, nowMs));
  row.classList.toggle('held', host.hold !== '' || host.deadUntilMs !== null);
}

/** URLs that ended without a page, redirects included, and failures in a row. */
function errorsText({ fetched, pages, failures, throttles }: HostStatus): string {
  const now = failures + throttles;
  return now === 0 ? short(fetched - pages) : `${short(fetched - pages)} (${count(now)} in a row)`;
}

function readyText({ readyAtMs }: HostStatus, nowMs: number, status: CrawlStatus | undefined): string {
  if (readyAtMs === null || (status !== undefined && !canBeRequested(status))) return '–';
  return readyAtMs <= nowMs ? 'now' : `in ${duration(readyAtMs - nowMs)}`;
}

function sizeText(shown: number, matched: number, known: number, missing: number): string {
  const found = matched === known ? `${count(known)} known` : `${count(matched)} of ${count(known)} found`;
  const first = shown < matched ? `, the first ${count(shown)} shown` : '';
  return `${found}${first}${missing === 0 ? '' : `; ${count(missing)} partition${missing === 1 ? '' : 's'} did not answer`}`;
}
