/** Unread answers, by caller, on sockets that the test plays. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { AnswersUnderWay } from '../../../../services/runtime/http/answers-under-way.ts';
import { httpLimits } from '../../../../services/runtime/http/http-limits.ts';

class PlayedSocket extends EventEmitter {
  readonly timeouts: number[] = [];
  isDestroyed = false;
  setTimeout(ms: number, onTimeout: () => void): void {
    this.timeouts.push(ms);
    this.once('timeout', onTimeout);
  }
  destroy(): void {
    this.isDestroyed = true;
  }
}

function answer(socket: PlayedSocket | null = new PlayedSocket()) {
  const response = Object.assign(new EventEmitter(), { socket });
  return { response: response as unknown as ServerResponse, socket, end: (how = 'finish') => response.emit(how) };
}

const most = httpLimits.unreadBytesMax;

test('a caller gets one answer of any length, and more only while the unread ones fit together', () => {
  const underWay = new AnswersUnderWay();
  const [large, small] = [answer(), answer()];
  assert.equal(underWay.add('a', most + 1, large.response), true);
  assert.equal(underWay.add('a', 1, small.response), false);
  assert.equal(underWay.of('a'), most + 1, 'a refused answer is not counted');
  assert.equal(underWay.add('b', 1, small.response), true, 'other callers are not affected');
  large.end();
  assert.equal(underWay.of('a'), 0);
  const halves = [answer(), answer(), answer()];
  assert.equal(underWay.add('a', most - 1, halves[0]!.response), true);
  assert.equal(underWay.add('a', 1, halves[1]!.response), true, 'they may fill the room');
  assert.equal(underWay.add('a', 1, halves[2]!.response), false);
  halves[0]!.end();
  assert.equal(underWay.of('a'), 1);
});

test('an answer counts until it was read or its connection closed, once', () => {
  const underWay = new AnswersUnderWay();
  const [first, second] = [answer(), answer(null)];
  underWay.add('a', 5, first.response);
  underWay.add('a', 7, second.response);
  first.end('finish');
  first.end('close');
  assert.equal(underWay.of('a'), 7);
  second.end('close');
  second.end('finish');
  assert.equal(underWay.of('a'), 0);
});

test('a large answer that is not read in time closes its connection, a small one does not', () => {
  const underWay = new AnswersUnderWay();
  const [small, large, read] = [answer(), answer(), answer()];
  underWay.add('a', httpLimits.watchedBytes - 1, small.response);
  underWay.add('b', httpLimits.watchedBytes, large.response);
  underWay.add('c', httpLimits.watchedBytes, read.response);
  read.end();
  for (const { socket } of [small, large, read]) socket!.emit('timeout');
  assert.deepEqual([small.socket!.timeouts, large.socket!.timeouts], [[], [httpLimits.unreadMs]]);
  assert.deepEqual(
    [small, large, read].map(({ socket }) => socket!.isDestroyed),
    [false, true, false],
    'the next request on a connection has its own time',
  );
});
