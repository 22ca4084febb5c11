/** Lines of `stats` and of reports: the labels of a crawl's counts. */
import { type CountName, type CrawlCounts, countTable } from '../../../topology/frontier/ask/crawl-counts.ts';
import { linkNames, placeNames } from '../../runtime/words.ts';

interface Line {
  readonly label: string;
  /** Print it even if it is 0. */
  readonly always?: true;
}

/** Counts without a label are not printed. */
export const countLabels: Readonly<Partial<Record<CountName, Line>>> = {
  pages: { label: placeNames.page, always: true },
  hosts: { label: 'hosts known', always: true },
  admitted: { label: 'URLs admitted', always: true },
  duplicates: { label: linkNames.duplicates, always: true },
  seenErrors: { label: 'missed (Bloom filter)' },
  outOfScope: { label: linkNames.outOfScope },
  tooDeep: { label: linkNames.tooDeep },
  filtered: { label: linkNames.filtered },
  invalid: { label: linkNames.invalid },
  tooLong: { label: linkNames.tooLong },
  hostFull: { label: linkNames.hostFull },
  queueFull: { label: linkNames.queueFull },
  linksDropped: { label: linkNames.linksDropped },
  truncated: { label: 'pages cut at --max-body' },
  purged: { label: 'links to purged URLs' },
  queued: { label: 'still queued' },
  retrying: { label: '  waiting for a retry' },
  leased: { label: placeNames.leased },
  deferred: { label: placeNames.deferred },
  overShare: { label: 'beyond a host’s share' },
  untagged: { label: 'URLs that lost their tags' },
  capped: { label: 'hosts at a limit' },
  scheduled: { label: 'due for refetch' },
  revisits: { label: 'fetched again' },
  changesFound: { label: '  found a change' },
  notModified: { label: '  not modified (304)' },
  redirected: { label: placeNames.redirected },
  denied: { label: placeNames.denied },
  failed: { label: placeNames.failed },
  notRead: { label: '  skipped by type' },
  paymentRequired: { label: '  payment required (402)' },
  deadLettered: { label: placeNames.dead },
  undecodable: { label: 'unreadable records' },
  misrouted: { label: 'on the wrong partition' },
  untaken: { label: 'leases not taken' },
  foreignRecords: { label: 'changelog records by others' },
  cutInputs: { label: 'inputs that lost records' },
  fetches: { label: 'requests tried', always: true },
  bytes: { label: 'bytes received', always: true },
};

/** Returns the lines of a report. A row with 0 is left out, unless it is always printed. */
export function countsText(counts: CrawlCounts): string {
  return (Object.keys(countTable) as CountName[])
    .flatMap((name) => {
      const { label, always } = countLabels[name] ?? {};
      if (label === undefined || (always !== true && counts[name] === 0)) return [];
      const shown = name === 'failed' && counts.notRead > 0 ? `${label} or skipped` : label;
      return [`  ${shown.padEnd(24)}${counts[name].toLocaleString('en-US').padStart(14)}`];
    })
    .join('\n');
}
