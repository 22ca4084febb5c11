/** `what-if` for people: the recorded crawl and the other one, side by side, and how the second was computed. */
import type { CrawlSummary, HostLoad } from '../../../../topology/extras/what-if/crawl-tally.ts';
import type { WhatIfReport } from '../../../../topology/extras/what-if/what-if.ts';
import { counted } from '../../../runtime/counted.ts';
import { rows } from '../../../runtime/rows-text.ts';

/** Hosts that are shown, those that differ most first. */
const hostsShown = 10;
const hostsListed = 100;

interface HostRow {
  readonly host: string;
  readonly recorded: HostLoad | null;
  readonly decided: HostLoad | null;
}

/** One object; hosts in pairs, at most a hundred. */
export function whatIfJson(report: WhatIfReport, changed: readonly string[]) {
  const { recorded, decided, startMs, endMs, ...rest } = report;
  const time = (ms: number) => new Date(ms).toISOString();
  const span = startMs === 0 ? null : { from: time(startMs), to: time(endMs) };
  const both = {
    recorded: { ...recorded, hosts: recorded.hosts.length },
    decided: { ...decided, hosts: decided.hosts.length },
  };
  const { compared, divergence, simulated } = rest;
  return { changed, compared, divergence, simulated, span, ...both, hosts: hostRows(report).slice(0, hostsListed) };
}

export function whatIfText(report: WhatIfReport, changed: readonly string[]): string {
  const { compared, divergence, simulated, recorded, decided, startMs, endMs } = report;
  const head: [string, string | null][] = [
    ['policy', changed.length === 0 ? 'the same' : `other in ${changed.join(', ')}`],
    ['recording', startMs === 0 ? 'empty' : `${new Date(startMs).toISOString()}, ${seconds(endMs - startMs)}`],
    [
      'decided again',
      `${counted(compared.commits, 'commit')} with ${counted(compared.events, 'event')}: ${comparedText(report)}`,
    ],
    ['diverges', divergence === null ? 'nowhere' : divergenceText(report)],
    ['simulated', simulated === null ? null : simulatedText(report)],
  ];
  if (simulated === null) return `${rows(head)}\n\nThe result would have been the same.`;
  return `${rows(head)}\n\n${summaries(recorded, decided)}\n\n${hostTable(report)}`;
}

function comparedText({ compared, divergence }: WhatIfReport): string {
  if (divergence !== null) return 'the same up to the first divergence';
  if (compared.differences === 0) return 'no difference, to the byte';
  return `no decision differs (${compared.differences} records are not the same to the byte: they name another policy, or another release wrote them)`;
}

function divergenceText({ divergence, startMs }: WhatIfReport): string {
  const { partition, offset, atMs, text } = divergence!;
  return `after ${seconds(atMs - startMs)}, partition ${partition}, changelog ${offset}:\n${text}`;
}

function simulatedText({ simulated }: WhatIfReport): string {
  const { fromMs, untilMs, doneAtMs, recordedPages, modelledPages, unknownPages } = simulated!;
  const all = recordedPages + modelledPages + unknownPages;
  const share = all === 0 ? 0 : (100 * modelledPages) / all;
  const end =
    doneAtMs === null ? 'the crawl would have continued' : `nothing was left after ${seconds(doneAtMs - fromMs)}`;
  const lines = [
    `${seconds(untilMs - fromMs)} of virtual time; ${end}`,
    `${recordedPages} answers as recorded, ${modelledPages} modelled (${share.toFixed(1)} %): drawn from the answers of the same host`,
  ];
  if (unknownPages > 0)
    lines.push(`${unknownPages} pages had no recorded answer to draw from, and were returned to the queue`);
  return lines.join('\n');
}

function summaries(a: CrawlSummary, b: CrawlSummary): string {
  const per = (list: readonly number[]) => list.map((count, frontQueue) => `${frontQueue}: ${count}`).join('  ');
  const percent = (list: readonly number[]) => list.map((share) => `${Math.round(100 * share)}`).join(' ');
  const lines: [string, string | number, string | number][] = [
    ['', 'recorded', 'what if'],
    ['URLs admitted', a.admitted, b.admitted],
    ['links refused', a.refused, b.refused],
    ['pages', a.pages, b.pages],
    ['visits a page', a.visitsPerPage, b.visitsPerPage],
    ['mean age of copies, s', a.meanAgeSeconds, b.meanAgeSeconds],
    ['busiest host, requests/s', a.peakPerSecond, b.peakPerSecond],
    ['traps, URLs in them', `${a.traps}, ${a.trapped}`, `${b.traps}, ${b.trapped}`],
    ['dead letters', a.deadLettered, b.deadLettered],
    ['waiting at the end', a.queuedAtEnd, b.queuedAtEnd],
  ];
  const width = Math.max(...lines.map(([, one]) => String(one).length), 10);
  const table = lines.map(
    ([name, one, other]) => `${name.padEnd(26)}${String(one).padStart(width)}  ${String(other).padStart(width)}`,
  );
  const more = rows([
    ['pages by front queue', `${per(a.pagesByFrontQueue)}\n${per(b.pagesByFrontQueue)}`],
    ['in-link mass covered, % by tenths of the time', `${percent(a.coverage)}\n${percent(b.coverage)}`],
  ]);
  return `${table.join('\n')}\n\n${more}`;
}

function hostTable(report: WhatIfReport): string {
  const all = hostRows(report);
  const lines = all.slice(0, hostsShown).map(({ host, recorded, decided }) => {
    const [a, b] = [recorded ?? noLoad, decided ?? noLoad];
    const pages = `${a.pages} → ${b.pages}`.padEnd(16);
    const mean = `${a.meanPerSecond} → ${b.meanPerSecond}`.padEnd(16);
    return `${clipped(host).padEnd(42)}${pages}${mean}${a.peakPerSecond} → ${b.peakPerSecond}`;
  });
  const head = `${'host'.padEnd(42)}${'pages'.padEnd(16)}${'requests/s'.padEnd(16)}at most`;
  const rest = all.length > hostsShown ? [`… and ${all.length - hostsShown} more`] : [];
  return [head, ...lines, ...rest].join('\n');
}

const noLoad = { pages: 0, meanPerSecond: 0, peakPerSecond: 0 };

/** Hosts with the most different pages first. */
function hostRows({ recorded, decided }: WhatIfReport): HostRow[] {
  const after = new Map(decided.hosts.map((load) => [load.host, load]));
  const before = new Set(recorded.hosts.map(({ host }) => host));
  const pairs: HostRow[] = [
    ...recorded.hosts.map((load) => ({ host: load.host, recorded: load, decided: after.get(load.host) ?? null })),
    ...decided.hosts
      .filter(({ host }) => !before.has(host))
      .map((load) => ({ host: load.host, recorded: null, decided: load })),
  ];
  const gap = ({ recorded: a, decided: b }: HostRow) => Math.abs((a?.pages ?? 0) - (b?.pages ?? 0));
  return pairs.sort((a, b) => gap(b) - gap(a) || (a.host < b.host ? -1 : 1));
}

function clipped(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
