/** Answers of hosts that other hosts' robots.txt redirect to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { RobotsResponse } from '../../../../services/fetcher/robots/cache.ts';
import { createMovedAnswers } from '../../../../services/fetcher/robots/moved-answers.ts';
import { createFakeClock } from '../fake-clock.ts';

const url = 'http://b.test/robots.txt';
const answer = (status: number): RobotsResponse => ({
  ...{ status, location: '/x', body: Buffer.from('x'), retryAfterMs: 7, blockedAddress: true, detail: 'why' },
});

function open() {
  const clock = createFakeClock();
  return { clock, answers: createMovedAnswers(clock) };
}

/** How long an answer of this status stands in for a request, ms. */
function keptMs(status: number): number {
  const { clock, answers } = open();
  answers.add(url, answer(status));
  let ms = 0;
  for (; answers.get(url) !== undefined; ms += 1_000) clock.leap(1_000);
  clock.leap(-1);
  assert.equal(answers.get(url) !== undefined, ms > 0, `${status} is kept to the millisecond`);
  return ms;
}

describe('an answer of a host that a robots.txt redirects to', () => {
  it('the answer of a robots.txt redirect target holds for an hour if it names a location or no file', () => {
    for (const status of [199, 300, 301, 404, 428, 430, 499]) assert.equal(keptMs(status), 3_600_000, `${status}`);
  });

  it('the answer of a robots.txt redirect target holds for two minutes if the file could not be fetched', () => {
    for (const status of [0, 429, 500, 503, 599]) assert.equal(keptMs(status), 120_000, `${status}`);
  });

  it('a successful robots.txt is in the file cache, not here', () => {
    for (const status of [200, 299]) assert.equal(keptMs(status), 0, `${status}`);
  });

  it('the answer of a robots.txt redirect target is kept without its body', () => {
    const { answers } = open();
    answers.add(url, answer(404));
    assert.deepEqual(answers.get(url), { ...answer(404), body: new Uint8Array() });
    assert.equal(answers.get('http://c.test/robots.txt'), undefined);
  });

  it('a repeated answer keeps its age and is replaced by the next one when it expires', () => {
    const { clock, answers } = open();
    answers.add(url, answer(404));
    clock.leap(3_599_999);
    answers.add(url, answer(410));
    assert.equal(answers.get(url)?.status, 404);
    clock.leap(1);
    answers.add(url, answer(410));
    assert.equal(answers.get(url)?.status, 410);
  });

  it('the oldest answers are forgotten first if there are too many', () => {
    const { clock, answers } = open();
    const at = (n: number) => `http://h${n}.test/robots.txt`;
    for (const n of [0, 1]) answers.add(at(n), answer(404));
    clock.leap(3_600_000);
    answers.add(at(0), answer(404));
    for (let n = 2; n < fetcherLimits.robotsEntriesMax; n++) answers.add(at(n), answer(404));
    assert.notEqual(answers.get(at(0)), undefined);
    answers.add(at(-1), answer(404));
    assert.notEqual(answers.get(at(0)), undefined, 'it came anew, behind the one that was forgotten');
    answers.add(at(-2), answer(404));
    assert.equal(answers.get(at(0)), undefined);
    assert.notEqual(answers.get(at(2)), undefined);
  });
});
