/** Few of what `npm run fuzz:fields` tries. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzzCore } from './fuzz-core.ts';
import { fuzzLibrary } from './fuzz-library.ts';

it('no extreme in a field of control, results or discovered ends a partition, and its state is that of its replay', () => {
  const { inputs, findings } = fuzzCore(2_000, 1);
  assert.deepEqual(findings, []);
  assert.equal(inputs, 2_000);
});

it("no extreme in an argument ends the library's frontier, and no lease has a URL of another host", () => {
  const { inputs, findings } = fuzzLibrary(2_000, 1);
  assert.deepEqual(findings, []);
  assert.equal(inputs, 2_000);
});
