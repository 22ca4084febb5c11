import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runTarget } from './run-target.ts';
import { targets } from './targets.ts';

const usual = { seed: 1, forMs: 120_000, corpus: [], hangMs: 60_000, cpuMsMax: 30_000, heapMb: 512 } as const;
describe('parsers of strangers’ bytes survive a few fuzz tries each (npm run fuzz: many)', () => {
  for (const target of Object.keys(targets)) {
    it(target, async () => {
      const { findings, tries, blocks } = await runTarget({
        ...usual,
        module: new URL('targets.ts', import.meta.url).href,
        target,
        tries: 60,
        ours: ['/topology/', '/services/'],
      });
      assert.deepEqual(
        findings.map(({ what }) => what),
        [],
      );
      assert.ok(tries >= 60 && blocks > 0, `${tries} tries, ${blocks} blocks`);
    });
  }
});
