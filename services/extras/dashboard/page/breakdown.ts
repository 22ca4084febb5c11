/** URLs by outcome, results of the last minute, and the freshness of pages: bars with numbers beside them. */
import type { CrawlStatus, DuplicatesStatus, FetchStatus } from '../status.ts';
import { linkNames, placeNames } from '../words.ts';
import { bar, byId, type Child, cell, el, fold, heading, rowOf, setText } from './element.ts';
import { urlLink } from './links.ts';
import { count, duration, percent, whole } from './numbers.ts';
import { outcomeName, outcomeText, retriedKinds } from './outcome-names.ts';

interface Bar {
  readonly name: string;
  readonly count: number;
  /** `good`, `warn`, `bad` or `calm`: a colour of the style. */
  readonly kind: string;
  /** The reason, below the name. */
  readonly why?: Child;
}

const places: readonly (readonly [counter: keyof typeof placeNames, kind: string])[] = [
  ['page', 'good'],
  ['queued', 'calm'],
  ['leased', 'calm'],
  ['retrying', 'warn'],
  ['deferred', 'warn'],
  ['redirected', 'calm'],
  ['denied', 'calm'],
  ['failed', 'bad'],
  ['dead', 'bad'],
];

export function showBreakdown(): (status: CrawlStatus) => void {
  const ofPlaces = bars(byId('places'), 'URLs by outcome');
  const refused = el('details', {}, el('summary', {}, 'Rejected links'));
  byId('places').append(refused);
  const ofRefusals = bars(refused, 'Rejected links by reason');
  const ofRecent = bars(byId('recent'), 'Outcomes of the last minute');
  const causes = el('div', { class: 'causes' });
  byId('recent').append(causes);
  const copies = el('p', { class: 'hint' });
  byId('places').append(copies);
  const fresh = byId('fresh');
  return ({ counts, recent, freshness, paused, duplicates, idle }) => {
    const of = (name: string) => counts[name] ?? 0;
    const why: Partial<Record<keyof typeof placeNames, Child>> = {
      queued: paused ? 'the crawl is paused' : null,
      retrying: causeOf(recent, ({ kind }) => retriedKinds.has(kind)),
      denied: causeOf(recent, ({ kind }) => kind === 'robotsDenied'),
      failed: causeOf(recent, ({ kind }) => !retriedKinds.has(kind) && kind !== 'robotsDenied'),
      deferred: 'by a block, a limit, a Crawl-delay, a trap or a budget',
    };
    ofPlaces(
      places.map(([name, kind]) => ({ name: placeNames[name], count: of(name), kind, why: why[name] ?? null })),
      of('admitted'),
      'No URL has been admitted yet.',
    );
    ofRefusals(
      Object.entries(linkNames).map(([name, text]) => ({ name: text, count: of(name), kind: 'calm' })),
      of('discovered'),
      'No links were rejected yet.',
    );
    showDuplicates(copies, duplicates ?? null);
    setText(byId('recent-size'), recent.outcomes === 0 ? '' : `a sample of ${count(recent.outcomes)}`);
    const recentBars = recent.kinds.map(({ kind, count: number, failed }) => ({
      name: outcomeName(kind),
      count: number,
      kind: failed ? 'bad' : kind === 'fetched' || kind === 'notModified' ? 'good' : 'calm',
    }));
    ofRecent(recentBars, recent.outcomes, 'No fetch was reported in the last minute.');
    fold(byId('recent'), recent.outcomes === 0 && recent.causes.length === 0);
    fold(byId('places'), of('admitted') === 0);
    if (!causes.contains(document.activeElement)) causes.replaceChildren(...causesOf(recent));
    fold(fresh, freshness === null);
    showFreshness(fresh, freshness, idle !== null);
  };
}

/** The newest result of this kind, with its URL. */
function causeOf({ causes }: CrawlStatus['recent'], isIt: (one: FetchStatus) => boolean): Child {
  const found = causes.find(isIt);
  return found === undefined ? null : el('span', {}, `${outcomeText(found)}, as of `, urlLink(found.url));
}

/** Failures by reason, each with an example that links to its history. */
function causesOf({ causes }: CrawlStatus['recent']): readonly HTMLElement[] {
  if (causes.length === 0) return [];
  const facts = causes.flatMap((one) => [
    el('dt', {}, outcomeText(one)),
    el('dd', {}, urlLink(one.url), one.detail === '' ? null : el('span', { class: 'detail' }, one.detail)),
  ]);
  return [el('h3', {}, 'Failures by reason'), el('dl', { class: 'facts' }, ...facts)];
}

/** A table of names, bars, counts and shares; rows of nought are left out. */
function bars(place: HTMLElement, caption: string): (rows: readonly Bar[], of: number, none: string) => void {
  const body = el('tbody');
  const head = el(
    'thead',
    { class: 'unseen' },
    rowOf(heading('Name'), heading('Bar'), heading('Count'), heading('Share')),
  );
  const table = el('table', { class: 'bars' }, el('caption', { class: 'unseen' }, caption), head, body);
  const empty = el('p', { class: 'empty' });
  place.append(table, empty);
  return (rows, of, none) => {
    const shown = rows.filter((row) => row.count > 0);
    table.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
    setText(empty, none);
    if (body.contains(document.activeElement)) return;
    body.replaceChildren(
      ...shown.map((row) => {
        const share = of === 0 ? 0 : row.count / of;
        const why = row.why == null ? null : el('span', { class: 'detail' }, row.why);
        const name = el('th', { scope: 'row' }, row.name, why);
        return rowOf(name, cell(bar(share, row.kind)), cell(whole(row.count), true), cell(percent(share), true));
      }),
    );
  };
}

/** Pages among them that are copies of others, by kind. */
function showDuplicates(place: HTMLElement, duplicates: DuplicatesStatus | null): void {
  const { exact, near, syndicated, isLeast } = duplicates ?? { exact: 0, near: 0, syndicated: 0 };
  const sum = exact + near + syndicated;
  place.hidden = sum === 0;
  const least = isLeast === true ? 'at least ' : '';
  const kinds = `${whole(exact)} exact, ${whole(near)} near, ${whole(syndicated)} syndicated`;
  setText(place, `Duplicate pages: ${least}${whole(sum)} (${kinds})`);
}

/** The process of a crawl measures freshness: without one, nothing is known here. */
function showFreshness(place: HTMLElement, freshness: CrawlStatus['freshness'], isStopped: boolean): void {
  if (freshness === null) {
    const code = (text: string) => el('code', {}, text);
    const why = isStopped
      ? [
          'Measured while the crawl runs. ',
          code('stats'),
          ' measures it in the data folder of a crawl with ',
          code('--recrawl'),
          '.',
        ]
      : ['Pages are not revisited. Crawl with ', code('--recrawl'), ' to keep them fresh.'];
    const line = el('p', { class: 'empty' }, ...why);
    if (place.textContent !== line.textContent) place.replaceChildren(line);
    return;
  }
  const { pages, fresh, ageP50S, ageP95S, withinGoal, sitemapTrust } = freshness;
  const shares: readonly (readonly [string, number | null])[] = [
    ['expected unchanged', fresh],
    ['seen within 7 days', withinGoal],
    ['correct sitemap dates', sitemapTrust],
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
    ['pages refetched', whole(pages)],
    ['median age', age(ageP50S)],
    ['age, 95th percentile', age(ageP95S)],
  ];
  const list = facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
  place.replaceChildren(
    el('table', { class: 'bars wraps' }, el('caption', { class: 'unseen' }, 'Freshness'), el('tbody', {}, ...rows)),
    el('dl', { class: 'facts' }, ...list),
  );
}
