/** Differences of two states of a partition, by name. */
import type { CanonicalRow, RowKind } from '../../../topology/frontier/check/digest.ts';
import { eachRow } from '../../../topology/frontier/check/digest.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';

/** Number of fields after the kind that identify a row; the others are its values. */
const nameFields: { readonly [kind in RowKind]: number } = {
  policy: 0,
  next: 0,
  position: 1,
  counter: 1,
  quota: 1,
  host: 1,
  lanes: 1,
  robotsHop: 2,
  budget: 1,
  trap: 2,
  purged: 3,
  equivalence: 2,
  inLinks: 0,
  cash: 0,
  released: 2,
  everQueued: 0,
  band: 2,
  again: 2,
  rescheduled: 2,
  lease: 1,
  leased: 2,
  leasedPage: 2,
  taken: 0,
  schedule: 0,
  trust: 1,
  sitemaps: 1,
  seen: 0,
  pulled: 1,
  load: 0,
  tags: 1,
};

/**
 * In words, the first row of `stored` that differs in `rebuilt` or is missing there, or else one that `rebuilt` has in
 * addition.
 */
export function firstDifference(stored: FrontierState, rebuilt: FrontierState): string | undefined {
  const others = new Map<string, string>();
  eachRow(rebuilt, (row) => others.set(nameOf(row), saysOf(row)));
  let difference: string | undefined;
  eachRow(stored, (row) => {
    const name = nameOf(row);
    const other = others.get(name);
    others.delete(name);
    if (difference !== undefined || other === saysOf(row)) return;
    difference =
      other === undefined
        ? `${name} (${saysOf(row)}) is missing in the rebuilt state`
        : `${name} is ${saysOf(row)}, rebuilt it is ${other}`;
  });
  const [left] = others;
  if (difference === undefined && left !== undefined)
    difference = `${left[0]} (${left[1]}) is only in the rebuilt state`;
  return difference;
}

function nameOf(row: CanonicalRow): string {
  return row.slice(0, 1 + nameFields[row[0]]).join(' ');
}

function saysOf(row: CanonicalRow): string {
  return row.slice(1 + nameFields[row[0]]).join(' ');
}
