/** Events to come. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { numbers } from '../../../lab/web/random.ts';
import { EventQueue } from '../../../topology/fleet/event-queue.ts';

it('events happen in order of time, and at one time in the order in which they were added', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const next = numbers(seed);
    const events = new EventQueue();
    const added: { atMs: number; order: number }[] = [];
    const happened: { atMs: number; order: number }[] = [];
    const add = (fromMs: number) => {
      const one = { atMs: fromMs + (next() % 20), order: added.length };
      added.push(one);
      events.at(one.atMs, () => {
        happened.push(one);
        // What happens leads to more, never before now.
        if (added.length < 200 && next() % 3 === 0) add(one.atMs);
      });
    };
    for (let n = 0; n < 60; n++) add(0);
    for (let atMs = events.nextMs; atMs !== undefined; atMs = events.nextMs) {
      const before = happened.length;
      events.run();
      assert.equal(happened.length, before + 1);
      assert.equal(happened.at(-1)!.atMs, atMs);
    }
    assert.deepEqual(
      happened,
      [...added].sort((a, b) => a.atMs - b.atMs || a.order - b.order),
    );
    events.run();
    assert.equal(happened.length, added.length, 'nothing is left');
  }
});
