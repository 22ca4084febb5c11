/** Values of command-line options: each parser names its option and says what to type instead. */
import { CrawlstreamError } from '../../topology/errors.ts';

export function bad(option: string, value: string, remedy: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `${option} ${JSON.stringify(value)}: ${remedy}`);
}

export function wholeNumber(option: string, least = 0): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
      throw bad(option, value, `give a whole number of at least ${least}`);
    }
    return number;
  };
}

export function oneOf<const T extends string>(option: string, choices: readonly T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw bad(option, value, `give one of ${choices.join(', ')}`);
    return choice;
  };
}

/** `5,30,300` seconds as milliseconds; `none` for no retries. */
export function retryList(option: string): (value: string) => number[] {
  return (value) => {
    if (value === 'none') return [];
    return value.split(',').map((part) => {
      const seconds = Number(part);
      if (part.trim() === '' || !Number.isFinite(seconds) || seconds < 0) {
        throw bad(option, value, 'give waits in seconds, as in 5,30,300, or none');
      }
      return Math.round(1000 * seconds);
    });
  };
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `12h`, `30d`, … as milliseconds. */
export function duration(option: string): (value: string) => number {
  return (value) => {
    const [, number, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(value) ?? [];
    if (number === undefined || unit === undefined)
      throw bad(option, value, 'give a number and s, m, h or d, as in 36h');
    return Math.round(Number(number) * unitsMs[unit]!);
  };
}

export function collect<T>(parse: (value: string) => T): (value: string, before: readonly T[] | undefined) => T[] {
  return (value, before = []) => [...before, parse(value)];
}

/** A web page or mail address where a webmaster can reach whoever runs the crawl. */
export function contact(option: string): (value: string) => string {
  return (value) => {
    if (/^https?:\/\/[^\s()]+$/.test(value) || /^[^\s@()]+@[^\s@()]+\.[^\s@()]+$/.test(value)) return value;
    throw bad(option, value, 'give a web address or a mail address that webmasters can reach you at');
  };
}
