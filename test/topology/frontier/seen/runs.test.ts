import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { blockBytes, blockWords } from '../../../../topology/frontier/seen/runs.ts';

it('a block is read back as it was written, wherever its bytes lie', () => {
  const words = Uint32Array.from([1, 0xffffffff, 0, 0x12345678]);
  const bytes = blockBytes(words);
  assert.deepEqual(blockWords(bytes), words);
  for (let at = 0; at < 4; at++) {
    const moved = Buffer.concat([Buffer.alloc(at), bytes]).subarray(at);
    assert.deepEqual([...blockWords(moved)], [...words]);
  }
  assert.deepEqual([...blockWords(Buffer.alloc(0))], []);
});

it('a missing or torn block is an error with the remedy', () => {
  for (const bytes of [null, undefined, Buffer.alloc(1), Buffer.alloc(4), Buffer.alloc(7), Buffer.alloc(12)]) {
    assert.throws(
      () => blockWords(bytes),
      (error) =>
        error instanceof CrawlstreamError && error.code === 'INVALID_RECORD' && /delete the folder/.test(error.message),
    );
  }
});
