/** Sends all answers to all readers, batch by batch, and reduces the differences. */

import { findChromium } from '../../services/extras/render/browser.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import { reasonFor } from './accepted.ts';
import { browserReader } from './browser-reader.ts';
import { compare, type Finding } from './compare.ts';
import { crawlReader } from './crawl-reader.ts';
import type { Kind } from './draft.ts';
import { drawAnswers, nameOf, type Odd } from './draw.ts';
import { curl, nodeFetch, type Reader, wget } from './peers.ts';
import type { Reading } from './reading.ts';
import { serveAnswers } from './serve.ts';

export interface DifferentialOptions {
  readonly answers: number;
  readonly seed: number;
  readonly port: number;
  /** Only answers with this text in their name. */
  readonly only: string;
  /** The crawler's `crawlstream.js`. */
  readonly program: string;
  /** Absent: the browser too, where one is installed. */
  readonly isBrowserLeftOut?: boolean;
}

export interface Difference {
  readonly sort: string;
  /** The fewest variants that show it: each line is one answer. */
  readonly names: readonly string[];
  readonly example: string;
}

export interface DifferentialResult {
  readonly asked: number;
  readonly readers: readonly string[];
  readonly findings: readonly Difference[];
  /** Accepted differences, by reason. */
  readonly accepted: ReadonlyMap<string, number>;
}

/** Answers that are served and requested at once. */
const batchAnswers = 2000;
const browserName = 'Chromium';
/** The URL for the browser. */
const parsed: ReadonlySet<Kind> = new Set<Kind>(['page', 'redirect']);
const normalize = compileNormalizer();

export async function findDifferences(options: DifferentialOptions): Promise<DifferentialResult> {
  const drawn = drawAnswers(options.answers, options.seed).filter((odd) => nameOf(odd).includes(options.only));
  const readers = peers(options.isBrowserLeftOut ?? false);
  const found = new Map<string, { sort: string; names: Set<string>; example: string }>();
  const accepted = new Map<string, number>();
  for (let at = 0; at < drawn.length; at += batchAnswers) {
    const batch = drawn.slice(at, at + batchAnswers);
    const findings = await askAll(batch, options, readers);
    for (const { odd, finding } of await reduce(batch, findings, options, readers)) {
      const reason = reasonFor(odd, finding.sort);
      if (reason !== null) {
        accepted.set(reason, (accepted.get(reason) ?? 0) + 1);
        continue;
      }
      const group = found.get(finding.sort) ?? {
        sort: finding.sort,
        names: new Set<string>(),
        example: finding.detail,
      };
      group.names.add(`${nameOf(odd)} (${finding.detail})`);
      found.set(finding.sort, group);
    }
  }
  const findings = [...found.values()].map((group) => ({ ...group, names: [...group.names].sort() }));
  return { asked: drawn.length, readers: [...readers.keys()], findings, accepted };
}

function peers(isBrowserLeftOut: boolean): ReadonlyMap<string, Reader> {
  const readers = new Map<string, Reader>([
    ['curl', curl],
    ['wget', wget],
    ["Node's fetch", nodeFetch],
  ]);
  if (!isBrowserLeftOut) {
    try {
      readers.set(browserName, browserReader(findChromium(), normalLinks));
    } catch {
      // There is no browser here: the three others are used.
    }
  }
  return readers;
}

async function askAll(
  answers: readonly Odd[],
  options: DifferentialOptions,
  readers: ReadonlyMap<string, Reader>,
): Promise<Finding[]> {
  const hosts = await serveAnswers(answers, options.port);
  try {
    const numbers = answers.map((_, n) => n);
    const ours = await crawlReader(options.program, answers, normalLinks)(hosts, numbers);
    const others = new Map<string, ReadonlyMap<number, Reading>>();
    for (const [name, reader] of readers) {
      const wanted = name === browserName ? numbers.filter((n) => parsed.has(answers[n]!.kind)) : numbers;
      others.set(name, await reader(hosts, wanted));
    }
    return compare(numbers, ours, others, browserName);
  } finally {
    hosts.close();
  }
}

interface Reduced {
  readonly odd: Odd;
  readonly finding: Finding;
}

/**
 * Repeats the requests with parts of an answer's variants: the fewest that show the same kind of finding represent it.
 */
async function reduce(
  answers: readonly Odd[],
  findings: readonly Finding[],
  options: DifferentialOptions,
  readers: ReadonlyMap<string, Reader>,
): Promise<Reduced[]> {
  const parts = new Map<string, Odd>();
  for (const { n } of findings) for (const part of partsOf(answers[n]!)) parts.set(nameOf(part), part);
  const fewer = [...parts.values()];
  const again = fewer.length === 0 ? [] : await askAll(fewer, options, readers);
  const shown = new Map(again.map((finding) => [`${nameOf(fewer[finding.n]!)}|${finding.sort}`, finding]));
  return findings.map((finding) => {
    const odd = answers[finding.n]!;
    const smallest = partsOf(odd)
      .sort((a, b) => a.variants.length - b.variants.length)
      .find((part) => shown.has(`${nameOf(part)}|${finding.sort}`));
    if (smallest === undefined) return { odd, finding };
    return { odd: smallest, finding: shown.get(`${nameOf(smallest)}|${finding.sort}`)! };
  });
}

/** The answers with some of its variants, not all. */
function partsOf({ kind, variants }: Odd): Odd[] {
  const parts = [];
  for (let mask = 0; mask < 2 ** variants.length - 1; mask++)
    parts.push({ kind, variants: variants.filter((_, i) => (mask >> i) & 1) });
  return parts;
}

function normalLinks(links: readonly string[]): string[] {
  const normal = links.map((link) => normalize(link.replace(/^http:\/\/(?:[^/@]*@)?127\.[\d.]+/, 'http://host.test')));
  return [...new Set(normal.filter((link) => link !== null))].sort();
}
