/**
 * A chart over time, with axes and units, and a text version for people who do not see it: one sentence, and the points
 * as a table. The only file that knows uPlot (a global: the library is a separate script).
 */
import type uPlotOf from 'uplot';
import { el, fold, heading, rowOf, scrolled, setText } from './element.ts';
import { clock } from './numbers.ts';

declare const uPlot: typeof uPlotOf;

export interface Line {
  readonly label: string;
  /** Name of a colour of the style, as in `--line-1`. */
  readonly color: string;
  readonly filled?: boolean;
}

export interface ChartOptions {
  /** Accessible name of the chart, for people who do not see it. */
  readonly title: string;
  readonly lines: readonly Line[];
  /** Formats a value for people. */
  readonly text: (value: number) => string;
}

export interface ChartData {
  /** ms since the Unix epoch. */
  readonly atMs: readonly number[];
  /** In the order of the lines; null: not known. */
  readonly values: readonly (readonly (number | null)[])[];
}

const height = 238;
/** Rows of the table, evenly spaced. */
const tableRows = 12;
/** Interval of updating the sentence, ms: screen readers must not repeat it every second. */
const sentenceEveryMs = 10_000;

export class Chart {
  readonly #figure: HTMLElement;
  readonly #canvas = el('div', { class: 'chart', role: 'img' });
  readonly #empty = el('p', { class: 'empty' }, 'No data yet.');
  readonly #table = el('table');
  readonly #details: HTMLDetailsElement;
  #options: ChartOptions;
  #plot: uPlotOf | undefined;
  #data: ChartData = { atMs: [], values: [] };
  #sentenceAtMs = 0;

  constructor(place: HTMLElement, options: ChartOptions) {
    this.#options = options;
    this.#details = el('details', {}, el('summary', {}, 'As a table'), scrolled('Points of the chart', this.#table));
    this.#details.addEventListener('toggle', () => this.#fillTable());
    this.#figure = el('figure', {}, this.#canvas, this.#empty, this.#details);
    place.append(this.#figure);
    new ResizeObserver(() => this.#resize()).observe(this.#canvas);
  }

  /** Sets other lines, another unit or other colours. The next `show` draws the chart again. */
  reset(options: ChartOptions = this.#options): void {
    this.#options = options;
    this.#plot?.destroy();
    this.#plot = undefined;
    this.#sentenceAtMs = 0;
  }

  show(data: ChartData): void {
    this.#data = data;
    const isEmpty = data.atMs.length < 2;
    this.#canvas.hidden = isEmpty;
    this.#empty.hidden = !isEmpty;
    this.#details.hidden = isEmpty;
    fold(this.#figure, isEmpty);
    if (isEmpty) return;
    const columns = [data.atMs.map((atMs) => atMs / 1_000), ...data.values] as uPlotOf.AlignedData;
    if (this.#plot === undefined) this.#plot = new uPlot(this.#plotOptions(), columns, this.#canvas);
    else this.#plot.setData(columns);
    // The legend shows the moment under the pointer, else now.
    if (this.#plot.cursor.idx == null) this.#plot.setLegend({ idx: data.atMs.length - 1 });
    const lastMs = data.atMs.at(-1)!;
    if (lastMs - this.#sentenceAtMs < sentenceEveryMs) return;
    this.#sentenceAtMs = lastMs;
    this.#canvas.setAttribute('aria-label', this.#sentence());
    if (this.#details.open) this.#fillTable();
  }

  #resize(): void {
    const width = this.#canvas.clientWidth;
    if (width > 0) this.#plot?.setSize({ width, height });
  }

  #plotOptions(): uPlotOf.Options {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const { lines, text } = this.#options;
    const axis = { stroke: color('--ink-soft'), font: `12px ${color('--sans')}`, ticks: { show: false } };
    const grid = { stroke: color('--rule'), width: 1 };
    return {
      width: this.#canvas.clientWidth,
      height,
      cursor: { y: false, points: { size: 7 } },
      legend: { live: true, isolate: false },
      hooks: { ready: [(plot) => plot.setLegend({ idx: plot.data[0].length - 1 })] },
      scales: { y: { range: (_, __, most) => [0, most > 0 ? 1.1 * most : 1] } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 32,
          label: timeAxisLabel(),
          labelSize: 18,
          labelFont: axis.font,
          space: 90,
          values: (_, seconds) => seconds.map((one) => timeText(one)),
        },
        { ...axis, grid, size: 62, values: (_, values) => values.map(text) },
      ],
      series: [
        { label: 'at', value: (_, seconds) => (seconds == null ? '–' : clock(1_000 * seconds)) },
        ...lines.map(({ label, color: name, filled }) => ({
          label,
          stroke: color(name),
          width: 2,
          ...(filled && { fill: `color-mix(in srgb, ${color(name)} 16%, transparent)` }),
          points: { show: false },
          value: (_: uPlotOf, value: number | null) => (value === null ? '–' : text(value)),
        })),
      ],
    };
  }

  #sentence(): string {
    const { title, lines, text } = this.#options;
    const { atMs, values } = this.#data;
    const texts = lines.map(({ label }, line) => {
      const known = values[line]!.filter((value) => value !== null);
      const last = known.at(-1);
      if (last === undefined) return `${label}: unknown`;
      return `${label}: now ${text(last)}, between ${text(Math.min(...known))} and ${text(Math.max(...known))}`;
    });
    return `${title} from ${clock(atMs[0]!)} to ${clock(atMs.at(-1)!)}. ${texts.join('. ')}.`;
  }

  #fillTable(): void {
    const { lines, text } = this.#options;
    const { atMs, values } = this.#data;
    const step = Math.max(1, Math.floor(atMs.length / tableRows));
    const rows: HTMLTableRowElement[] = [];
    for (let i = atMs.length - 1; i >= 0; i -= step) {
      const numbers = values.map((column) => (column[i] == null ? '–' : text(column[i]!)));
      rows.push(rowOf(el('th', { scope: 'row' }, clock(atMs[i]!)), ...numbers.map((one) => numberCell(one))));
    }
    const head = rowOf(heading('At'), ...lines.map(({ label }) => heading(label, true)));
    const caption = el('caption', { class: 'unseen' }, this.#options.title);
    this.#table.replaceChildren(caption, el('thead', {}, head), el('tbody', {}, ...rows));
  }
}

function numberCell(text: string): HTMLTableCellElement {
  const cell = el('td', { class: 'number' });
  setText(cell, text);
  return cell;
}

/** Names the viewer's time zone. */
function timeAxisLabel(): string {
  const minutes = -new Date().getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const shift = `${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
  return `time of day (UTC${minutes === 0 ? '' : shift})`;
}

/** With seconds, if they matter. */
function timeText(seconds: number): string {
  const text = clock(1_000 * seconds);
  return text.endsWith(':00') ? text.slice(0, -3) : text;
}
