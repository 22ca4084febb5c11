/** Whose document a worker reads next, by a clock that each job moves on. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FairTurns } from '../../../../services/fetcher/pages/fair-turns.ts';

function open() {
  let nowMs = 0;
  const turns = new FairTurns(() => nowMs);
  const done: string[] = [];
  const read = (hostname: string, ms: number, name = hostname) =>
    turns.take(hostname, async () => {
      nowMs += ms;
      done.push(name);
      return nowMs;
    });
  return { turns, done, read };
}

it('a host with cheap documents does not wait behind thirty hosts with expensive ones', async () => {
  const { turns, done, read } = open();
  const dear: Promise<number>[] = [];
  for (let n = 0; n < 30; n++) for (let of = 0; of < 10; of++) dear.push(read(`dear${n}.test`, 3_000));
  let last = read('honest.test', 20);
  for (let n = 0; n < 50; n++) last = last.then(() => read('honest.test', 20));
  await last;
  const before = done.filter((name) => name.startsWith('dear')).length;
  // The first of each site, of which nothing is known, and then one for each of its own.
  assert.ok(before <= 30 + 51, `${before} dear ones were read before the fifty-first of the honest host`);
  await Promise.all(dear);
  await turns.idle();
  assert.equal(done.length, 351);
});

it('names below one registrable domain count as one site', async () => {
  const { done, read } = open();
  const all = [read('first.test', 1)];
  for (let n = 0; n < 20; n++) all.push(read(`n${n}.dear.test`, 3_000, 'dear'));
  all.push(read('honest.test', 20));
  await Promise.all(all);
  assert.ok(done.indexOf('honest.test') <= 3, done.join(' '));
});

it('one site is served in order, and a failing job does not stop the next', async () => {
  const { turns, done, read } = open();
  const failing = turns.take('a.test', () => Promise.reject(new Error('broken')));
  const next = [read('a.test', 1, '1'), read('a.test', 1, '2')];
  await assert.rejects(failing, /broken/);
  await Promise.all(next);
  assert.deepEqual(done, ['1', '2']);
});

it('a document that arrives as the last one ends is parsed, too', { timeout: 10_000 }, async () => {
  const { turns, done, read } = open();
  let last = read('a.test', 1);
  for (let n = 0; n < 20; n++) last = last.then(() => read('a.test', 1));
  await last;
  for (let n = 0; n < 20; n++) await read('a.test', 1);
  await turns.idle();
  assert.equal(done.length, 41);
});
