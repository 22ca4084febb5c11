/** What became of URLs, what fetchers met in the last minute, and how fresh pages are: bars with their numbers beside. */
import type { Told } from '../told.ts';
import { bar, byId, cell, el, heading, rowOf, setText } from './element.ts';
import { count, duration, percent, whole } from './numbers.ts';

interface Bar {
  readonly name: string;
  readonly count: number;
  /** `good`, `warn`, `bad` or `calm`: a colour of the style. */
  readonly kind: string;
}

const places: readonly (readonly [counter: string, name: string, kind: string])[] = [
  ['page', 'pages', 'good'],
  ['queued', 'queued', 'calm'],
  ['leased', 'being fetched', 'calm'],
  ['retrying', 'to be retried', 'warn'],
  ['deferred', 'deferred', 'warn'],
  ['redirected', 'redirected', 'calm'],
  ['denied', 'denied by robots.txt', 'calm'],
  ['failed', 'failed', 'bad'],
  ['dead', 'given up on', 'bad'],
];

const refusals: readonly (readonly [counter: string, name: string])[] = [
  ['duplicates', 'known already'],
  ['outOfScope', 'out of scope'],
  ['filtered', 'filtered out'],
  ['tooDeep', 'too deep'],
  ['invalid', 'not crawlable'],
  ['tooLong', 'too long'],
  ['hostFull', 'host full'],
  ['queueFull', 'queue full'],
  ['linksDropped', 'too many on one page'],
];

const outcomeNames: Readonly<Record<string, string>> = {
  fetched: 'fetched',
  notModified: 'not modified',
  redirect: 'redirect',
  clientError: 'client error (4xx)',
  gone: 'gone (404, 410)',
  serverError: 'server error (5xx)',
  throttled: 'throttled (429, 503)',
  timeout: 'timeout',
  connectionFailed: 'connection failed',
  dnsFailed: 'no such name',
  tlsFailed: 'TLS failed',
  blockedAddress: 'private address',
  robotsDenied: 'denied by robots.txt',
  robotsUnreachable: 'robots.txt unreachable',
  refused: 'not of a wanted type',
  badResponse: 'broken response',
  tooLarge: 'too large',
  parseFailed: 'cannot be parsed',
  crawlDelayTooLong: 'Crawl-delay too long',
};

export function outcomeName(kind: string): string {
  return outcomeNames[kind] ?? kind;
}

export function showBreakdown(): (told: Told) => void {
  const ofPlaces = bars(byId('places'), 'URLs by what became of them');
  const refused = el('details', {}, el('summary', {}, 'Links that were not admitted'));
  byId('places').append(refused);
  const ofRefusals = bars(refused, 'Links that were not admitted, by why');
  const ofRecent = bars(byId('recent'), 'Outcomes of the last minute');
  const fresh = byId('fresh');
  return ({ counts, recent, freshness }) => {
    const of = (name: string) => counts[name] ?? 0;
    ofPlaces(
      places.map(([name, text, kind]) => ({ name: text, count: of(name), kind })),
      of('admitted'),
      'No URL has been admitted yet.',
    );
    ofRefusals(
      refusals.map(([name, text]) => ({ name: text, count: of(name), kind: 'calm' })),
      of('discovered'),
      'None yet.',
    );
    setText(byId('recent-size'), recent.outcomes === 0 ? '' : `a sample of ${count(recent.outcomes)}`);
    const recentBars = recent.kinds.map(({ kind, count: number, failed }) => ({
      name: outcomeName(kind),
      count: number,
      kind: failed ? 'bad' : kind === 'fetched' || kind === 'notModified' ? 'good' : 'calm',
    }));
    ofRecent(recentBars, recent.outcomes, 'No fetch was reported in the last minute.');
    showFreshness(fresh, freshness);
  };
}

/** A table of names, bars, counts and shares; rows of nought are left out. */
function bars(place: HTMLElement, caption: string): (rows: readonly Bar[], of: number, none: string) => void {
  const body = el('tbody');
  const head = el(
    'thead',
    { class: 'unseen' },
    rowOf(heading('What'), heading('Bar'), heading('Count'), heading('Share')),
  );
  const table = el('table', { class: 'bars' }, el('caption', { class: 'unseen' }, caption), head, body);
  const empty = el('p', { class: 'empty' });
  place.append(table, empty);
  return (rows, of, none) => {
    const shown = rows.filter((row) => row.count > 0);
    table.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
    setText(empty, none);
    body.replaceChildren(
      ...shown.map((row) => {
        const share = of === 0 ? 0 : row.count / of;
        const name = el('th', { scope: 'row' }, row.name);
        return rowOf(name, cell(bar(share, row.kind)), cell(whole(row.count), true), cell(percent(share), true));
      }),
    );
  };
}

function showFreshness(place: HTMLElement, freshness: Told['freshness']): void {
  if (freshness === null) {
    const flag = el('code', {}, '--recrawl');
    const why = ['No page is visited again: a crawl with ', flag, ' keeps its pages fresh.'];
    if (place.querySelector('code') === null) place.replaceChildren(el('p', { class: 'empty' }, ...why));
    return;
  }
  const { pages, fresh, ageP50S, ageP95S, withinGoal, sitemapTrust } = freshness;
  const shares: readonly (readonly [string, number | null])[] = [
    ['as they were seen', fresh],
    ['seen within 7 days', withinGoal],
    ['sitemap dates proved right', sitemapTrust],
  ];
  const rows = shares.map(([name, share]) =>
    rowOf(
      el('th', { scope: 'row' }, name),
      cell(share === null ? null : bar(share, 'good')),
      cell(share === null ? '–' : percent(share), true),
    ),
  );
  const age = (seconds: number | null) => (seconds === null ? 'not known yet' : duration(1_000 * seconds));
  const facts: readonly (readonly [string, string])[] = [
    ['pages visited again', whole(pages)],
    ['half of them seen within', age(ageP50S)],
    ['19 of 20 seen within', age(ageP95S)],
  ];
  const list = facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
  place.replaceChildren(
    el('table', { class: 'bars wraps' }, el('caption', { class: 'unseen' }, 'Freshness'), el('tbody', {}, ...rows)),
    el('dl', { class: 'facts' }, ...list),
  );
}
