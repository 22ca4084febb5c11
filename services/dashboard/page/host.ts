/** The page of one host: how it stands and why, what can be done to it, its queue, and its newest answers. */
import type { HostPageStatus } from '../status.ts';
import { actButtons } from './act-buttons.ts';
import { byId, cell, el, fold, heading, rowOf, scrolled, setText } from './element.ts';
import { stateText } from './host-state.ts';
import { fetchesOf } from './letters.ts';
import { urlLink } from './links.ts';
import { clock, count, duration, whole } from './numbers.ts';
import { operate } from './operate.ts';
import { outcomeText } from './outcome-names.ts';
import { askHost } from './requests.ts';
import { themeButton } from './theme.ts';

const everyMs = 5_000;
const host = new URLSearchParams(location.search).get('host') ?? '';
const operator = operate(() => void refresh());
const buttons = actButtons((act, shown) => void operator.act(act, shown));
const body = el('tbody');
const more = byId<HTMLButtonElement>('queue-more');
let timer: ReturnType<typeof setTimeout> | undefined;
/** Of the queue's next page; empty: it is not known. */
let next = '';
/** Somebody reads further than the first page: what is listed stays. */
let isFurther = false;

themeButton(byId<HTMLButtonElement>('theme'), () => {});
setText(byId('host'), host);
document.title = `${host} – Crawlstream`;
byId('acts').append(buttons.element);
const head = el(
  'thead',
  {},
  rowOf(heading('Before it', true), heading('URL'), heading('Front queue', true), heading('Depth', true)),
);
byId('queue').append(
  scrolled('Its queue', el('table', { class: 'queue' }, head, body)),
  el('p', { class: 'empty', hidden: true }, 'Nothing is queued.'),
);
more.addEventListener('click', () => void further());
void refresh();

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
    const told = await askHost(host, next);
    list(told, false);
  } catch (error) {
    setText(byId('queue-size'), (error as Error).message);
  }
}

function show(told: HostPageStatus): void {
  setText(byId('stands-size'), `as of ${clock(told.atMs)}`);
  const facts = factsOf(told).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
  byId('stands').replaceChildren(el('dl', { class: 'facts' }, ...facts));
  buttons.show(told);
  const waiting = told.queue.length === 0 ? '' : `${whole(told.queued)} queued, ${whole(told.deferred)} deferred`;
  if (!isFurther) {
    setText(byId('queue-size'), waiting);
    if (!body.contains(document.activeElement)) list(told, true);
  }
  const outcomes = byId('outcomes');
  fold(outcomes, told.outcomes.length === 0);
  if (!outcomes.contains(document.activeElement)) {
    outcomes.replaceChildren(
      fetchesOf(told.outcomes, told.atMs, 'The newest results of the crawl do not include this host.'),
    );
  }
}

function list({ queue, next: after }: HostPageStatus, anew: boolean): void {
  if (anew) body.replaceChildren();
  const before = body.rows.length;
  const rows = queue.map(({ url, frontQueue, depth }, at) =>
    rowOf(
      cell(count(before + at), true),
      el('td', { class: 'mono url' }, urlLink(url)),
      cell(count(frontQueue), true),
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

function factsOf(told: HostPageStatus): (readonly [name: string, value: string])[] {
  const { atMs, again, leases, fetched, pages, failures, throttles, readyAtMs, deadUntilMs, crawlDelayMs } = told;
  const last = told.outcomes.find(({ kind }) => !['fetched', 'notModified', 'redirect'].includes(kind));
  const lastFailure = last && { kind: last.kind, status: last.status };
  const state = stateText({ ...told, leases: leases.length, lastFailure });
  const because = last === undefined ? '' : `; the newest was ${outcomeText(last)}`;
  const retry =
    again.nextAtMs === null
      ? ''
      : again.nextAtMs <= atMs
        ? ', the first now'
        : `, the first in ${duration(again.nextAtMs - atMs)}`;
  const facts: (readonly [string, string | null])[] = [
    ['state', state],
    ['why', told.why === '' ? null : told.why],
    ['dead for', deadUntilMs === null ? null : duration(Math.max(0, deadUntilMs - atMs))],
    [
      'next contact',
      readyAtMs === null ? 'never contacted' : readyAtMs <= atMs ? 'now' : `in ${duration(readyAtMs - atMs)}`,
    ],
    ['queued', whole(told.queued)],
    ['to be retried', again.urls === 0 ? null : `${whole(again.urls)}${retry}${because}`],
    ['deferred', told.deferred === 0 ? null : whole(told.deferred)],
    [
      'on lease',
      leases.length === 0
        ? null
        : leases.map(({ id, urls }) => `${count(urls)} ${urls === 1 ? 'URL' : 'URLs'} on lease ${id}`).join(', '),
    ],
    ['fetched', `${whole(fetched)}, ${whole(pages)} of them pages`],
    ['failures', failures === 0 ? null : `${count(failures)} in a row${because}`],
    ['throttled', throttles === 0 ? null : `${count(throttles)} answers since the last good one`],
    [
      'delay',
      `${duration(told.delayMs)}${told.ownDelayMs === null ? '' : `, ${duration(told.ownDelayMs)} by an operator`}`,
    ],
    ['Crawl-delay', crawlDelayMs === null ? null : duration(crawlDelayMs)],
    ['limit', told.pagesMax === null ? null : `${whole(told.pagesMax)} pages`],
    ['fetch time', told.fetchMs === 0 ? null : duration(told.fetchMs)],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
