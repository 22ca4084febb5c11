import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyRoom, type Claim } from '../../../../services/fetcher/http/body-room.ts';
import { BodyBuffer } from '../../../../services/runtime/body-buffer.ts';

describe('a body', () => {
  it('a body takes at most twice its bytes of memory, however small its chunks are', () => {
    const body = new BodyBuffer(400_000);
    for (let i = 0; i < 300_000; i++) body.add(Buffer.of(i & 0xff));
    assert.equal(body.length, 300_000);
    assert.ok(body.capacity <= 600_000, `${body.capacity}`);
    const whole = body.whole();
    assert.equal(whole.length, 300_000);
    assert.ok(whole.every((byte, i) => byte === (i & 0xff)));
  });
  it('an empty body and a body in one chunk arrive as they were sent', () => {
    const body = new BodyBuffer(400_000);
    assert.equal(body.whole().length, 0);
    body.add(Buffer.from('whole'));
    assert.equal(body.whole().toString(), 'whole');
  });
});

describe('the memory limit of all bodies', () => {
  const claim = (): Claim => ({ bytes: 0 });
  const never = () => assert.fail('nothing was to resume');

  it('the memory limit of all bodies holds to the byte', () => {
    const room = new BodyRoom(100);
    const [a, b, c] = [claim(), claim(), claim()];
    assert.ok(room.take(a, 50, never));
    assert.ok(room.take(b, 50, never));
    assert.equal(room.taken, 100);
    assert.ok(!room.take(c, 1, () => undefined));
    assert.equal(room.taken, 100);
  });
  it('the memory limit of all bodies lets waiting bodies continue in order once others have ended', async () => {
    const room = new BodyRoom(100);
    const [a, b, c, d] = [claim(), claim(), claim(), claim()];
    const resumed: string[] = [];
    assert.ok(room.take(a, 100, never));
    assert.ok(!room.take(b, 60, () => resumed.push('b')));
    assert.ok(!room.take(c, 60, () => resumed.push('c')));
    room.release(a);
    assert.equal(resumed.length, 0);
    await Promise.resolve();
    assert.deepEqual([resumed, room.taken], [['b'], 60]);
    // It would fit, and is not the next.
    assert.ok(!room.take(d, 10, () => resumed.push('d')));
    room.release(b);
    await Promise.resolve();
    assert.deepEqual([resumed, room.taken], [['b', 'c', 'd'], 70]);
    room.release(c);
    room.release(d);
    assert.equal(room.taken, 0);
  });
  it('the memory limit of all bodies forgets a body that was given up while it waited', () => {
    const room = new BodyRoom(100);
    const [a, b] = [claim(), claim()];
    assert.ok(room.take(a, 100, never));
    assert.ok(!room.take(b, 10, never));
    room.release(b);
    room.release(a);
    assert.equal(room.taken, 0);
  });
  it('the memory limit of all bodies never refuses the only body, since nobody else could free memory', async () => {
    const room = new BodyRoom(100);
    const [a, b] = [claim(), claim()];
    let resumed = 0;
    assert.ok(room.take(a, 1_000, never));
    assert.ok(!room.take(b, 1_000, () => resumed++));
    room.release(a);
    await Promise.resolve();
    assert.deepEqual([resumed, room.taken], [1, 1_000]);
  });
});
