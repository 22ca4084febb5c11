/** Each status, with a page as its body. */
import { answer, empty, pageOutcome, times } from './answers.ts';
import type { Situation } from './situation.ts';

const status = (code: number, outcome: string): Situation => ({
  ...{ group: 'status', name: `${code}`, expects: `${outcome.split(',')[0]} ${code}${outcome.replace(/^\w+/, '')}` },
  page: [code === 204 || code === 304 ? empty(code) : answer(code)],
  outcomeOf: (seen) => `${pageOutcome(seen)}${times(seen) === 1 ? '' : `, asked ${times(seen)} times`}`,
});
const all = (codes: readonly number[], outcome: string) => codes.map((code) => status(code, outcome));

export const statuses: readonly Situation[] = [
  ...all([200, 201, 202, 203, 205], 'fetched, whole'),
  status(204, 'fetched, no text'),
  // Statuses that no request asked for: RFC 9110 §15.3.7 and §15.4.5, RFC 3229 §10.4.1.
  ...all([206, 226, 304], 'badResponse'),
  ...all([300, 305, 306], 'clientError'),
  ...all([400, 401, 403, 405, 406, 409, 412, 413, 416, 418, 421, 451, 499], 'clientError'),
  {
    ...status(408, 'timeout'),
    differs: [
      {
        where: { isFresh: false },
        expects: 'timeout 408, asked 2 times',
        reason:
          'on a kept connection it says that the connection was idle, so that a new one is tried (RFC 9110 §15.5.9)',
      },
    ],
  },
  status(402, 'paymentRequired'),
  ...all([404, 410], 'gone'),
  ...all([425, 500, 501, 502, 504, 520, 599], 'serverError'),
];
