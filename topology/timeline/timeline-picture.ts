/**
 * Draws the history of a URL: an SVG with a row per topic, a dot per event, bars for leases and requests.
 *
 * One picture shows milliseconds and weeks, so the distance of two neighbours grows with the logarithm of the time
 * between them; the text below each event is the true time since the first. The SVG has no script, no foreign style and
 * no external reference; all text is escaped.
 */
import type { TopicName } from '../topics.ts';
import type { TimelineEvent, TimelineKind } from './timeline-event.ts';
import { sinceText } from './timeline-text.ts';

const hostSlots: readonly TopicName[] = [
  'control',
  'discovered',
  'frontier-changelog',
  'tasks',
  'results',
  'pages',
  'responses',
  'render',
  'duplicates',
  'dead-letters',
];

/** Pixels. */
const left = 150;
const laneHeight = 34;
const top = 44;
const gapMin = 14;
const gapPerDecade = 16;

const colours: { readonly [kind in TimelineKind]?: string } = {
  admitted: '#2e7d32',
  ended: '#2e7d32',
  page: '#2e7d32',
  indexed: '#2e7d32',
  fetched: '#1565c0',
  leased: '#6a4fb3',
  task: '#6a4fb3',
  again: '#b26a00',
  refused: '#b3261e',
  dropped: '#b3261e',
  deadLetter: '#b3261e',
  leaseEnded: '#b26a00',
  duplicate: '#b26a00',
};
const plain = '#5f6368';

export function timelinePicture(url: string, events: readonly TimelineEvent[]): string {
  const used = hostSlots.filter((hostSlot) => events.some(({ topic }) => topic === hostSlot));
  const places = placesOf(events);
  const width = Math.max(640, (places.at(-1) ?? left) + 60);
  const height = top + used.length * laneHeight + 40;
  const yOf = (topic: TopicName) => top + used.indexOf(topic) * laneHeight + laneHeight / 2;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(`History of ${url}`)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="22" font-size="14" fill="#202124">${escaped(clipped(url, 100))}</text>`,
  ];
  for (const hostSlot of used) {
    const y = yOf(hostSlot);
    parts.push(`<text x="12" y="${y + 4}" fill="${plain}">${hostSlot}</text>`);
    parts.push(`<line x1="${left}" y1="${y}" x2="${width - 20}" y2="${y}" stroke="#dadce0"/>`);
  }
  for (const bar of barsOf(events, places)) {
    const { from, to, topic, colour, text } = bar;
    const size = `x="${from}" y="${yOf(topic) - 4}" width="${Math.max(2, to - from)}" height="8"`;
    parts.push(`<rect ${size} rx="4" fill="${colour}" opacity="0.35"><title>${escaped(text)}</title></rect>`);
  }
  let labelled = Number.NEGATIVE_INFINITY;
  for (const [number, event] of events.entries()) {
    const x = places[number]!;
    const since = sinceText(event.atMs - events[0]!.atMs);
    const colour = colours[event.kind] ?? plain;
    const words = escaped(`${since}  ${event.text}  (${event.topic} ${event.partition}@${event.offset})`);
    parts.push(`<circle cx="${x}" cy="${yOf(event.topic)}" r="5" fill="${colour}"><title>${words}</title></circle>`);
    if (x - labelled < 64) continue;
    labelled = x;
    parts.push(`<text x="${x}" y="${height - 16}" text-anchor="middle" font-size="10" fill="${plain}">${since}</text>`);
  }
  return `${parts.join('\n')}\n</svg>\n`;
}

/** Returns the x position of each event. */
function placesOf(events: readonly TimelineEvent[]): number[] {
  let x = left + 20;
  return events.map(({ atMs }, number) => {
    const gapMs = number === 0 ? 0 : atMs - events[number - 1]!.atMs;
    if (number > 0) x += gapMin + Math.round(gapPerDecade * Math.log10(1 + gapMs));
    return x;
  });
}

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly topic: TopicName;
  readonly colour: string;
  readonly text: string;
}

/** From each lease to what ended it. */
function barsOf(events: readonly TimelineEvent[], places: readonly number[]): Bar[] {
  const bars: Bar[] = [];
  for (const [number, { kind, topic, details }] of events.entries()) {
    if (kind !== 'leased') continue;
    const end = events.findIndex(
      (other, at) =>
        at > number &&
        (other.kind === 'ended' || other.kind === 'again' || other.kind === 'leaseEnded') &&
        other.details['leaseId'] === details['leaseId'],
    );
    const to = end < 0 ? places.at(-1)! : places[end]!;
    bars.push({ from: places[number]!, to, topic, colour: '#6a4fb3', text: `lease ${String(details['leaseId'])}` });
  }
  return bars;
}

function clipped(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}

/** XML 1.0 §2.2 and §2.4: no control characters, no lone surrogates, no markup. */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
