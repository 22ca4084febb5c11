import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLevels, RequestLog } from '../../../../services/extras/urlfrontier/request-log.ts';

/** The levels that are told of. */
function reported(...set: [name: string, level: (typeof logLevels)[number]][]): string {
  const said: string[] = [];
  const log = new RequestLog((text) => said.push(text));
  for (const [name, level] of set) log.setLevel(name, logLevels.indexOf(level));
  for (const level of logLevels) log.write(level, () => level);
  return said.join(' ');
}

test('calls are logged from INFO on, or from the level of their nearest package', () => {
  assert.equal(reported(), 'INFO WARN ERROR');
  assert.equal(reported(['', 'WARN']), 'WARN ERROR');
  assert.equal(reported(['ROOT', 'DEBUG']), 'DEBUG INFO WARN ERROR');
  assert.equal(reported(['crawlstream', 'ERROR']), 'ERROR');
  assert.equal(reported(['crawlstream', 'ERROR'], ['crawlstream.urlfrontier', 'TRACE']), logLevels.join(' '));
  assert.equal(
    reported(['crawlstream.urlfrontier', 'WARN'], ['crawlstream', 'TRACE'], ['ROOT', 'TRACE']),
    'WARN ERROR',
  );
  assert.equal(reported(['crawlstream.url', 'TRACE'], ['other', 'TRACE']), 'INFO WARN ERROR', 'no such package');
  assert.equal(reported(['', 'TRACE'], ['', 'ERROR']), 'ERROR', 'the last one counts');
});

test('a call that is not logged is not formatted', () => {
  new RequestLog(() => {}).write('DEBUG', () => assert.fail('it was'));
});
