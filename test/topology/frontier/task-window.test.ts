import assert from 'node:assert/strict';
import { it } from 'node:test';
import { demandLimits } from '../../../topology/frontier/demand-limits.ts';
import { TaskWindow } from '../../../topology/frontier/task-window.ts';

const { taskWaitMs, taskWindowMin, taskWindowMax } = demandLimits;

it('a window begins small, and doubles while fetchers take everything and want more', () => {
  const window = new TaskWindow();
  const sizes = [window.size];
  for (let look = 0; look < 12; look++) {
    window.look(look * 200, 0, 0, true);
    sizes.push(window.size);
  }
  assert.deepEqual(sizes, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 4_096]);
});

it('a window is twice the recent consumption, if that is more than twice its size', () => {
  const window = new TaskWindow();
  window.look(0, 10, 0, true);
  assert.equal(window.size, 20);
  window.look(200, 25, 0, true);
  assert.equal(window.size, 70);
});

it('a window falls to the recent consumption once tasks wait, and never below one', () => {
  const window = new TaskWindow();
  window.look(0, 30, 1, true);
  assert.equal(window.size, 30);
  window.look(200, 5, 1, false);
  assert.equal(window.size, 35);
  window.look(taskWaitMs + 1, 0, 1, false);
  assert.equal(window.size, 5);
  window.look(3 * taskWaitMs, 0, 1, false);
  assert.equal(window.size, 1);
});

it('an unneeded window shrinks to twice the consumption, and stays if nothing is taken', () => {
  const window = new TaskWindow();
  for (let look = 0; look < 6; look++) window.look(look, 0, 0, true);
  assert.equal(window.size, 128);
  window.look(10, 0, 0, false);
  assert.equal(window.size, 128);
  window.look(20, 7, 0, false);
  assert.equal(window.size, 14);
  window.look(30, 30, 0, false);
  assert.equal(window.size, 14);
  window.look(10 * taskWaitMs, 1, 0, false);
  assert.equal(window.size, taskWindowMin);
});

it('a window starts over when no fetcher is there', () => {
  const window = new TaskWindow();
  window.look(0, taskWindowMax, 0, true);
  window.close();
  assert.equal(window.size, taskWindowMin);
  window.look(100, 0, 1, false);
  assert.equal(window.size, 1, 'what was taken before is forgotten');
});
