/**
 * Matches patterns in linear time, with re2js (RE2's syntax: https://github.com/google/re2/wiki/Syntax). One
 * automaton holds all patterns of a policy, so it scans a URL once, however many patterns there are. Its memory is
 * bounded; beyond the bound it works without its cache, slower but still linear. RE2's syntax has no look-around and
 * no back-references.
 */
// biome-ignore lint/style/noRestrictedImports: loads code that few crawls need, and reads no data.
import { createRequire } from 'node:module';
import type { RE2Set } from 're2js';
import { patternLimits } from './pattern-limits.ts';
import type { CompilePatterns, PatternList } from './patterns.ts';

type Re2js = typeof import('re2js');
let re2js: Re2js | undefined;

function engine(): Re2js {
  // Saves 20 ms of each start that needs no patterns.
  re2js ??= createRequire(import.meta.url)('re2js') as Re2js;
  return re2js;
}

/** Why RE2 rejects a pattern, its syntax or its size; null if the pattern is valid. */
export function linearFault(source: string): string | null {
  const { charsMax, instructionsMax } = patternLimits;
  if (source.length > charsMax) return `${source.length} characters, but a pattern may have at most ${charsMax}`;
  const size = sizeOf(source);
  if (typeof size === 'string') return size;
  return size > instructionsMax
    ? `it compiles to ${size} states, but a pattern may have at most ${instructionsMax}`
    : null;
}

function sizeOf(source: string): number | string {
  try {
    return engine().RE2JS.compile(source).programSize();
  } catch (error) {
    return `${(error as Error).message.replace(/^error parsing regexp: /, '')} (RE2 syntax, without look-around and back-references)`;
  }
}

/** Why patterns that each pass `linearFault` are too much together; null: they are not. */
export function linearFaultOfAll(sources: readonly string[]): string | null {
  const { patternsMax, charsOfAllMax } = patternLimits;
  if (sources.length > patternsMax) return `${sources.length} patterns, but a policy may have at most ${patternsMax}`;
  const chars = sources.reduce((sum, source) => sum + source.length, 0);
  return chars > charsOfAllMax
    ? `${chars} characters of patterns, but a policy may have at most ${charsOfAllMax}`
    : null;
}

/** `all`: every pattern that will be asked for. Throws SyntaxError for one that RE2 does not take. */
export function linearPatterns(all: readonly string[]): CompilePatterns {
  const numbers = new Map<string, number>();
  let set: RE2Set | undefined;
  for (const source of all) {
    if (numbers.has(source)) continue;
    const { RE2Set } = engine();
    set ??= new RE2Set(RE2Set.UNANCHORED, 0, patternLimits.memoryBytesMax);
    try {
      numbers.set(source, set.add(source));
    } catch (error) {
      throw new SyntaxError((error as Error).message);
    }
  }
  set?.compile();
  let matching: ReadonlySet<number> = new Set();
  let lookedAt: string | undefined;
  /** Filters, rules and overlays ask about one URL in turn. */
  const matches = (url: string): ReadonlySet<number> => {
    if (url !== lookedAt) {
      matching = new Set(set?.match(url));
      lookedAt = url;
    }
    return matching;
  };
  return (sources): PatternList => {
    const own = sources.map((source) => {
      const number = numbers.get(source);
      if (number === undefined) throw new Error(`the pattern ${source} was not compiled`);
      return number;
    });
    return {
      length: own.length,
      first(url) {
        if (own.length === 0) return null;
        const found = matches(url);
        const index = found.size === 0 ? -1 : own.findIndex((number) => found.has(number));
        return index < 0 ? null : sources[index]!;
      },
      each(url, found) {
        if (own.length === 0) return;
        const numbersFound = matches(url);
        if (numbersFound.size === 0) return;
        for (let index = 0; index < own.length; index++) if (numbersFound.has(own[index]!)) found(index);
      },
    };
  };
}
