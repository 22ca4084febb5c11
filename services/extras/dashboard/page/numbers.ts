/** Formats numbers for people, with units. Columns use tabular figures (style sheet). */

export function count(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}

/** Writes all digits below ten million, for places with room. */
export function whole(number: number): string {
  return number < 10_000_000 ? count(number) : short(number);
}

/** Four characters and a unit at most, for axes and tiles: 987, 12.3 k, 4.56 M. */
export function short(number: number): string {
  return scaled(number, ['', ' k', ' M', ' bn', ' tn']);
}

export function bytes(number: number): string {
  return scaled(number, [' B', ' kB', ' MB', ' GB', ' TB']);
}

/** `units`: of each power of a thousand. */
function scaled(number: number, units: readonly string[]): string {
  if (number < 10 && !Number.isInteger(number)) return `${number.toFixed(1)}${units[0]}`;
  const power = number < 999.5 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(number * 1.0005) / 3));
  const digits = number / 1_000 ** power;
  const places = power === 0 || digits >= 99.95 ? 0 : digits >= 9.995 ? 1 : 2;
  return `${trimmed(digits.toFixed(places))}${units[power]}`;
}

/** Formats a share, for example 12.3 %. */
export function percent(share: number): string {
  const hundredths = 100 * share;
  if (hundredths > 0 && hundredths < 0.05) return '< 0.1 %';
  const digits = hundredths > 0 && hundredths < 10 ? 1 : 0;
  return `${trimmed(hundredths.toFixed(digits))} %`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${trimmed(seconds.toFixed(1))} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
  return `${trimmed((seconds / 86_400).toFixed(1))} days`;
}

/** One unit, for estimates: 1 min, 12 min, 3 h, 5 days. */
export function roughly(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 90) return `${Math.max(1, Math.round(minutes))} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
}

/** `atMs` in the past. */
export function ago(atMs: number, nowMs: number): string {
  const ms = Math.max(0, nowMs - atMs);
  return ms < 2_000 ? 'now' : `${duration(Math.round(ms / 1_000) * 1_000)} ago`;
}

/** Date and time, in the viewer's time zone. */
export function day(atMs: number): string {
  return new Date(atMs).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** Time of day in the viewer's time zone. */
export function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en-GB');
}

/** Writes numbers as ranges, for example 0–3, 7. */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i]!;
    while (sorted[i + 1] === sorted[i]! + 1) i++;
    parts.push(first === sorted[i] ? `${first}` : `${first}–${sorted[i]}`);
  }
  return parts.join(', ');
}

function trimmed(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
