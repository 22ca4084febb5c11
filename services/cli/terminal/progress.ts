/** Shows a running crawl: a view that redraws itself on a terminal, plain lines elsewhere. */
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import type { CrawlStatus } from '../../application/crawl/watch-crawl.ts';
import { bytesText, clockText } from '../../runtime/figure-text.ts';
import { inert } from '../../runtime/logging/inert.ts';
import { type LogFields, type LogLevel, say, sayElsewhere, speaksJson } from '../../runtime/logging/say.ts';

export interface Progress {
  show(status: CrawlStatus): void;
  /** A separate line, below which the view continues. */
  note(text: string, level?: LogLevel, fields?: LogFields): void;
  /** Clears the view for other output. */
  end(): void;
}

/** Intervals of redrawing a terminal, and of lines on other outputs, ms. */
const redrawMs = 200;

const lineMs = 5_000;

const waitShownMs = 3_000;

export function createProgress(out: NodeJS.WriteStream, nowMs: () => number): Progress {
  if (speaksJson()) return createRecords(nowMs);
  return out.isTTY ? createView(out, nowMs) : createLines(out, nowMs);
}

function createView(out: NodeJS.WriteStream, nowMs: () => number): Progress {
  let drawnAtMs = 0;
  let lines = 0;
  const clear = () => {
    // A ^C that the terminal echoed is on the line below the view.
    if (lines > 0) out.write(`\r\x1b[${lines}A\x1b[J`);
    lines = 0;
  };
  return {
    show: (status) => {
      if (nowMs() - drawnAtMs < redrawMs) return;
      drawnAtMs = nowMs();
      clear();
      const width = Math.max(20, (out.columns ?? 80) - 1);
      const text = viewLines(status).map((line) => line.slice(0, width));
      out.write(`${text.join('\n')}\n`);
      lines = text.length;
    },
    note: (text, level, fields) => {
      clear();
      out.write(`${inert(text)}\n`);
      sayElsewhere(text, level, fields);
    },
    end: clear,
  };
}

function createLines(out: NodeJS.WriteStream, nowMs: () => number): Progress {
  let writtenAtMs = nowMs();
  return {
    show: (status) => {
      if (nowMs() - writtenAtMs < lineMs) return;
      writtenAtMs = nowMs();
      out.write(`${lineOf(status)}\n`);
    },
    note: (text, level, fields) => {
      out.write(`${inert(text)}\n`);
      sayElsewhere(text, level, fields);
    },
    end: () => {},
  };
}

function createRecords(nowMs: () => number): Progress {
  let writtenAtMs = nowMs();
  return {
    show: ({ counters, readyHosts, delayedHosts, leasedHosts, pagesPerSecond, paused }) => {
      if (nowMs() - writtenAtMs < lineMs) return;
      writtenAtMs = nowMs();
      const { page: pages, queued, retrying } = counters;
      const hosts = { readyHosts, delayedHosts, hostsOnLease: leasedHosts };
      say('progress', 'info', {
        component: 'progress',
        pages,
        pagesPerSecond,
        paused,
        queued,
        retrying,
        ...hosts,
        failures: failures(counters),
      });
    },
    note: say,
    end: () => {},
  };
}

function viewLines(status: CrawlStatus): string[] {
  const { counters, readyHosts, delayedHosts, leasedHosts, pageQuota } = status;
  const waits = waitText(status);
  const waiting = counters.queued + counters.retrying + counters.leased;
  const share = pageQuota === null ? counters.page / Math.max(1, counters.page + waiting) : counters.page / pageQuota;
  const total = pageQuota === null ? `${count(counters.page + waiting)} known` : `${count(pageQuota)} wanted`;
  return [
    `  ${bar(share)}  ${count(counters.page)} pages of ${total}`,
    `  ${clockText(status.seconds)}   ${status.paused ? 'PAUSED (crawlstream resume)   ' : ''}${status.pagesPerSecond.toFixed(1)} pages/s   ${bytesText(counters.bytes)} received`,
    `  queued ${count(counters.queued)}   retrying ${count(counters.retrying)}   on lease ${count(counters.leased)}   duplicates ${count(counters.duplicates)}`,
    `  hosts ${count(counters.hosts)}: ${count(readyHosts)} ready, ${count(delayedHosts)} delayed, ${count(leasedHosts)} being fetched   failures ${count(failures(counters))}`,
    ...(waits === '' ? [] : [`  ${waits}`]),
  ];
}

export function lineOf(status: CrawlStatus): string {
  const { counters, readyHosts, delayedHosts, leasedHosts } = status;
  const waits = waitText(status);
  return [
    clockText(status.seconds),
    ...(status.paused ? ['paused (continue with crawlstream resume)'] : []),
    `${counters.page} pages`,
    `${status.pagesPerSecond.toFixed(1)} pages/s`,
    `queued ${counters.queued + counters.retrying}`,
    `hosts: ${leasedHosts} being fetched, ${readyHosts} ready, ${delayedHosts} delayed`,
    `failures ${failures(counters)}${counters.retrying === 0 ? '' : `, ${counters.retrying} waiting for a retry`}`,
    ...(waits === '' ? [] : [waits]),
  ].join('  ');
}

/** Why nothing happens if everything waits for its time (a retry, or a host's delay). Short waits are not mentioned. */
function waitText({ counters, readyHosts, next, paused }: CrawlStatus): string {
  const isIdle = !paused && readyHosts === 0 && counters.leases === 0;
  if (!isIdle || next === null || next.inMs < waitShownMs) return '';
  return `next contact in ${clockText(next.inMs / 1000)}, with ${next.hostKey}`;
}

function failures(counters: Counters): number {
  return counters.failed + counters.dead;
}

function bar(share: number): string {
  const full = Math.round(30 * Math.min(1, Math.max(0, share)));
  return `${'█'.repeat(full)}${'░'.repeat(30 - full)}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
