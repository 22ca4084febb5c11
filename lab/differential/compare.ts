/** Finds answers that the crawler reads differently from the others. */
import type { Reading, Readings } from './reading.ts';

export interface Finding {
  readonly n: number;
  /** The kind of difference, such as `others read the whole, the crawler nothing`: equal for findings of one kind. */
  readonly sort: string;
  readonly detail: string;
}

/** This many of the others must have read an answer before the crawler is expected to. */
const othersMin = 2;

/** `others` has the readings of each reader under its name. `browser` is the reader among them that parses pages. */
export function compare(
  numbers: readonly number[],
  ours: Readings,
  others: ReadonlyMap<string, Readings>,
  browser: string,
): Finding[] {
  return numbers.flatMap((n) => {
    const own = ours.get(n)!;
    const read = [...others].filter(([, readings]) => readings.get(n)?.got === 'whole').map(([name]) => name);
    const asked = [...others.values()].filter((readings) => readings.has(n)).length;
    const sort = sortOf(own, read.length, asked);
    if (sort !== null) return [{ n, sort, detail: `read by ${read.join(', ') || 'none'}` }];
    const parsed = others.get(browser)?.get(n);
    return own.got === 'whole' && parsed?.got === 'whole' ? meaningFindings(n, own, parsed) : [];
  });
}

function sortOf(own: Reading, readers: number, asked: number): string | null {
  if (own.got === 'open') return readers > 0 ? 'robots.txt opens its host, and its rules were readable' : null;
  if (own.got !== 'whole' && readers >= Math.min(othersMin, asked))
    return `others read the whole, the crawler ${own.got}`;
  if (own.got === 'whole' && readers === 0) return 'the crawler alone reads the whole';
  return null;
}

function meaningFindings(n: number, own: Reading, parsed: Reading): Finding[] {
  if (parsed.title === undefined || parsed.links === undefined) return [];
  const findings: Finding[] = [];
  if (squeezed(own.title!) !== squeezed(parsed.title))
    findings.push({ n, sort: 'another title', detail: `${own.title} | browser: ${parsed.title}` });
  const [missed, more] = [without(parsed.links, own.links!), without(own.links!, parsed.links)];
  if (missed.length + more.length > 0)
    findings.push({ n, sort: 'other links', detail: `missed ${missed.join(' ')} | more ${more.join(' ')}` });
  return findings;
}

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();
const without = (all: readonly string[], some: readonly string[]) => all.filter((one) => !some.includes(one));
