import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crawlName } from '../../../../../services/extras/dashboard/page/crawl-name.ts';
import { steeringOf } from '../../../../../services/extras/dashboard/page/steering.ts';

const running = { phase: 'running', paused: false, idle: null, canStop: true, members: [] } as const;
const idle = { lastWrittenMs: 1, resume: 'x', unpause: 'y' };

test('the page offers to pause and to stop what runs, and says why it does not offer them', () => {
  const of = (change: object) => {
    const { canPause, canStop, why } = steeringOf({ ...running, ...change });
    return [canPause, canStop, why];
  };
  assert.deepEqual(of({}), [true, true, '']);
  assert.deepEqual(of({ canStop: false }), [true, false, ''], 'a crawl on Kafka has no process to stop');
  assert.deepEqual(of({ canStop: false, members: null }), [
    ...[true, false],
    'Another process runs the crawl: to stop the crawl, press Ctrl-C in the terminal of that process.',
  ]);
  const nothing = 'No process runs the crawl: there is nothing to stop.';
  assert.deepEqual(of({ phase: 'idle', idle, canStop: false, members: null }), [false, false, nothing]);
  assert.deepEqual(of({ phase: 'idle', idle, paused: true }), [true, false, nothing], 'a pause can be ended');
  assert.deepEqual(of({ phase: 'done' }), [false, false, '']);
  assert.deepEqual(of({ phase: 'done', paused: true }), [true, false, '']);
});

test('a crawl that nobody named is called by the host of its first seed', () => {
  const about = (...seeds: string[]) => ({ seeds, seedCount: 9, scope: '', place: null, startedMs: null });
  assert.equal(crawlName({ crawl: 'crawl', about: about('http://a.test:8080/x', 'https://b.test/') }), 'a.test:8080');
  assert.equal(crawlName({ crawl: 'news', about: about('https://a.test/') }), 'news');
  assert.equal(crawlName({ crawl: 'crawl', about: about() }), 'crawl', 'on Kafka, seeds are not known');
  assert.equal(crawlName({ crawl: 'crawl', about: about('no URL') }), 'crawl');
  assert.equal(crawlName({ crawl: 'crawl', about: null }), 'crawl');
});
