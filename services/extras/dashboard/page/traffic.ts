/** The two charts: the crawl's rates, and its waiting URLs. */
import type { HistoryColumn } from '../status.ts';
import { Chart, type ChartOptions } from './chart.ts';
import { byId, el } from './element.ts';
import { bytes, short } from './numbers.ts';
import type { Series } from './series.ts';

interface Rate extends ChartOptions {
  readonly name: string;
  readonly columns: readonly HistoryColumn[];
}

const perSecond = (value: number) => `${short(value)}/s`;
const rates: readonly Rate[] = [
  {
    name: 'Pages',
    title: 'Pages and requests a second',
    columns: ['page', 'fetches'],
    lines: [
      { label: 'pages', color: '--line-1', filled: true },
      { label: 'requests', color: '--line-4' },
    ],
    text: perSecond,
  },
  {
    name: 'URLs',
    title: 'Links found and URLs admitted a second',
    columns: ['discovered', 'admitted'],
    lines: [
      { label: 'links found', color: '--line-1', filled: true },
      { label: 'URLs admitted', color: '--line-2' },
    ],
    text: perSecond,
  },
  {
    name: 'Bytes',
    title: 'Bytes received a second',
    columns: ['bytes'],
    lines: [{ label: 'received', color: '--line-1', filled: true }],
    text: (value) => `${bytes(value)}/s`,
  },
];

const depthColumns = ['queued', 'retrying', 'deferred', 'leased'] as const;
const depth: ChartOptions = {
  title: 'Queued URLs by reason',
  lines: [
    { label: 'queued', color: '--line-1', filled: true },
    { label: 'retrying', color: '--line-2' },
    { label: 'deferred', color: '--line-3' },
    { label: 'on lease', color: '--line-4' },
  ],
  text: short,
};

const spans = [
  ['5 min', 300_000],
  ['15 min', 900_000],
  ['1 h', 3_600_000],
] as const;

export interface Traffic {
  /** Points have come. */
  update(): void;
  /** Colours have changed. */
  repaint(): void;
}

export function showTraffic(series: Series): Traffic {
  let rate = rates[0]!;
  let spanMs: number = spans[1][1];
  const rateChart = new Chart(byId('rates'), rate);
  const depthChart = new Chart(byId('depth'), depth);
  const update = () => {
    // A crawl that has not begun shows no line, instead of one at zero.
    const from = series.column('admitted').at(-1) === 0 ? series.atMs.length : series.from(spanMs);
    const atMs = series.atMs.slice(from);
    rateChart.show({ atMs, values: rate.columns.map((name) => series.rates(name).slice(from)) });
    depthChart.show({ atMs, values: depthColumns.map((name) => series.column(name).slice(from)) });
  };
  choice(
    byId('rates-choice'),
    rates,
    rate,
    ({ name }) => name,
    (chosen) => {
      rate = chosen;
      rateChart.reset(chosen);
      update();
    },
  );
  choice(
    byId('span-choice'),
    spans,
    spans[1],
    ([name]) => name,
    ([, chosen]) => {
      spanMs = chosen;
      update();
    },
  );
  return {
    update,
    repaint() {
      rateChart.reset();
      depthChart.reset();
      update();
    },
  };
}

function choice<Option>(
  place: HTMLElement,
  options: readonly Option[],
  first: Option,
  nameOf: (option: Option) => string,
  onChoice: (option: Option) => void,
): void {
  const buttons = options.map((option) => {
    const button = el('button', { type: 'button', 'aria-pressed': `${option === first}` }, nameOf(option));
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', `${other === button}`);
      onChoice(option);
    });
    return button;
  });
  place.append(...buttons);
}
