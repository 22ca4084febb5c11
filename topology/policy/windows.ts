/**
 * Crawl windows: the hours in which a host may be contacted.
 *
 * Hours are whole, counted at a fixed offset from UTC. No time zones by name: their rules change with the machine's
 * release, and a replay must decide as the crawl did. Time is an argument; the answer is a time, so that the scheduler
 * need not poll.
 */
import { compileSuffixSet } from '../url/suffix-set.ts';

export interface CrawlWindow {
  /** Domains with their subdomains; `*`: all hosts. The first window that names a host applies to it. */
  readonly hosts: readonly string[];
  /**
   * The window is open from this hour to before `toHour`, 0–24. If this hour is the later one, it lasts over midnight:
   * 22–6. If they are equal, it is never closed.
   */
  readonly fromHour: number;
  /** The hour at which the window closes, 0–24. */
  readonly toHour: number;
  /** Offset of these hours from UTC, minutes; 60 is Central European winter time. */
  readonly utcOffsetMinutes: number;
  /** Days on which a window begins, 0 (Sunday) to 6. Absent: every day. */
  readonly days?: readonly number[] | undefined;
}

/** The earliest time, from `nowMs` on, at which a host may be contacted: ms since the Unix epoch. */
export type OpenAt = (hostname: string, nowMs: number) => number;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function compileWindows(windows: readonly CrawlWindow[]): OpenAt {
  if (windows.length === 0) return (_, nowMs) => nowMs;
  const compiled = windows.map((window) => ({
    window,
    all: window.hosts.includes('*'),
    names: compileSuffixSet(window.hosts),
  }));
  return (hostname, nowMs) => {
    const found = compiled.find(({ all, names }) => all || names.match(hostname) !== null);
    return found === undefined ? nowMs : openAt(found.window, nowMs);
  };
}

function openAt({ fromHour, toHour, utcOffsetMinutes, days }: CrawlWindow, nowMs: number): number {
  const offsetMs = utcOffsetMinutes * 60_000;
  const local = nowMs + offsetMs;
  const today = Math.floor(local / dayMs);
  const hours = (toHour - fromHour + 24) % 24 || 24;
  // Yesterday's window may reach over midnight; a week later every day has come.
  for (let day = today - 1; day <= today + 7; day++) {
    // The Unix epoch began on a Thursday.
    if (days !== undefined && !days.includes((day + 4) % 7)) continue;
    const opens = day * dayMs + fromHour * hourMs;
    if (local < opens) return opens - offsetMs;
    if (local < opens + hours * hourMs) return nowMs;
  }
  return nowMs;
}
