import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { PartRoom, type PartStream } from '../../../../services/runtime/grpc/part-room.ts';

class FakeStream extends EventEmitter {
  isOpen = true;
  close(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

function open(room: PartRoom): FakeStream {
  const stream = new FakeStream();
  room.watch(stream as unknown as PartStream);
  return stream;
}

/** Bytes that share no buffer with others. */
const apart = (...bytes: readonly number[]) => Buffer.from(new Uint8Array(bytes).buffer);

test('a whole message does not count as a part, however it arrives', () => {
  const room = new PartRoom(1_000_000);
  const stream = open(room);
  const message = [0, 0, 0, 0, 3, 1, 2, 3];
  for (let cut = 0; cut <= message.length; cut++) {
    stream.emit('data', apart(...message, 0, 0, 0, 0, 0, ...message.slice(0, cut)));
    const isWhole = cut === 0 || cut === message.length;
    assert.equal(room.bytes > 0, !isWhole, `cut at ${cut}`);
    stream.emit('data', apart(...message.slice(cut)));
    assert.equal(room.bytes, 0, `cut at ${cut}`);
  }
  for (const byte of message) stream.emit('data', apart(byte));
  assert.equal(room.bytes, 0);
});

test('one-byte pieces count for the memory they keep, and the message that began first is dropped', () => {
  const room = new PartRoom(1_000_000);
  const [first, second] = [open(room), open(room)];
  for (const stream of [first, second]) stream.emit('data', apart(0, 0, 0xff, 0xff, 0xff));
  // What was read from the socket with it stays in memory.
  const read = new Uint8Array(64 * 1024).fill(1);
  let pieces = 0;
  for (; first.isOpen && pieces < 100_000; pieces++) second.emit('data', Buffer.from(read.buffer, pieces % 100, 1));
  assert.ok(pieces > 3_000 && pieces < 4_000, `${pieces} pieces`);
  assert.ok(second.isOpen && room.bytes <= 1_000_000);
  // What comes for a call that is over is nobody's.
  const { bytes } = room;
  first.emit('data', apart(1));
  assert.equal(room.bytes, bytes);
  second.close();
  assert.equal(room.bytes, 0);
});
