/**
 * A list of domains with one number each, in the form of site rankings: `example.org 12`, or `12,example.org`. An
 * entry applies to the subdomains too; the longest listed domain wins.
 *
 * Ranks of Common Crawl's web graphs are read as published: position and value of harmonic centrality and of
 * PageRank, then the reversed host or domain (`harmonicc_pos harmonicc_val pr_pos pr_val host_rev`, and more columns
 * after it). Traffic is the harmonic position. Authority falls from 1 with the logarithm of the position, because the
 * values themselves lie close together: so positions 100 and 1,000 are as far apart as 1,000 and 10,000.
 *
 * About 100 bytes an entry, shared by all partitions of a process; a lookup is one probe per label of the host.
 */
import { CrawlstreamError } from '../errors.ts';
import { hostnameOf } from './host-key.ts';
import { listLimits } from './list-limits.ts';

/** Meanings of the numbers: traffic is a rank from 1, the others are shares from 0 to 1. */
export const numberListKinds = ['authority', 'traffic', 'quality'] as const;
export type NumberListKind = (typeof numberListKinds)[number];

export interface NumberList {
  readonly size: number;
  /** The number of the URL's host; null if it is not listed. */
  numberOf(url: string): number | null;
}

/** Parses the list; `name` is for messages. Throws INVALID_ARGUMENT with the line of an invalid entry. */
export function compileNumberList(kind: NumberListKind, text: string, name: string): NumberList {
  const numbers = new Map<string, number>();
  /** Domains of a web graph's ranks, by harmonic position. */
  const positions = new Map<string, number>();
  let last = 1;
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const entry = text.slice(start, end).trim();
    start = end + 1;
    line += 1;
    if (entry === '' || entry.startsWith('#')) continue;
    const rank = kind === 'quality' ? null : graphRank(entry);
    if (rank !== null) {
      positions.set(rank.domain, rank.position);
      last = Math.max(last, rank.position);
      if (numbers.size + positions.size > listLimits.numbersMax) throw tooMany(name, line);
      continue;
    }
    const [domain, number] = parsed(entry);
    const fits = kind === 'traffic' ? number >= 1 : number >= 0 && number <= 1;
    if (domain === '' || !fits) {
      const what = kind === 'traffic' ? 'its rank, from 1' : 'a share from 0 to 1';
      throw invalid(name, line, `write a domain and ${what}, as in "example.org ${kind === 'traffic' ? 12 : 0.7}"`);
    }
    numbers.set(domain, number);
    if (numbers.size + positions.size > listLimits.numbersMax) throw tooMany(name, line);
  }
  for (const [domain, position] of positions) {
    numbers.set(domain, kind === 'traffic' ? position : 1 - Math.log(position) / Math.log(last + 1));
  }
  return { size: numbers.size, numberOf: (url) => longestOf(numbers, hostnameOf(url)) };
}

/** Null: not a line of a web graph's ranks. */
function graphRank(entry: string): { readonly domain: string; readonly position: number } | null {
  const [harmonic, centrality, page, value, reversed] = entry.split(/\s+/, 5);
  if (reversed === undefined || !/^[^\s/:,;]+$/.test(reversed)) return null;
  const position = Number(harmonic);
  const isRank = [position, Number(page)].every((one) => Number.isSafeInteger(one) && one >= 1);
  if (!isRank || Number.isNaN(Number(centrality)) || Number.isNaN(Number(value))) return null;
  return { domain: reversed.toLowerCase().split('.').reverse().join('.'), position };
}

function tooMany(name: string, line: number): CrawlstreamError {
  return invalid(name, line, `more than ${listLimits.numbersMax} entries; remove the lowest ones`);
}

/** An invalid domain becomes empty. */
function parsed(entry: string): readonly [domain: string, number: number] {
  const [one = '', other = '', ...more] = entry.split(/[\s,;]+/);
  const [domain, digits] = /^[\d.]+$/.test(one) && !/^[\d.]+$/.test(other) ? [other, one] : [one, other];
  const isNumber = /^\d+(?:\.\d+)?$/.test(digits);
  if (more.length > 0 || !isNumber || !/^[^\s/:]+$/.test(domain)) return ['', Number.NaN];
  return [domain.toLowerCase().replace(/^(?:\*?\.)|\.$/g, ''), Number(digits)];
}

function longestOf(numbers: ReadonlyMap<string, number>, host: string): number | null {
  for (let name = host; ; ) {
    const number = numbers.get(name);
    if (number !== undefined) return number;
    const dot = name.indexOf('.');
    if (dot < 0) return null;
    name = name.slice(dot + 1);
  }
}

function invalid(name: string, line: number, why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `list ${JSON.stringify(name)}, line ${line}: ${why}`);
}
