/** Answers that arrive slowly or stop, and connections that never work. */
import { broken, ok, pageOutcome, times } from './answers.ts';
import type { Answer, Arrival, Situation } from './situation.ts';

const slow = (name: string, page: readonly Answer[], expects: string, isSlow = true): Situation => ({
  ...{ group: 'slow', name, page, expects, outcomeOf: pageOutcome, ...(isSlow && { isSlow: true as const }) },
});
const wholePage = 'fetched 200, whole';
const waitsAt = (at: NonNullable<Answer['waits']>['at'], ms: number) => ok({ framing: 'chunks', waits: { at, ms } });

export const slowAnswers: readonly Situation[] = [
  slow('a second before the head', [waitsAt('before the head', 1000)], wholePage, false),
  slow('a second in the head', [waitsAt('in the head', 1000)], wholePage, false),
  slow('a second behind the head', [waitsAt('behind the head', 1000)], wholePage, false),
  slow('a second in a chunk size', [waitsAt('in a chunk size', 1000)], wholePage, false),
  slow('a second in a chunk', [waitsAt('in a chunk', 1000)], wholePage, false),
  slow('a second before the last chunk', [waitsAt('before the last chunk', 1000)], wholePage, false),
  slow('a body in twenty parts', [ok({ framing: 'chunks', drips: { parts: 20, ms: 50 } })], wholePage, false),
  slow('silence before the head', [broken('before the head', 'silence')], 'timeout'),
  slow('silence in the head', [broken('in the head', 'silence')], 'timeout'),
  slow('silence behind the head', [broken('behind the head', 'silence')], 'timeout 200'),
  slow('silence in a chunk', [broken('in a chunk', 'silence', ok({ framing: 'chunks' }))], 'timeout 200'),
  slow(
    'silence before the last chunk',
    [broken('before the last chunk', 'silence', ok({ framing: 'chunks' }))],
    'timeout 200',
  ),
  slow('a head that takes eight seconds', [waitsAt('before the head', 8000)], 'timeout'),
];

const dead = (arrival: Arrival, name: string, isSlow = false): Situation => ({
  ...{ group: 'connection', name, arrival, page: [ok()], outcomeOf: pageOutcome, expects: 'robotsUnreachable' },
  ...(isSlow && { isSlow: true as const }),
});

export const connections: readonly Situation[] = [
  dead('refused', 'refused'),
  dead('closed', 'closed at once'),
  dead('reset', 'reset at once'),
  dead('noTls', 'text of another protocol'),
  dead('silent', 'no byte', true),
  {
    ...{
      group: 'connection',
      name: 'closed between two pages',
      page: [{ ...ok({ body: Buffer.from(ok().body) }), closes: true }],
    },
    ...{ paths: { '/next': [ok()] }, seeds: ['/', '/next'], expects: 'fetched 200, whole, 1' },
    outcomeOf: (seen) => `${pageOutcome(seen, '/next')}, ${times(seen, '/next')}`,
  },
];
