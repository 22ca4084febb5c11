/**
 * The partitions: a map with a cell per partition, coloured by state, and a table with owners, lag, restores and
 * standbys.
 */
import type { CrawlStatus, PartitionReport } from '../status.ts';
import { bar, byId, cell, el, heading, rowOf, scrolled, setText } from './element.ts';
import { count, duration, percent, ranges, short } from './numbers.ts';

type State = 'owned' | 'restoring' | 'silent' | 'nobody' | 'elsewhere' | 'idle';

const stateTexts: Readonly<Record<State, string>> = {
  owned: 'owned',
  restoring: 'being restored',
  silent: 'no answer',
  nobody: 'nobody’s',
  elsewhere: 'of another process',
  idle: 'not running',
};

export function showPartitions(): (parts: CrawlStatus) => void {
  const [map, size] = [byId('partitions-map'), byId('partitions-size')];
  const body = el('tbody');
  const columns = [heading('Partition'), heading('Owner'), heading('State'), heading('Waiting', true)];
  const more = [heading('Hosts', true), heading('Pages', true), heading('Unprocessed', true), heading('Copies')];
  const table = el('table', { class: 'partitions' }, el('thead', {}, rowOf(...columns, ...more)), body);
  byId('partitions-list').append(scrolled('Partitions, their owners, lag and copies', table));
  return ({ partitions, members, fetchers, idle }) => {
    const states = partitions.map((one) => stateOf(one, members, idle !== null));
    const most = Math.max(1, ...partitions.map(waiting));
    map.replaceChildren(...partitions.map((one, i) => cellOf(one, states[i]!, waiting(one) / most)));
    map.setAttribute('aria-label', mapText(partitions, states));
    setText(size, sizeText(partitions.length, members?.length ?? null, fetchers));
    body.replaceChildren(...partitions.map((one, i) => partitionRow(one, states[i]!)));
  };
}

function stateOf({ owner, restored }: PartitionReport, members: CrawlStatus['members'], isIdle: boolean): State {
  if (isIdle) return 'idle';
  // The owners of a data folder are not known to its readers.
  if (owner === null) return members === null ? 'elsewhere' : 'nobody';
  const listens = members?.some(({ name, address }) => name === owner && address !== null) ?? false;
  if (restored === null && listens) return 'silent';
  return restored !== null && restored < 1 ? 'restoring' : 'owned';
}

function waiting({ counters }: PartitionReport): number {
  return counters['queued']! + counters['retrying']!;
}

/** A cell, filled by the progress of a restore, or by the share of waiting input. */
function cellOf(one: PartitionReport, state: State, share: number): HTMLElement {
  const fill = el('span', { class: 'map-fill' });
  fill.style.blockSize = percent(state === 'restoring' ? one.restored! : share).replace(' ', '');
  const title = `Partition ${one.partition}: ${stateTexts[state]}${one.owner === null ? '' : ` by ${one.owner}`}, ${count(waiting(one))} URLs waiting`;
  return el(
    'span',
    { class: `map-cell ${state}`, title },
    fill,
    el('span', { class: 'map-number' }, `${one.partition}`),
  );
}

function mapText(partitions: readonly PartitionReport[], states: readonly State[]): string {
  const of = (state: State) => partitions.filter((_, i) => states[i] === state).map(({ partition }) => partition);
  const parts = (Object.keys(stateTexts) as State[])
    .filter((state) => of(state).length > 0)
    .map((state) => `${stateTexts[state]}: ${ranges(of(state))}`);
  return `Map of partitions. ${parts.join('; ')}`;
}

function sizeText(partitions: number, members: number | null, fetchers: number | null): string {
  const what = `${count(partitions)} partition${partitions === 1 ? '' : 's'}`;
  if (members === null || members === 0) return what;
  const frontiers = `${what} on ${count(members)} frontier${members === 1 ? '' : 's'}`;
  return fetchers === null ? frontiers : `${frontiers}, ${count(fetchers)} fetcher${fetchers === 1 ? '' : 's'}`;
}

function partitionRow(one: PartitionReport, state: State): HTMLTableRowElement {
  const { partition, owner, counters, lag, standbys } = one;
  const isRestoring = state === 'restoring';
  const left = one.restoreLeftMs !== null && one.restoreLeftMs > 0 ? `, ${duration(one.restoreLeftMs)} left` : '';
  const phase = isRestoring
    ? el('span', { class: 'restore' }, bar(one.restored!, 'warn'), `${percent(one.restored!)}${left}`)
    : el('span', { class: `state ${state}` }, stateTexts[state]);
  const undecided = lag.discovered + lag.results + lag.control;
  const undecidedText = el('span', {
    title: `discovered ${lag.discovered}, results ${lag.results}, control ${lag.control}`,
  });
  setText(undecidedText, short(undecided));
  return rowOf(
    el('th', { scope: 'row' }, `${partition}`),
    cell(el('span', { class: 'mono' }, owner ?? '–')),
    cell(phase),
    cell(count(waiting(one)), true),
    cell(count(counters['hosts']!), true),
    cell(count(counters['page']!), true),
    cell(undecidedText, true),
    cell(standbys.length === 0 ? '–' : standbys.map(copyText).join('; ')),
  );
}

function copyText({ member, behind, staleMs }: PartitionReport['standbys'][number]): string {
  if (behind === null || staleMs === null) return `${member}: starting`;
  return `${member}: ${staleMs < 1_000 ? 'up to date' : `${duration(staleMs)} behind`}`;
}
