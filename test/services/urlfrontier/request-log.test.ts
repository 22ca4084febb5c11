import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLevels, RequestLog } from '../../../services/urlfrontier/request-log.ts';

/** The levels that are told of. */
function told(...set: [name: string, level: (typeof logLevels)[number]][]): string {
  const said: string[] = [];
  const log = new RequestLog((text) => said.push(text));
  for (const [name, level] of set) log.setLevel(name, logLevels.indexOf(level));
  for (const level of logLevels) log.tell(level, () => level);
  return said.join(' ');
}

test('calls are told of from INFO on, or from the level of the nearest package that has one', () => {
  assert.equal(told(), 'INFO WARN ERROR');
  assert.equal(told(['', 'WARN']), 'WARN ERROR');
  assert.equal(told(['ROOT', 'DEBUG']), 'DEBUG INFO WARN ERROR');
  assert.equal(told(['crawlstream', 'ERROR']), 'ERROR');
  assert.equal(told(['crawlstream', 'ERROR'], ['crawlstream.urlfrontier', 'TRACE']), logLevels.join(' '));
  assert.equal(told(['crawlstream.urlfrontier', 'WARN'], ['crawlstream', 'TRACE'], ['ROOT', 'TRACE']), 'WARN ERROR');
  assert.equal(told(['crawlstream.url', 'TRACE'], ['other', 'TRACE']), 'INFO WARN ERROR', 'no such package');
  assert.equal(told(['', 'TRACE'], ['', 'ERROR']), 'ERROR', 'the last one counts');
});

test('what is not told of is not put into words', () => {
  new RequestLog(() => {}).tell('DEBUG', () => assert.fail('it was'));
});
