import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fuzz } from './fuzz.ts';
import { targets as planted } from './planted.ts';
import { type RunOptions, runTarget } from './run-target.ts';

const usual = { seed: 1, forMs: 120_000, corpus: [], hangMs: 60_000, cpuMsMax: 30_000, heapMb: 512 } as const;
const run = (module: string, target: string, more: Partial<RunOptions>) =>
  runTarget({
    ...usual,
    module: new URL(module, import.meta.url).href,
    target,
    tries: 300,
    ours: ['/test/fuzz/planted.ts'],
    ...more,
  });

describe('the fuzzer', () => {
  it('the fuzzer finds a bug behind three conditions, which chance would need 16 million tries for', async () => {
    const ours = (url: string) => url.includes('/test/fuzz/planted.ts');
    const { findings, tries, kept } = await fuzz(planted['nested']!, {
      ...usual,
      tries: 400_000,
      isOurs: ours,
      findingsMax: 1,
    });
    const got = `nothing after ${tries} tries, ${kept.length} kept`;
    assert.match(findings[0]?.what ?? got, /^TypeError: found/);
    assert.equal(findings[0]!.input.toString('latin1', 0, 3), 'bug');
  });

  it('the fuzzer finds code that takes more than linear time', async () => {
    const { findings } = await run('planted.ts', 'slow', { tries: 3_000, cpuMsMax: 100 });
    assert.match(findings[0]?.what ?? 'nothing', /^took \d+ ms of CPU/);
  });

  it('the fuzzer ends an endless try, and one that takes all memory, and reports their inputs', async () => {
    const endless = await run('planted.ts', 'endless', { tries: 400_000, hangMs: 3_000 });
    assert.match(endless.findings[0]?.what ?? 'nothing', /^did not end within 3 s/);
    assert.equal(endless.findings[0]!.input[0], 0x78);
    const greedy = await run('planted.ts', 'greedy', { tries: 400_000, heapMb: 64 });
    assert.match(greedy.findings[0]?.what ?? 'nothing', /^ended its thread: .*memory/);
    assert.equal(greedy.findings[0]!.input[0], 0x79);
  });

  it('the fuzzer finds nothing in correct code, however often it runs', async () => {
    const { findings, tries } = await run('planted.ts', 'sound', { tries: 500 });
    assert.ok(findings.length === 0 && tries >= 500);
  });
});
