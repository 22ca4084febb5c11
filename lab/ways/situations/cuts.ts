/** Answers that end early, at each place and in each way. */
import { broken, ok, pageOutcome } from './answers.ts';
import type { Answer, Break, Difference, Place, Situation } from './situation.ts';

const chunked = ok({ framing: 'chunks' });
const byLength = ok();

interface Cut {
  readonly of?: string;
  readonly base?: Answer;
  readonly expects: string;
  readonly differs?: readonly Difference[];
}

const cut = (at: Place, by: Break, { of = 'chunks', base = chunked, expects, differs }: Cut): Situation => ({
  ...{ group: 'cut', name: `${of}, ${at}, by ${by === 'close' ? 'a close' : 'a reset'}`, expects },
  page: [broken(at, by, base)],
  outcomeOf: pageOutcome,
  ...(differs && { differs }),
});

const beforeStatus: readonly Place[] = ['before the head', 'in the head'];
const inBody: readonly Place[] = [
  ...(['behind the head', 'behind a chunk', 'in a chunk size', 'in a chunk'] as const),
  ...(['before the last chunk', 'in the last chunk'] as const),
];
const breaks = ['close', 'reset'] as const;

export const cuts: readonly Situation[] = breaks.flatMap((by) => [
  ...beforeStatus.map((at) => cut(at, by, { expects: 'connectionFailed' })),
  ...inBody.map((at) => cut(at, by, { expects: 'connectionFailed 200' })),
  ...(['behind the head', 'in a chunk'] as const).map((at) =>
    cut(at, by, { of: 'a length', base: byLength, expects: 'connectionFailed 200' }),
  ),
]);

const open = ok({ framing: 'close' });
const endsByClose: readonly Difference[] = [
  {
    where: { version: 'HTTP/1.1' },
    expects: 'fetched 200, a part',
    reason: 'a body without a length ends with its connection (RFC 9112 §6.3)',
  },
];

export const openCuts: readonly Situation[] = [
  cut('in a chunk', 'close', {
    ...{ of: 'no length', base: open, expects: 'connectionFailed 200', differs: endsByClose },
  }),
  cut('in a chunk', 'reset', { of: 'no length', base: open, expects: 'connectionFailed 200' }),
];
