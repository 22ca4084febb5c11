/** The page of one host: its state and the reason, actions, its queue, and its newest results. */
import type { HostPageStatus } from '../status.ts';
import { actButtons } from './act-buttons.ts';
import { fetchesOf } from './dead-letters.ts';
import { byId, cell, el, fold, heading, rowOf, scrolled, setText } from './element.ts';
import { stateText } from './host-state.ts';
import { urlLink } from './links.ts';
import { clock, count, duration, whole } from './numbers.ts';
import { operate } from './operate.ts';
import { outcomeText } from './outcome-names.ts';
import { askHost } from './requests.ts';
import { showRights } from './rights.ts';
import { themeButton } from './theme.ts';

const everyMs = 5_000;
const host = new URLSearchParams(location.search).get('host') ?? '';
const operator = operate(() => void refresh());
const buttons = actButtons((act, shown) => void operator.act(act, shown));
const body = el('tbody');
const more = byId<HTMLButtonElement>('queue-more');
let timer: ReturnType<typeof setTimeout> | undefined;
/** Position of the queue's next page; empty: unknown. */
let next = '';
/** True once the person has opened a further page: then the list is no longer refreshed. */
let isFurther = false;

themeButton(byId<HTMLButtonElement>('theme'), () => {});
setText(byId('host'), host);
setText(byId('stands-size'), 'loading …');
document.title = `${host} – Crawlstream`;
byId('acts').append(buttons.element);
const head = el(
  'thead',
  {},
  rowOf(heading('Before it', true), heading('URL'), heading('Front queue', true), heading('Depth', true)),
);
byId('queue').append(
  scrolled('Queue', el('table', { class: 'queue' }, head, body)),
  el('p', { class: 'empty', hidden: true }, 'Nothing is queued.'),
);
more.addEventListener('click', () => void further());
void refresh().then(showRights);

async function refresh(): Promise<void> {
  clearTimeout(timer);
  try {
    show(await askHost(host));
  } catch (error) {
    setText(byId('stands-size'), (error as Error).message);
  }
  timer = setTimeout(() => void (document.hidden ? wait() : refresh()), everyMs);
}

function wait(): void {
  document.addEventListener('visibilitychange', () => void refresh(), { once: true });
}

async function further(): Promise<void> {
  isFurther = true;
  try {
    const page = await askHost(host, next);
    list(page, false);
  } catch (error) {
    setText(byId('queue-size'), (error as Error).message);
  }
}

function show(page: HostPageStatus): void {
  setText(byId('stands-size'), `as of ${clock(page.atMs)}`);
  const facts = factsOf(page).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
  byId('stands').replaceChildren(el('dl', { class: 'facts' }, ...facts));
  buttons.show(page);
  const waiting = page.queue.length === 0 ? '' : `${whole(page.queued)} queued, ${whole(page.deferred)} deferred`;
  if (!isFurther) {
    setText(byId('queue-size'), waiting);
    if (!body.contains(document.activeElement)) list(page, true);
  }
  const outcomes = byId('outcomes');
  fold(outcomes, page.outcomes.length === 0);
  if (!outcomes.contains(document.activeElement)) {
    outcomes.replaceChildren(
      fetchesOf(page.outcomes, page.atMs, 'The newest results of the crawl do not include this host.'),
    );
  }
}

function list({ queue, next: after }: HostPageStatus, replaces: boolean): void {
  if (replaces) body.replaceChildren();
  const before = body.rows.length;
  const rows = queue.map(({ url, frontQueue, depth }, at) =>
    rowOf(
      cell(count(before + at), true),
      el('td', { class: 'mono url' }, urlLink(url)),
      cell(frontQueue, true),
      cell(count(depth), true),
    ),
  );
  body.append(...rows);
  const isEmpty = body.rows.length === 0;
  body.closest('table')!.hidden = isEmpty;
  byId('queue').querySelector<HTMLElement>('.empty')!.hidden = !isEmpty;
  fold(byId('queue'), isEmpty);
  next = after ?? '';
  more.hidden = after === null;
}

function factsOf(page: HostPageStatus): (readonly [name: string, value: string])[] {
  const { atMs, again, leases, fetched, pages, failures, deadUntilMs, crawlDelayMs } = page;
  const last = page.outcomes.find(({ kind }) => !['fetched', 'notModified', 'redirect'].includes(kind));
  const lastFailure = last && { kind: last.kind, status: last.status };
  const state = stateText({ ...page, leases: leases.length, lastFailure });
  const because = last === undefined ? '' : `; the newest was ${outcomeText(last)}`;
  const retry =
    again.nextAtMs === null
      ? ''
      : again.nextAtMs <= atMs
        ? ', the first now'
        : `, the first in ${duration(again.nextAtMs - atMs)}`;
  const facts: (readonly [string, string | null])[] = [
    ['state', state],
    ['why', page.why === '' ? null : page.why],
    ['not requested for', deadUntilMs === null ? null : duration(Math.max(0, deadUntilMs - atMs))],
    ['next contact', nextText(page)],
    ['queued', whole(page.queued)],
    ['retrying', again.urls === 0 ? null : `${whole(again.urls)}${retry}${because}`],
    ['deferred', page.deferred === 0 ? null : whole(page.deferred)],
    [
      'on lease',
      leases.length === 0
        ? null
        : leases.map(({ id, urls }) => `${count(urls)} ${urls === 1 ? 'URL' : 'URLs'} on lease ${id}`).join(', '),
    ],
    [
      'fetched',
      `${whole(pages)} page${pages === 1 ? '' : 's'} from ${whole(fetched)} request${fetched === 1 ? '' : 's'}`,
    ],
    ['failures', failures === 0 ? null : `${count(failures)} in a row${because}`],
    [page.serverFails ? 'server errors' : 'throttled', backOffsText(page)],
    [
      'delay',
      `${duration(page.delayMs)}${page.ownDelayMs === null ? '' : `, ${duration(page.ownDelayMs)} by an operator`}`,
    ],
    ['Crawl-delay', crawlDelayMs === null ? null : duration(crawlDelayMs)],
    ['limit', page.pagesMax === null ? null : `${whole(page.pagesMax)} pages`],
    ['fetch time', page.fetchMs === 0 ? null : duration(page.fetchMs)],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function backOffsText({ throttles, serverFails }: HostPageStatus): string | null {
  if (throttles === 0) return null;
  if (!serverFails) return `${count(throttles)} responses since the last good one`;
  return `backed off ${count(throttles)} time${throttles === 1 ? '' : 's'} since the last good answer`;
}

function nextText({ isFree, leases, readyAtMs, deadUntilMs, atMs }: HostPageStatus): string {
  if (!isFree && leases.length === 0) return 'none';
  if (readyAtMs === null) return 'never contacted';
  const nextMs = Math.max(readyAtMs, deadUntilMs ?? 0);
  return nextMs <= atMs ? 'now' : `in ${duration(nextMs - atMs)}`;
}
