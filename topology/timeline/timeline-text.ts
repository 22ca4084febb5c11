/** The history of a URL for people: a line per event, with the time since the first. */
import type { TimelineEvent } from './timeline-event.ts';

export function timelineText(events: readonly TimelineEvent[]): string {
  const first = events[0]?.atMs ?? 0;
  const lines = events.map(({ atMs, topic, partition, offset, text, policyVersion }, number) => {
    const version = policyVersion === (events[number - 1]?.policyVersion ?? 0) ? '' : `, policy ${policyVersion}`;
    return [sinceText(atMs - first), oneLine(text), `${topic} ${partition}@${offset}${version}`] as const;
  });
  const width = Math.max(0, ...lines.map(([since]) => since.length));
  return lines.map(([since, text, where]) => `${since.padStart(width)}  ${text}  [${where}]`).join('\n');
}

/** +0 ms, +350 ms, +1.50 s, +2 min 5 s, +3 h 4 min, +12 d 7 h. */
export function sinceText(ms: number): string {
  const sign = ms < 0 ? '-' : '+';
  const left = Math.abs(ms);
  if (left < 1_000) return `${sign}${left} ms`;
  if (left < 60_000) return `${sign}${(left / 1_000).toFixed(2)} s`;
  if (left < 3_600_000) return `${sign}${two(left, 60_000, 'min', 1_000, 's')}`;
  if (left < 86_400_000) return `${sign}${two(left, 3_600_000, 'h', 60_000, 'min')}`;
  return `${sign}${two(left, 86_400_000, 'd', 3_600_000, 'h')}`;
}

function two(ms: number, unitMs: number, unit: string, partMs: number, part: string): string {
  return `${Math.floor(ms / unitMs)} ${unit} ${Math.floor((ms % unitMs) / partMs)} ${part}`;
}

/** Titles and details come from strangers: none of them may move a terminal's cursor. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
