/** Retry-After in each form, and the crawler's reaction. The second answer is a page. */
import { answer, empty, ok, pageOutcome, times } from './answers.ts';
import type { Field, Seen, Situation } from './situation.ts';

/** At least this many seconds are between the first two requests. */
const afterS =
  (wanted: number) =>
  (seen: Seen): string => {
    const [first, second] = seen.asked.filter(({ path }) => path === '/');
    const passed = second === undefined ? 0 : (second.atMs - first!.atMs) / 1000;
    const when =
      second === undefined
        ? 'not asked again'
        : passed >= wanted - 0.1
          ? `asked again after ${wanted} s`
          : 'asked again too soon';
    return `${pageOutcome(seen)}, ${when}`;
  };

const pause = (
  name: string,
  status: number,
  value: string | readonly string[],
  seconds: number,
  expects: string,
): Situation => {
  const fields = [value].flat().map((one): Field => ['Retry-After', one]);
  return {
    ...{
      group: 'Retry-After',
      name,
      page: [empty(status, ...fields), ok()],
      crawl: 'retries',
      expects,
      outcomeOf: afterS(seconds),
    },
  };
};
const waits = (name: string, status: number, value: string | readonly string[], seconds: number) =>
  pause(name, status, value, seconds, `fetched 200, whole, asked again after ${seconds} s`);
const never = (name: string, status: number, value: string) =>
  pause(name, status, value, 3600, `throttled ${status}, not asked again`);

export const pauses: readonly Situation[] = [
  waits('429, 2', 429, '2', 2),
  waits('503, 2', 503, '2', 2),
  waits('429, 2s', 429, '2s', 2),
  waits('429, two fields, the longer counts', 429, ['1', '3'], 3),
  {
    ...never('429, blanks around an hour', 429, ' 3600 '),
    differs: [
      {
        where: { version: 'HTTP/2' },
        expects: 'fetched 200, whole, asked again too soon',
        reason: 'such a value is malformed, and the field is left out (RFC 9113 §8.2.1)',
      },
    ],
  },
  never('429, an hour', 429, '3600'),
  never('503, an hour', 503, '3600'),
  never('429, a date', 429, 'Tue, 01 Jan 2199 00:00:00 GMT'),
  never('429, a date with +0000', 429, 'Tue, 01 Jan 2199 00:00:00 +0000'),
  never('429, a date in ISO 8601', 429, '2199-01-01T00:00:00Z'),
  pause('404, an hour', 404, '3600', 0, 'gone 404, not asked again'),
  pause('500, an hour', 500, '3600', 0, 'serverError 500, not asked again'),
  {
    ...{
      group: 'Retry-After',
      name: '200, an hour, and the next page',
      crawl: 'retries',
      expects: 'fetched 200, whole, 1',
    },
    ...{
      page: [ok({ fields: [...ok().fields, ['Retry-After', '3600']] })],
      paths: { '/next': [ok()] },
      seeds: ['/', '/next'],
    },
    outcomeOf: (seen) => `${pageOutcome(seen)}, ${times(seen, '/next')}`,
  },
  {
    ...{ group: 'Retry-After', name: '404, an hour, and the next page', crawl: 'retries', expects: 'gone 404, 0' },
    ...{
      page: [answer(404, { fields: [['Retry-After', '3600']] })],
      paths: { '/next': [ok()] },
      seeds: ['/', '/next'],
    },
    outcomeOf: (seen) => `${pageOutcome(seen)}, ${times(seen, '/next')}`,
  },
];
