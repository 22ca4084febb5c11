/** Errors over time, by kind, and the hosts that have most of them. */
import type { ErrorsStatus } from '../status.ts';
import { Chart, type ChartOptions } from './chart.ts';
import { byId, cell, el, fold, heading, rowOf, scrolled, setText } from './element.ts';
import { hostLink, urlLink } from './links.ts';
import { short, whole } from './numbers.ts';
import { outcomeName, outcomeText } from './outcome-names.ts';
import { askErrors } from './requests.ts';

/** They are read from the log, and change slowly. */
const everyMs = 30_000;
const colors = ['--line-1', '--line-2', '--line-3', '--line-4'] as const;
const title = 'Errors by kind';

export interface ErrorsPanel {
  /** Colours have changed. */
  repaint(): void;
}

export function showErrors(): ErrorsPanel {
  const chart = new Chart(byId('errors-chart'), { title, lines: [], text: short });
  let before = '';
  const show = (errors: ErrorsStatus) => {
    const kinds = errors.kinds.slice(0, colors.length);
    const options: ChartOptions = {
      ...{ title, text: short },
      lines: kinds.map(({ kind }, at) => ({ label: outcomeName(kind), color: colors[at]! })),
    };
    const lines = JSON.stringify(options.lines);
    if (lines !== before) chart.reset(options);
    before = lines;
    const hasErrors = kinds.length > 0;
    chart.show({ atMs: hasErrors ? errors.atMs : [], values: kinds.map(({ counts }) => counts) });
    setText(
      byId('errors-size'),
      hasErrors ? (errors.isEstimate ? 'estimated from a sample' : 'all that are stored') : 'none',
    );
    byId('errors-hosts').replaceChildren(...(hasErrors ? [tableOf(errors.hosts)] : []));
    fold(byId('errors-hosts'), !hasErrors);
  };
  const read = async () => {
    if (!document.hidden) await askErrors().then(show, () => {});
    setTimeout(() => void read(), everyMs);
  };
  void read();
  return {
    repaint() {
      chart.reset();
      void askErrors().then(show, () => {});
    },
  };
}

function tableOf(hosts: ErrorsStatus['hosts']): HTMLElement {
  const head = rowOf(heading('Host'), heading('Error'), heading('Times', true), heading('Newest'));
  const rows = hosts.map(({ host, kind, status, url, count }) =>
    rowOf(
      el('th', { scope: 'row', class: 'mono' }, hostLink(host)),
      cell(outcomeText({ kind, status })),
      cell(whole(count), true),
      el('td', { class: 'mono url' }, urlLink(url)),
    ),
  );
  const table = el('table', { class: 'fetches' }, el('thead', {}, head), el('tbody', {}, ...rows));
  return scrolled('Hosts with most errors', table);
}
