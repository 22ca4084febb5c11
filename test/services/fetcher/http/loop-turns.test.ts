import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { compileOverrides } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../../../services/fetcher/http/client.ts';
import { createLoopTurns } from '../../../../services/fetcher/http/loop-turns.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';

/** Counts turns of the loop while `act` runs. */
async function turnsOf(act: (turn: () => number) => Promise<void>): Promise<void> {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await act(() => turn);
  isOver = true;
}

test('responses that are ready at once are read in order, as many per turn of the event loop as its time allows', async () => {
  let nowMs = 0;
  const turns = createLoopTurns(25, () => nowMs);
  const read: { n: number; turn: number }[] = [];
  await turnsOf(async (turn) => {
    const answer = async (n: number) => {
      const wait = turns.take();
      if (wait !== undefined) await wait;
      read.push({ n, turn: turn() });
      nowMs += 10;
      // What follows in the same turn counts, too.
      await null;
      nowMs += 1;
    };
    const all: Promise<void>[] = [];
    for (let n = 0; n < 20; n++) {
      all.push(answer(n));
      await null;
    }
    await Promise.all(all);
  });
  assert.deepEqual(
    read.map(({ n }) => n),
    Array.from({ length: 20 }, (_, n) => n),
  );
  const inTurn = new Map<number, number>();
  for (const { turn } of read) inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1);
  assert.deepEqual([...inTurn.values()], [3, 3, 3, 3, 3, 3, 2]);
});

test('a newcomer waits behind those that wait, and nobody waits in a turn with time left', async () => {
  let nowMs = 0;
  const turns = createLoopTurns(25, () => nowMs);
  assert.equal(turns.take(), undefined);
  nowMs = 24;
  assert.equal(turns.take(), undefined);
  nowMs = 25;
  const first = turns.take();
  nowMs = 0;
  const second = turns.take();
  const order: string[] = [];
  await Promise.all([second?.then(() => order.push('second')), first?.then(() => order.push('first'))]);
  assert.deepEqual(order, ['first', 'second']);
  await new Promise(setImmediate);
  nowMs = 1_000;
  assert.equal(turns.take(), undefined);
});

test('a client whose responses all come at once leaves turns of the event loop to others', async (t) => {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => held.push(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const clock = new SystemClock();
  const lookup = async () => ({ addresses: ['127.0.0.1'], ttlMs: 60_000 });
  const resolver = createResolver({ clock, lookup, overrides: compileOverrides([]), isBlocked: () => false });
  const client = createHttpClient({ clock, resolver });
  t.after(() => client.close());
  const count = 100;
  await turnsOf(async (turn) => {
    let first: number | undefined;
    const all = Array.from({ length: count }, async (_, n) => {
      const { port } = server.address() as AddressInfo;
      await client.request({ url: `http://n${n}.test:${port}/`, headers: ['user-agent', 'test'] });
      first ??= turn();
      // A costly page.
      for (const untilMs = performance.now() + 10; performance.now() < untilMs; );
    });
    while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const response of held) response.end('x');
    await Promise.all(all);
    assert.ok(turn() - first! >= count / 5, `${turn() - first!} turns for ${count} answers`);
  });
});
