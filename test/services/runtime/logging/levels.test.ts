/** Which lines are written, and where else they go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  components,
  isWanted,
  type LogLine,
  levelsOf,
  logLevels,
} from '../../../../services/runtime/logging/log-line.ts';
import { alsoSayTo, isJson, sayElsewhere, sayFrom } from '../../../../services/runtime/logging/say.ts';

test('a line is written from the level of its component on', () => {
  const levels = levelsOf('warn', { http: 'fatal', state: 'info' });
  assert.deepEqual(Object.keys(levels).sort(), Object.keys(components).sort());
  const written = (component: 'http' | 'state' | 'crawl') =>
    logLevels.filter((level) => isWanted({ level, component }, levels));
  assert.deepEqual(written('crawl'), ['warn', 'error', 'fatal']);
  assert.deepEqual(written('state'), ['info', 'warn', 'error', 'fatal']);
  assert.deepEqual(written('http'), ['fatal']);
});

test('lines are JSON if they are asked for, or if no terminal shows them', () => {
  assert.deepEqual([isJson('json', true), isJson('json', false)], [true, true]);
  assert.deepEqual([isJson('text', true), isJson('text', false)], [false, false]);
  assert.deepEqual([isJson('auto', true), isJson('auto', false)], [false, true]);
});

test('a line that is printed in another way reaches the sinks, if its level is wanted, until they end', () => {
  const lines: LogLine[] = [];
  const end = alsoSayTo((line) => lines.push(line));
  try {
    sayFrom(levelsOf('info', { progress: 'error' }));
    sayElsewhere('one');
    sayElsewhere('two', 'warn', { component: 'http', status: 503, ms: 7 });
    sayElsewhere('three', 'warn', { component: 'progress' });
    end();
    sayElsewhere('four', 'fatal');
  } finally {
    end();
    sayFrom(levelsOf('info'));
  }
  assert.deepEqual(lines, [
    { text: 'one', level: 'info', component: 'process', fields: {} },
    { text: 'two', level: 'warn', component: 'http', fields: { status: 503, ms: 7 } },
  ]);
});
