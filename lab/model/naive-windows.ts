/** Crawl windows according to their rule (topology/policy/windows.ts), minute by minute, for the naive frontier. */

export interface NaiveWindow {
  readonly hosts: readonly string[];
  readonly fromHour: number;
  readonly toHour: number;
  readonly utcOffsetMinutes: number;
  readonly days?: readonly number[];
}

const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** True if the host may be contacted now. The first window that names it counts, with its subdomains. */
export function isOpen(windows: readonly NaiveWindow[], hostKey: string, nowMs: number): boolean {
  const window = windowOf(windows, hostKey);
  return window === undefined || isWithin(window, nowMs);
}

/** The opening time of the window that is open now; 0: the host has none. */
export function openedAtMs(windows: readonly NaiveWindow[], hostKey: string, nowMs: number): number {
  const window = windowOf(windows, hostKey);
  if (window === undefined) return 0;
  // Windows open on the hour of their time zone; one that is open for ever was never opened.
  let atMs = nowMs - ((nowMs + window.utcOffsetMinutes * 60_000) % hourMs);
  for (let hours = 0; hours < 24 * 8; hours++, atMs -= hourMs) if (!isWithin(window, atMs - 1)) return atMs;
  return 0;
}

function windowOf(windows: readonly NaiveWindow[], hostKey: string): NaiveWindow | undefined {
  const name = hostKey.replace(/:\d+$/, '');
  return windows.find(({ hosts }) => hosts.some((host) => host === '*' || host === name || name.endsWith(`.${host}`)));
}

function isWithin({ fromHour, toHour, utcOffsetMinutes, days }: NaiveWindow, nowMs: number): boolean {
  const localMs = nowMs + utcOffsetMinutes * 60_000;
  const hour = Math.floor((localMs % dayMs) / hourMs);
  const isOvernight = fromHour > toHour;
  const isHour =
    fromHour === toHour || (isOvernight ? hour >= fromHour || hour < toHour : hour >= fromHour && hour < toHour);
  // The part of a window after midnight belongs to the day before.
  const beganDaysAgo = (isOvernight && hour < toHour) || (fromHour === toHour && hour < fromHour) ? 1 : 0;
  const day = new Date(localMs - beganDaysAgo * dayMs).getUTCDay();
  return isHour && (days === undefined || days.includes(day));
}
