/** When requests of one address start, at the bounds, and which addresses are forgotten. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createFakeClock } from '../fake-clock.ts';

const never = new AbortController().signal;
const late = Number.MAX_SAFE_INTEGER;

describe('a limit for each address', () => {
  it('a limit for each address is off at 0 and can be set while requests run', async () => {
    const clock = createFakeClock();
    const pacer = createAddressPacer(clock, 0, () => 2);
    assert.equal(pacer.active, false);
    const free = await pacer.acquire('a', 0, never);
    assert.equal(free?.apartMs, 0);
    free?.start();
    free?.pass();
    assert.equal(pacer.size, 0);
    pacer.setDelay(1);
    assert.equal(pacer.active, true);
    assert.equal((await pacer.acquire('a', late, never))?.apartMs, 2);
    assert.equal(pacer.size, 1);
    assert.equal(createAddressPacer(clock, 1, () => 1).active, true);
  });

  it('a limit for each address refuses at once what cannot start in time, counting those that wait', async () => {
    const clock = createFakeClock();
    const pacer = createAddressPacer(clock, 100, () => 1);
    (await pacer.acquire('a', late, never))?.start();
    const at = (ms: number) => clock.nowMs() + ms;
    assert.equal(await pacer.acquire('a', at(99), never), null);
    const second = pacer.acquire('a', at(100), never);
    assert.equal(await pacer.acquire('a', at(199), never), null);
    const third = pacer.acquire('a', at(200), never);
    const other = await pacer.acquire('b', at(0), never);
    assert.notEqual(other, null, 'another address has its own');
    await clock.advance(100);
    (await second)?.start();
    await clock.advance(100);
    assert.notEqual(await third, null);
  });

  it('a limit for each address divides the interval by the slots of a host, rounded up', async () => {
    const pacer = createAddressPacer(createFakeClock(), 1_000, () => 1);
    assert.equal((await pacer.acquire('a', late, never, 3))?.apartMs, 334);
  });

  it('a limit for each address skips a request that comes too late for its turn, and the next one gets the turn', async () => {
    const clock = createFakeClock();
    const pacer = createAddressPacer(clock, 100, () => 1);
    const first = await pacer.acquire('a', late, never);
    const at = (ms: number) => clock.nowMs() + ms;
    const [second, third, fourth] = [at(100), at(200), at(300)].map((untilMs) => pacer.acquire('a', untilMs, never));
    await clock.advance(200);
    first?.pass();
    assert.equal(await second, null);
    const permit = await third;
    assert.notEqual(permit, null, 'the very moment is in time');
    permit?.pass();
    assert.notEqual(await fourth, null, 'nothing has started');
  });
});

describe('addresses', () => {
  /** As many addresses as are kept before any is forgotten, each of which a request started at. */
  async function full() {
    const clock = createFakeClock();
    const pacer = createAddressPacer(clock, 500, () => 2);
    for (let n = 0; n < 4_096; n++) (await pacer.acquire(`a${n}`, late, never))?.start();
    assert.equal(pacer.size, 4_096);
    return { clock, pacer };
  }

  it('addresses are forgotten once they bind nobody, when others come', async () => {
    const { clock, pacer } = await full();
    await clock.advance(1_000);
    await pacer.acquire('a0', late, never);
    assert.equal(pacer.size, 4_096, 'none came');
    await pacer.acquire('b', late, never);
    assert.equal(pacer.size, 2, 'one of which somebody holds a permit');
  });

  it('addresses are kept while they bind, and scanned again only when their number has doubled', async () => {
    const { clock, pacer } = await full();
    await clock.advance(999);
    await pacer.acquire('b', late, never);
    assert.equal(pacer.size, 4_097);
    await clock.advance(1);
    await pacer.acquire('c', late, never);
    assert.equal(pacer.size, 4_098);
  });
});
