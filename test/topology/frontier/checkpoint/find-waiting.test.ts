import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Chance } from '../../../../lab/model/model-script.ts';
import { findWaiting } from '../../../../topology/frontier/checkpoint/find-waiting.ts';
import { findInFrontQueues } from '../../../../topology/frontier/checkpoint/read-rows.ts';
import { key, Served, urlAt } from '../decide/pull/served.ts';

describe('a URL that waits in a served queue', () => {
  for (const queueBytes of [2 ** 26, 1])
    it(`a URL that waits in a served queue is found by its index like by a search, with ${queueBytes} bytes for queues`, () => {
      for (let seed = 1; seed <= 2; seed++) {
        const chance = new Chance(seed);
        const served = new Served(queueBytes);
        const numbers = (count: number) => Array.from({ length: count }, () => chance.below(1_500));
        served.put(Array.from({ length: 600 }, (_, n) => n));
        let indexed = 0;
        for (let turn = 0; turn < 50; turn++) {
          served.nowMs += chance.of([1, 400, 6_000]);
          chance.of([
            () => served.put(numbers(40)),
            () => served.put(numbers(40)),
            () => served.put(numbers(20), true, chance.of([0, served.nowMs + 500])),
            () => served.get(1 + chance.below(150)),
            () => served.rig.save(),
            () => served.rig.save(),
            () => chance.percent(20) && served.rig.reopen(served.nowMs, false),
            () => chance.percent(10) && served.order({ kind: 'drop', key }),
          ])();
          const host = served.state.hosts.get(key);
          if (host === undefined) continue;
          for (const n of numbers(8)) {
            const sought: unknown = served.rig.rows.run(
              findInFrontQueues(served.state, host.id, (entry) => entry.url === urlAt(n)),
            );
            const { result }: { readonly result: unknown } = served.counted(
              findWaiting(served.state, host.id, urlAt(n)),
            );
            assert.deepEqual(result, sought, `seed ${seed}, turn ${turn}, ${urlAt(n)}`);
          }
          indexed += Number(served.state.pull.indexes.of(host.id) !== undefined);
        }
        assert.ok(indexed > 20, `${indexed} of 50 turns had an index`);
      }
    });
});
