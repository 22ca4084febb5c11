/** The main numbers of a crawl. */
import type { CrawlStatus } from '../status.ts';
import { byId, el, setText } from './element.ts';
import { bytes, percent, roughly, short, whole } from './numbers.ts';
import { isEnded } from './phase-text.ts';
import { type Rated, rateOf, type Series } from './series.ts';

interface Tile {
  readonly name: string;
  value(status: CrawlStatus, series: Series): string;
  below(status: CrawlStatus, series: Series): string;
}

const tiles: readonly Tile[] = [
  {
    name: 'Pages a second',
    value: (status, series) => rateText(status, series, 'page', short),
    below: ({ counts, pageQuota }) =>
      `${whole(counts['page']!)} pages${pageQuota === null ? '' : ` of ${whole(pageQuota)}`}`,
  },
  {
    name: 'Links a second',
    value: (status, series) => rateText(status, series, 'discovered', short),
    below: ({ counts }) => `${whole(counts['admitted']!)} URLs admitted`,
  },
  {
    name: 'Received a second',
    value: (status, series) => rateText(status, series, 'bytes', bytes),
    below: ({ counts }) => `${bytes(counts['bytes']!)} in total`,
  },
  {
    name: 'Waiting URLs',
    value: ({ counts }) => short(counts['queued']! + counts['retrying']!),
    below: (status, series) =>
      `${whole(status.counts['retrying']!)} retrying · ${whole(status.counts['deferred']!)} deferred${endText(status, series)}`,
  },
  {
    name: 'Hosts',
    value: ({ hosts }) => short(hosts.known),
    below: ({ hosts }) =>
      hosts.ready === null
        ? `${whole(hosts.fetching)} on lease`
        : `${whole(hosts.fetching)} on lease, ${whole(hosts.ready)} ready, ${whole(hosts.delayed ?? 0)} delayed`,
  },
  {
    name: 'Failed',
    value: ({ counts }) => percent(share(counts['failed']! + counts['dead']!, settled(counts))),
    below: ({ counts }) => `${whole(counts['failed']!)} failed, ${whole(counts['dead']!)} dead-lettered`,
  },
];

export function showTiles(): (status: CrawlStatus, series: Series) => void {
  const place = byId('tiles');
  const shown = tiles.map((tile) => {
    const [value, below] = [el('dd', { class: 'tile-value' }), el('dd', { class: 'tile-below' })];
    place.append(el('div', { class: 'tile' }, el('dt', {}, tile.name), value, below));
    return { tile, value, below };
  });
  return (status, series) => {
    for (const { tile, value, below } of shown) {
      setText(value, tile.value(status, series));
      setText(below, tile.below(status, series));
    }
  };
}

/** A dash after the end, while no process runs the crawl, and until there is a rate. */
function rateText(status: CrawlStatus, series: Series, name: Rated, text: (rate: number) => string): string {
  if (isEnded(status.phase) || status.phase === 'idle') return '–';
  const rate = rateOf(status, series, name);
  return rate === null ? '–' : text(rate);
}

/** Only while pages are fetched: a crawl that stands has no end in sight. */
function endText({ phase, pageQuota, backOffUntilMs, atMs }: CrawlStatus, series: Series): string {
  const waitMs = Math.max(0, (backOffUntilMs ?? 0) - atMs);
  const leftMs = phase === 'running' ? series.untilEndMs(pageQuota, waitMs) : null;
  return leftMs === null ? '' : ` · done in about ${roughly(leftMs)}`;
}

function settled(counts: CrawlStatus['counts']): number {
  return ['page', 'redirected', 'denied', 'failed', 'dead'].reduce((sum, name) => sum + counts[name]!, 0);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
