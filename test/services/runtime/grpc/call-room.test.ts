import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallRoom } from '../../../../services/runtime/grpc/call-room.ts';

/** A call that gives back so many bytes when it is ended. */
function debtorOf(room: CallRoom, bytes: number, dropped: number[]) {
  const debtor = {
    drop: () => {
      dropped.push(bytes);
      room.release(bytes);
    },
  };
  room.owe(bytes, debtor);
  return debtor;
}

test('messages may take all of the hard bound and not one byte more', () => {
  const room = new CallRoom(10, 20);
  assert.equal(room.take(9), true);
  assert.equal(room.isFull, false);
  assert.equal(room.take(1), true);
  assert.equal(room.isFull, true);
  assert.equal(room.take(10), true);
  assert.equal(room.take(1), false);
  assert.equal(room.taken, 20);
  room.release(1);
  assert.equal(room.take(1), true);
});

test('the streams that have left their answers unread longest lose their calls, as few as the room needs', () => {
  const room = new CallRoom(10, 20);
  const dropped: number[] = [];
  debtorOf(room, 6, dropped);
  const paid = debtorOf(room, 5, dropped);
  debtorOf(room, 7, dropped);
  assert.deepEqual(dropped, []);
  room.release(5);
  room.paid(paid);
  assert.equal(room.take(8), true);
  assert.deepEqual(dropped, [6]);
  assert.equal(room.taken, 15);
  debtorOf(room, 4, dropped);
  assert.equal(room.take(13), false);
  assert.deepEqual(dropped, [6, 7, 4]);
  assert.equal(room.taken, 8);
});

test('answers are accepted whatever room is left; their own writer may be the one that is dropped', () => {
  const room = new CallRoom(10, 20);
  const dropped: number[] = [];
  room.take(20);
  debtorOf(room, 3, dropped);
  assert.deepEqual(dropped, [3]);
  assert.equal(room.taken, 20);
});

test('a waiting call is woken once, when the room is no longer full', () => {
  const room = new CallRoom(10, 20);
  let woken = 0;
  const wake = () => void (woken += 1);
  room.take(12);
  room.wait(wake);
  room.wait(wake);
  room.release(2);
  assert.equal(woken, 0);
  room.release(1);
  assert.equal(woken, 1);
  room.take(5);
  room.wait(wake);
  room.forget(wake);
  room.release(14);
  assert.equal(woken, 1);
});
