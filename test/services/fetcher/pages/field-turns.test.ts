import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFieldTurns } from '../../../../services/fetcher/pages/field-turns.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';

const timeoutMs = 3_000;

/** Turns over a clock that a job moves. */
function setUp() {
  let nowMs = 0;
  const turns = createFieldTurns(timeoutMs, () => nowMs);
  const order: string[] = [];
  const page = (host: string, takesMs: number) =>
    turns.take(
      host,
      async () => {
        order.push(host);
        nowMs += takesMs;
        return takesMs < timeoutMs;
      },
      (isBack) => !isBack,
    );
  return { turns, order, page, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

describe('the selector worker', () => {
  it('the selector worker gives half of its turns to sites whose pages finish, however many hosts wait', async () => {
    const { order, page, now } = setUp();
    await page('www.honest.test', 10);
    const hostile = Array.from({ length: 100 }, (_, n) => page(`h${n}.hostile${n}.test`, timeoutMs));
    const honest = Array.from({ length: 20 }, () => page('www.honest.test', 10));
    const startMs = now();
    await Promise.all(honest);
    assert.ok(now() - startMs <= 2 * timeoutMs + 200, `${now() - startMs} ms for 200 ms of work`);
    await Promise.all(hostile);
    assert.equal(order.length, 121);
  });

  it('the selector worker serves unknown sites, too, while others have endless work', async () => {
    const { order, page } = setUp();
    await page('a.test', 10);
    const many = Array.from({ length: 1_000 }, () => page('a.test', 10));
    await page('new.test', 10);
    assert.ok(order.indexOf('new.test') < 10, `after ${order.indexOf('new.test')} pages`);
    await Promise.all(many);
  });

  it('the selector worker skips a site that blocked it, twice as long each time, by its registrable domain', async () => {
    const { turns, page, pass } = setUp();
    let restMs = richLimits.fieldsRestFactor * timeoutMs;
    for (let n = 0; n <= richLimits.fieldsRestDoublingsMax + 1; n++) {
      await page(`a${n}.evil.co.uk`, timeoutMs);
      assert.ok(turns.rests('b.evil.co.uk'), 'a site is a registrable domain');
      assert.ok(!turns.rests('good.co.uk'));
      pass(restMs - 1);
      assert.ok(turns.rests('evil.co.uk'), `rest ${n}`);
      pass(1);
      assert.ok(!turns.rests('evil.co.uk'), `rest ${n} is over`);
      if (n < richLimits.fieldsRestDoublingsMax) restMs *= 2;
    }
    await page('evil.co.uk', 10);
    await page('evil.co.uk', timeoutMs);
    pass(richLimits.fieldsRestFactor * timeoutMs);
    assert.ok(!turns.rests('evil.co.uk'), 'a page that came back begins anew');
  });

  it('the selector worker serves the site that blocked it longest ago if too many did', async () => {
    const { turns, page } = setUp();
    for (let n = 0; n < richLimits.fieldSitesMax; n++) {
      await turns.take(
        `evil${n}.test`,
        async () => {},
        () => true,
      );
    }
    assert.ok(turns.rests('evil0.test'));
    await page('one-more.test', timeoutMs);
    assert.ok(!turns.rests('evil0.test'));
    assert.ok(turns.rests('evil1.test'));
    assert.ok(turns.rests('one-more.test'));
  });

  it('the selector worker goes on after a failing job', async () => {
    const { turns, page } = setUp();
    await assert.rejects(
      turns.take(
        'a.test',
        () => Promise.reject(new Error('gone')),
        () => null,
      ),
      /gone/,
    );
    assert.equal(await page('a.test', 10), true);
  });
});
