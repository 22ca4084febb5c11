/** Parses values of command-line options. Each parser's error names the option and says what to type instead. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { type Use, uses } from '../../../topology/usage/statement.ts';
import { bad, durationText, unitsMs } from '../../runtime/option-text.ts';
import { takes } from '../../runtime/value-schema.ts';

export function wholeNumber(option: string, least = 0, most = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return takes.wholeNumber(least, most, (value: string) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
      const isNearly = !/^\d+$/.test(value) && (/^[\d.,_ ]+[kKmM]?$/.test(value) || /^\d+e\d+$/.test(value));
      const digits = isNearly ? `, only digits, as in ${Math.min(10_000, most)}` : '';
      throw bad(option, value, `give a whole number ${range}${digits}`);
    }
    return number;
  });
}

/** Also accepts the word `none`. */
export function orNone<T>(parse: (value: string) => T): (value: string) => T | 'none' {
  return takes.orNone(parse, (value) => {
    if (value === 'none') return value;
    try {
      return parse(value);
    } catch (error) {
      throw error instanceof CrawlstreamError ? new CrawlstreamError(error.code, `${error.message}, or none`) : error;
    }
  });
}

/** A share: above 0, below 1. */
export function share(option: string): (value: string) => number {
  return takes.share((value) => {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!(number > 0 && number < 1)) throw bad(option, value, 'give a number above 0 and below 1, as in 0.01');
    return number;
  });
}

export function oneOf<const T extends string>(option: string, choices: readonly T[]): (value: string) => T {
  return takes.oneOf(choices, (value: string) => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw bad(option, value, `give one of ${choices.join(', ')}`);
    return choice;
  });
}

/** `search,ai-input`: uses of pages, each once. */
export function useList(option: string): (value: string) => Use[] {
  return someOf(option, uses);
}

/** Some of the choices, apart by commas, each once. */
export function someOf<const T extends string>(option: string, choices: readonly T[]): (value: string) => T[] {
  const one = oneOf(option, choices);
  return takes.someOf(choices, (value) => [...new Set(value.split(',').map((part) => one(part.trim())))]);
}

/**
 * `5s,30s,5m` as milliseconds; `none` for no retries. A number without a unit is in seconds, as it was up to 0.3.0, and
 * `onOldForm` hears what to write instead.
 */
export function retryList(option: string, onOldForm: (text: string) => void): (value: string) => number[] {
  return (value) => {
    if (value === 'none') return [];
    const { retriesMax, retrySecondsMax } = crawlLimits;
    const parse = duration(option, { mostMs: 1000 * retrySecondsMax });
    const withUnits = value.split(',').map((part) => part.trim().replace(/^[\d.]+$/, '$&s'));
    try {
      const waits = withUnits.map(parse);
      if (waits.length <= retriesMax) {
        const isOldForm = withUnits.join() !== value.replaceAll(' ', '') && waits.some((ms) => ms > 0);
        if (isOldForm)
          onOldForm(`${option} ${value} is read as ${withUnits.join()}; write the units: later versions need them`);
        return waits;
      }
    } catch {}
    const most = `at most ${retriesMax} of them, none above ${durationText(1000 * retrySecondsMax)}`;
    throw bad(option, value, `give delays with units, as in 500ms,30s,5m (${most}), or none`);
  };
}

/** A regular expression, as it is written: it must compile. */
export function pattern(option: string): (value: string) => string {
  return (value) => {
    try {
      new RegExp(value);
    } catch (error) {
      throw bad(option, value, `${(error as Error).message}; write a JavaScript regular expression without slashes`);
    }
    if (value === '')
      throw bad(option, value, 'give a regular expression that is not empty; an empty one matches everything');
    return value;
  };
}

interface DurationRange {
  readonly leastMs?: number;
  readonly mostMs?: number;
}

/** `500ms`, `12h`, `30d`, … as milliseconds. A number needs its unit, but for 0. */
export function duration(
  option: string,
  { leastMs = 0, mostMs = Number.MAX_SAFE_INTEGER }: DurationRange = {},
): (value: string) => number {
  return takes.duration((value) => {
    const [, number, unit = Number(number) === 0 ? 'ms' : undefined] =
      /^(\d+(?:\.\d+)?)(ms|[smhd])?$/.exec(value) ?? [];
    if (number !== undefined && unit === undefined)
      throw bad(option, value, `a duration needs a unit: did you mean ${value}s or ${value}ms?`);
    const exact = unit === undefined ? Number.NaN : Number(number) * unitsMs[unit as keyof typeof unitsMs];
    const ms = Math.round(exact);
    if (Math.abs(exact - ms) < 1e-3 && ms >= leastMs && ms <= mostMs) return ms;
    const from = leastMs === 0 ? '' : `, at least ${durationText(leastMs)}`;
    const range =
      mostMs < Number.MAX_SAFE_INTEGER ? `, from ${durationText(leastMs)} to ${durationText(mostMs)}` : from;
    throw bad(option, value, `give a number and ms, s, m, h or d, as in 36h${range}`);
  });
}

/** `500k`, `2M`, `1.5GB`, `10GiB`, … as bytes. Decimal, but for the units that have an `i`. */
export function bytes(option: string, least: number, remedy: string): (value: string) => number {
  return takes.bytes(least, (value) => {
    const [, number, prefix = '', binary] = /^(\d+(?:\.\d+)?)(?:([kKmMgGtT]?)(?:(i)?[bB])?)$/.exec(value) ?? [];
    const power = ['', 'k', 'm', 'g', 't'].indexOf(prefix.toLowerCase());
    const count = Math.round(Number(number) * (binary === undefined ? 1000 : 1024) ** power);
    if (count >= least && Number.isSafeInteger(count)) return count;
    throw bad(option, value, remedy);
  });
}

/** A date, with a time or without: ms since the Unix epoch. */
export function moment(option: string): (value: string) => number {
  return (value) => {
    const timeMs = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(timeMs)) throw bad(option, value, 'give a time as in 2026-01-31T12:00:00Z');
    return timeMs;
  };
}

const repeated = new WeakSet<object>();

/** The parser of an option that may be given several times. */
export function collect<T>(parse: (value: string) => T): (value: string, before: readonly T[] | undefined) => T[] {
  const gather = (value: string, before: readonly T[] = []) => [...before, parse(value)];
  repeated.add(gather);
  return gather;
}

export function isRepeated(parser: object | undefined): boolean {
  return parser !== undefined && repeated.has(parser);
}

/** Networks in CIDR notation, or single addresses, apart by commas. */
export function networks(option: string): (value: string) => string[] {
  return (value) => {
    const list = value.split(',').map((one) => one.trim());
    try {
      compileAddressGuard(list);
    } catch {
      throw bad(
        option,
        value,
        'give networks, as in 10.1.0.0/16,::1, or no value for all; put URLs before this option',
      );
    }
    return list;
  };
}

/** A folder or bucket. A manifest's variable that nobody has set is empty: taken as a path, it would be the working folder. */
export function place(option: string): (value: string) => string {
  return (value) => {
    if (value.trim() !== '') return value;
    throw bad(option, value, 'give a folder, or s3://bucket/prefix');
  };
}

/** A web page or mail address where a webmaster can reach the crawl's operator. */
export function contact(option: string): (value: string) => string {
  return (value) => {
    if (/^https?:\/\/[^\s()]+$/.test(value) || /^[^\s@()]+@[^\s@()]+\.[^\s@()]+$/.test(value)) return value;
    throw bad(option, value, 'give a web or mail address where webmasters can reach you');
  };
}
